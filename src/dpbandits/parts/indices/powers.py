"""Powers of pull counts and of logarithms, computed by cubics between exact values."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared, unlikely

CLOSE = 2.0**-13  # relative step within which a cubic is exact but for the last bit or two


class Powers(NamedTuple):
    """The power ``scale n^p`` of each arm's count n.

    Counts are divided into steps of relative length CLOSE, and the arrays describe the current step
    of each arm.
    """

    scale: float  # the factor
    p: float  # the exponent, in [-1, 1]
    start: np.ndarray  # float64 array (K,), the count at the beginning of the step
    end: np.ndarray  # float64 array (K,), the count at the beginning of the next step
    value: np.ndarray  # float64 array (K,), the power at ``start``


@shared
def new_powers(K: int, scale: float, p: float) -> Powers:
    """Return the powers ``scale n^p`` of ``K`` counts before the first power is computed."""
    return Powers(scale, p, np.zeros(K), np.zeros(K), np.zeros(K))


@inlined
def power_of_count(powers: Powers, a: int, n: float) -> float:
    """Compute the power ``scale n^p``, exactly for counts below 2^13, else up to the last bits.

    The result depends only on the count, so equal counts have equal powers.

    Args:
        powers: the powers of one scale and one p.
        a: the arm.
        n: its count, at least 1 and not less than in earlier calls.
    """
    if unlikely(n >= powers.end[a]):
        step = max(powers.end[a] - powers.start[a], 1.0)
        while n >= 2.0 / CLOSE * step:
            step *= 2.0
        powers.start[a] = math.floor(n / step) * step
        powers.end[a] = powers.start[a] + step
        powers.value[a] = powers.scale * powers.start[a] ** powers.p
    p, y = powers.p, n / powers.start[a] - 1.0
    cubic = 1.0 + (p - 1.0) / 2.0 * y * (1.0 + (p - 2.0) / 3.0 * y)
    return powers.value[a] * (1.0 + p * y * cubic)


Cubic = tuple[float, float, float, float]  # coefficients, the constant first


@inlined
def expansion(l: float, power: float) -> Cubic:
    """Compute the cubic in t/t0 - 1 that approximates (ln t + shift)^power near t0.

    Args:
        l: ln t0 + shift; the cubic is exact at t0, and accurate near t0 if l is at least 1.
        power: the exponent.
    """
    c0, l1 = l**power, max(l, 1.0)
    second = (power - 1.0) / (2.0 * l1)  # of (1 + y/l)^power
    third = (power - 2.0) / (3.0 * l1)
    c1 = c0 * power / l1
    return c0, c1, c1 * (second - 0.5), c1 * (1.0 / 3.0 + second * (third - 1.0))


@inlined
def evaluate(cubic: Cubic, y: float) -> float:
    """Compute the value of a cubic at ``y``."""
    return cubic[0] + y * (cubic[1] + y * (cubic[2] + y * cubic[3]))


@inlined
def power_of_log(step: np.ndarray, t: int, power: float) -> float:
    """Compute the power ``(ln t)^power``, exactly for t below 2^13, else up to the last bits.

    Args:
        step: float64 array (7,), zeros at first: the last and the first round of the current step,
            the inverse of the first round, and the cubic.
        t: the round, at least 2 and not less than in earlier calls.
        power: the exponent.
    """
    if t > step[0]:
        step[0], step[1], step[2] = t + math.floor(t * CLOSE), t, 1.0 / t
        step[3], step[4], step[5], step[6] = expansion(math.log(t), power)
    return evaluate((step[3], step[4], step[5], step[6]), (t - step[1]) * step[2])
