"""The sparse vector technique behind the private stopping rules: noise scales, bar, and tests."""

from __future__ import annotations

import math

import numpy as np

from ..authoring import borrow, laplace, laplace_scale, verb


@verb
def noise_scales(eps: float, R: float) -> tuple[float, float, float]:
    """Scales s1, s2, s3 of the noise of threshold, tests and release (Sajed & Sheffet 2019).

    A changed sample moves a sum by 2R at most: the threshold spends eps/6, the tests eps/3
    however many they are, and the released mean eps/2.
    """
    s12 = laplace_scale(12.0 * R, eps)
    return s12, s12, laplace_scale(4.0 * R, eps)


@verb
def bar(t: float, n: float, eps: float, a: float, beta: float, R: float) -> float:
    """What the sum of t samples must reach, but for noise, at test n: t h_t (1 + 1/a) + c_t.

    It rises with t and n.
    """
    s1, s2, s3 = noise_scales(eps, R)
    h = R * math.sqrt(2.0 * math.log(16.0 * n * n / beta) / t)
    c = s1 * math.log(4.0 / beta) + s2 * math.log(8.0 * n * n / beta)
    c += s3 / a * math.log(4.0 / beta)
    return t * h * (1.0 + 1.0 / a) + c


@verb
def first_above(rng: np.random.Generator, n: int, scale: float, level: float) -> tuple[int, float]:
    """Which of ``n`` independent Laplace variables is the first above a level, and its value.

    The variables before it are not drawn: how many they are is geometric, and above a positive
    level a Laplace variable is the level plus an exponential one.

    Args:
        rng: the learner's generator.
        n: number of variables.
        scale: their scale.
        level: if it is not positive, the first variable is returned, above the level or not.

    Returns:
        Its number, counted from 1, or n + 1 if none is above; and its value.
    """
    rng = borrow(rng)
    if level <= 0.0:
        return 1, laplace(rng, scale)
    if scale == 0.0:
        return n + 1, 0.0
    rate = -math.log1p(-0.5 * math.exp(-level / scale))
    wait = rng.standard_exponential()
    if wait >= n * rate:
        return n + 1, 0.0
    return min(int(wait / rate) + 1, n), level + scale * rng.standard_exponential()
