"""Powers of pull counts, updated by a cubic approximation instead of a power in every round."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled.decorators import verb
from ..compiled.routines import routine

CLOSE = 2.0**-13  # relative step within which a cubic is exact but for the last bit or two


class Powers(NamedTuple):
    """A power of each arm's count at the beginning of the current step of relative length CLOSE."""

    start: np.ndarray  # float64 array (K,), the count at the beginning of the step
    end: np.ndarray  # float64 array (K,), the count at the beginning of the next step
    value: np.ndarray  # float64 array (K,), the power at ``start``


@routine
def new_powers(K: int) -> Powers:
    """Powers of ``K`` counts, none of them computed."""
    return Powers(np.zeros(K), np.zeros(K), np.zeros(K))


@verb
def power_of_count(powers: Powers, a: int, n: float, scale: float, p: float) -> float:
    """The power ``scale n^p``: exact for counts below 2^13, accurate to the last bits above.

    It is a function of the count alone, so equal counts have equal powers.

    Args:
        powers: the powers of one scale and one p.
        a: the arm.
        n: its count, at least 1 and not less than in earlier calls.
        scale: the factor.
        p: the exponent, in [-1, 1].
    """
    if n >= powers.end[a]:
        step = 2.0 ** max(math.frexp(n)[1] - 14, 0)
        powers.start[a] = math.floor(n / step) * step
        powers.end[a] = powers.start[a] + step
        powers.value[a] = scale * powers.start[a] ** p
    y = n / powers.start[a] - 1.0
    cubic = 1.0 + (p - 1.0) / 2.0 * y * (1.0 + (p - 2.0) / 3.0 * y)
    return powers.value[a] * (1.0 + p * y * cubic)
