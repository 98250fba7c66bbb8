"""Powers of an arm's number of pulls, which grows a little at a time: no power is taken in most
rounds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled.decorators import verb
from ..compiled.intrinsics import borrow

CLOSE = 2.0**-13  # within this of 1, a cubic is a power or a logarithm to the last bit or two


class Powers(NamedTuple):
    """A power of each arm's count where that last passed a step of at most ``CLOSE`` of it.

    Attributes:
        start: float64 array (K,), the count there.
        end: float64 array (K,), the count at the next step.
        value: float64 array (K,), the power at ``start``.
    """

    start: np.ndarray
    end: np.ndarray
    value: np.ndarray


@verb
def new_powers(K: int) -> Powers:
    """No powers known yet."""
    return Powers(np.zeros(K), np.zeros(K), np.zeros(K))


@verb
def power_of_count(powers: Powers, a: int, n: float, scale: float, p: float) -> float:
    """The power ``scale n^p``; below a count of 2^13 as exact as powers are, above it but for the
    last bits. It depends on the count alone, so that ties of equal counts stay ties.

    Args:
        powers: those of one scale and one p.
        a: the arm.
        n: its count, at least 1, no less than those asked for before.
        scale: what the power is multiplied by.
        p: from -1 to 1.
    """
    powers = borrow(powers)
    if n >= powers.end[a]:
        step = 2.0 ** max(math.frexp(n)[1] - 14, 0)
        powers.start[a] = math.floor(n / step) * step
        powers.end[a] = powers.start[a] + step
        powers.value[a] = scale * powers.start[a] ** p
    y = n / powers.start[a] - 1.0
    cubic = 1.0 + (p - 1.0) / 2.0 * y * (1.0 + (p - 2.0) / 3.0 * y)
    return powers.value[a] * (1.0 + p * y * cubic)
