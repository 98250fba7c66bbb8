"""Chernoff quantiles of sums of Laplace noise.

Let X be a sum of independent Laplace variables with scales b_i. For all 0 < s < 1/max b_i and
l > 0, P(X > (l - sum of ln(1 - b_i^2 s^2))/s) <= e^-l. The Chernoff quantile at 1 - e^-l is the
smallest of these bounds over s.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared, shared_borrowing

NEAR = 4  # at levels deeper than this, four terms of a series replace the logarithms
PRECISION = 1e-5  # of the equation for the best s; the quantile has the precision PRECISION^3
STEP = 1e-4  # relative step in l within which a parabola is exact to about 1e-13


class Noise(NamedTuple):
    """The noise of K released sums, as sums of independent parts, and its quantiles.

    A part of height 0 is one Laplace variable. A part of height h > 0 is the noise of a node of
    Honaker's tree: a weighted sum of 2^(h+1) - 1 Laplace variables. For each j <= h, 2^j of these
    variables have the weight 2^-j / (2 - 2^-h).
    """

    parts: np.ndarray  # int64 array (K,), how many kinds of parts there are
    number: np.ndarray  # float64 array (K, M), number of parts of a kind
    scale: np.ndarray  # float64 array (K, M), their scale
    height: np.ndarray  # int64 array (K, M), their height
    start: np.ndarray  # float64 array (K,), the l at which the parabola begins; 0 if there is none
    parabola: np.ndarray  # float64 array (K, 3), its coefficients in l - start


@shared
def new_noise(K: int, M: int) -> Noise:
    """Return ``K`` sums without noise, each with room for ``M`` kinds of parts."""
    number, scale, height = np.zeros((K, M)), np.zeros((K, M)), np.zeros((K, M), np.int64)
    return Noise(np.zeros(K, np.int64), number, scale, height, np.zeros(K), np.zeros((K, 3)))


@inlined
def clear_noise(noise: Noise, a: int) -> None:
    """Remove all parts of the noise of sum ``a``."""
    noise.parts[a] = 0
    noise.start[a] = 0.0


@inlined
def add_noise(noise: Noise, a: int, scale: float, height: int) -> None:
    """Add a part to the noise of sum ``a``."""
    i = noise.parts[a] - 1
    if i >= 0 and noise.scale[a, i] == scale and noise.height[a, i] == height:
        noise.number[a, i] += 1.0
    else:
        noise.parts[a] += 1
        noise.number[a, i + 1] = 1.0
        noise.scale[a, i + 1] = scale
        noise.height[a, i + 1] = height


@inlined
def noise_quantile(noise: Noise, a: int, l: float) -> float:
    """Return the Chernoff quantile at 1 - e^-l of the noise of sum ``a``.

    ``l`` > 0 must not decrease from call to call.
    """
    if l - noise.start[a] > STEP * noise.start[a]:
        minimise(noise, a, l)
    y = l - noise.start[a]
    return noise.parabola[a, 0] + y * (noise.parabola[a, 1] + y * noise.parabola[a, 2])


@inlined
def cumulant(s: float, height: int) -> tuple[float, float, float]:
    """Compute C, s C' and s^2 C'' at ``s`` for a part of scale 1 and a given height.

    Here C(s) = - sum of 2^j ln(1 - x_j) over j <= height, x_j = (s 2^-j / (2 - 2^-height))^2.
    """
    leaf = 1.0 / (1 << height)
    top = (s / (2.0 - leaf)) ** 2
    first = second = 0.0
    last = height if height < NEAR else NEAR
    most = float(1 << last)  # 2^j of level last
    edge = top / (most * most)  # x_j of level last
    product, x, m = 1.0, edge, most
    for _ in range(last + 1):  # from level ``last`` to the root: one logarithm
        r = 1.0 / (1.0 - x)
        product = product * product * (1.0 - x)
        first += m * x * r
        second += m * x * (1.0 + x) * r * r
        x, m = 4.0 * x, m / 2.0
    C = -math.log(product)
    # one, ..., four are the sums of 2^j x_j^k over the other levels, for k = 1, ..., 4; the sum for
    # k = 5 is below 1e-13
    if height > NEAR:
        e = leaf * most
        ee, one = e * e, most * edge * (1.0 - e)
        two = most * edge**2 * (1.0 - e * ee) / 7.0
        three = most * edge**3 * (1.0 - e * ee**2) / 31.0
        four = most * edge**4 * (1.0 - e * ee**3) / 127.0
        C += one + two / 2.0 + three / 3.0 + four / 4.0
        first += one + two + three + four
        second += one + 3.0 * two + 5.0 * three + 7.0 * four
    return C, 2.0 * first, 2.0 * second


@shared_borrowing
def minimise(noise: Noise, a: int, l: float) -> None:
    """Compute the parabola of sum ``a`` that begins at ``l``.

    With C(s) = - sum of ln(1 - b_i^2 s^2), the least value of (l + C)/s is at the root s of
    s C' - C = l. The left side is convex and increasing, so steps of Newton's method end above the
    root. There the steps are short, since the left side has a pole. Each step is therefore
    lengthened to Newton's step for the reciprocals of both sides, but at most doubled.

    The search starts from an upper bound on the root: s C' - C is at least
    s^2 sum of b_i^2 + 3/2 s^4 sum of b_i^4, and with the largest b alone the root would satisfy
    b^2 s^2 <= l/(1 + l). At the end, a parabola in u = 1/s corrects for the remaining distance to
    the root. The quantile q(l) is the least value of (l + C)/s. The first derivative of q in l is u
    at the root s, and the second derivative is -1/(s^3 C'').
    """
    largest = 0.0
    for i in range(noise.parts[a]):
        largest = max(largest, noise.scale[a, i])
    noise.start[a] = l
    if largest == 0.0:
        noise.parabola[a, 0] = noise.parabola[a, 1] = noise.parabola[a, 2] = 0.0
        return
    squares = fourths = edge = 0.0
    for i in range(noise.parts[a]):
        b = noise.scale[a, i] / largest
        whole = 2.0 - 1.0 / (1 << noise.height[a, i])
        squares += noise.number[a, i] * b**2 / whole
        fourths += noise.number[a, i] * (b / whole) ** 4
        edge = max(edge, b / whole)
    root = 2.0 * l / (squares + math.sqrt(squares**2 + 6.0 * fourths * l))
    s = min(math.sqrt(root), math.sqrt(l / (1.0 + l)) / edge)  # in units of 1/largest
    most = s
    C = second = 0.0
    excess = math.inf
    while abs(excess) > PRECISION * l:
        C = first = second = 0.0
        for i in range(noise.parts[a]):
            own = cumulant(s * noise.scale[a, i] / largest, int(noise.height[a, i]))
            C += noise.number[a, i] * own[0]
            first += noise.number[a, i] * own[1]
            second += noise.number[a, i] * own[2]
        excess = first - C - l
        if abs(excess) > PRECISION * l:
            further = min(max((first - C) / l, 1.0), 2.0)
            s = min(s * (1.0 - further * excess / second), most)
    curved = 0.5 * largest / (s * second)
    noise.parabola[a, 0] = largest * (l + C) / s - curved * excess**2
    noise.parabola[a, 1] = largest / s + 2.0 * curved * excess
    noise.parabola[a, 2] = -curved
