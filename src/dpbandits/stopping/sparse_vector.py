"""The sparse vector technique of the private stopping rules: noise scales, bar and tests."""

from __future__ import annotations

import math

import numpy as np

from ..authoring import exponential, laplace, laplace_scale, inlined


@inlined
def noise_scales(eps: float, R: float) -> tuple[float, float, float]:
    """Return scales s1, s2, s3 of the noise of threshold, tests and release (Sajed & Sheffet 2019).

    Changing a sample changes a sum by at most 2R. The budget is eps/6 for the threshold, eps/3 for
    all tests, whose number is unlimited, and eps/2 for the released mean.
    """
    s12 = laplace_scale(12.0 * R, eps)
    return s12, s12, laplace_scale(4.0 * R, eps)


@inlined
def bar(t: float, n: float, eps: float, a: float, beta: float, R: float) -> float:
    """Return the bar for the sum of t samples at test n, without noise: t h_t (1 + 1/a) + c_t.

    The bar increases with t and n.
    """
    s1, s2, s3 = noise_scales(eps, R)
    h = R * math.sqrt(2.0 * math.log(16.0 * n * n / beta) / t)
    c = s1 * math.log(4.0 / beta) + s2 * math.log(8.0 * n * n / beta)
    c += s3 / a * math.log(4.0 / beta)
    return t * h * (1.0 + 1.0 / a) + c


@inlined
def first_above(rng: np.random.Generator, n: int, scale: float, level: float) -> tuple[int, float]:
    """Draw the first of ``n`` independent Laplace variables that exceeds a level.

    The result has its exact law, but not all variables are drawn: the number of variables before
    the first variable above the level is geometric. A Laplace variable that exceeds a positive
    level is the level plus an exponential variable.

    Args:
        rng: the learner's generator.
        n: number of variables.
        scale: scale of the variables.
        level: if the level is not positive, the first variable is returned, whether it exceeds the
            level or not.

    Returns:
        The position of the variable, counted from 1, or n + 1 if no variable exceeds the level; and
        the value of the variable.
    """
    if level <= 0.0:
        return 1, laplace(rng, scale)
    if scale == 0.0:
        return n + 1, 0.0
    rate = -math.log1p(-0.5 * math.exp(-level / scale))
    wait = exponential(rng)
    if wait >= n * rate:
        return n + 1, 0.0
    return min(int(wait / rate) + 1, n), level + scale * exponential(rng)


def first_above_in_turn(rng, n, scale, level):
    """Return what ``first_above`` returns, but draw every variable, as the proof assumes."""
    for i in range(1, n + 1):
        drawn = laplace(rng, scale)
        if level <= 0.0 or drawn > level:
            return i, drawn
    return n + 1, 0.0
