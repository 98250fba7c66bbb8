"""Chernoff quantiles of sums of Laplace noise.

For a sum of independent Laplace variables of scales b_i, all s < 1/max b_i and l > 0,
P(sum > (l - sum of ln(1 - b_i^2 s^2))/s) <= e^-l. The quantile is the least of these bounds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared, shared_borrowing

NEAR = 4  # levels of a subtree whose logarithms are not replaced by four terms of their series
PRECISION = 1e-5  # of the equation that the best s solves; that of the quantile is its cube
STEP = 1e-4  # relative step in l within which a parabola is exact to about 1e-13


class Noise(NamedTuple):
    """What the noise of K released sums is made of, and its quantiles.

    A part of height 0 is one Laplace variable; one of height h is a weighted sum of 2^(h+1) - 1 of
    them, for j <= h 2^j with the weight 2^-j / (2 - 2^-h): the value of a node of Honaker's tree.
    """

    parts: np.ndarray  # int64 array (K,), how many kinds of parts there are
    number: np.ndarray  # float64 array (K, M), number of parts of a kind
    scale: np.ndarray  # float64 array (K, M), their scale
    height: np.ndarray  # int64 array (K, M), their height
    start: np.ndarray  # float64 array (K,), the l at which the parabola begins; 0 if there is none
    parabola: np.ndarray  # float64 array (K, 3), its coefficients in l - start


@shared
def new_noise(K: int, M: int) -> Noise:
    """No noise in ``K`` sums, and room for ``M`` kinds of parts in each."""
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
    """The Chernoff quantile at 1 - e^-l of the noise of sum ``a``; l > 0 must not decrease."""
    if l - noise.start[a] > STEP * noise.start[a]:
        minimise(noise, a, l)
    y = l - noise.start[a]
    return noise.parabola[a, 0] + y * (noise.parabola[a, 1] + y * noise.parabola[a, 2])


@inlined
def cumulant(s: float, height: int) -> tuple[float, float, float]:
    """C, s C' and s^2 C'' for a part of scale 1, C(s) = - sum of 2^j ln(1 - x_j) over j <= height
    with x_j = (s 2^-j / (2 - 2^-height))^2.
    """
    leaf = 1.0 / (1 << height)
    top = (s / (2.0 - leaf)) ** 2
    first = second = 0.0
    last = height if height < NEAR else NEAR
    most = float(1 << last)  # 2^j of level last
    edge = top / (most * most)  # x_j of level last
    product, x, m = 1.0, edge, most
    for _ in range(last + 1):  # from the leaves: one logarithm for all of them
        r = 1.0 / (1.0 - x)
        product = product * product * (1.0 - x)
        first += m * x * r
        second += m * x * (1.0 + x) * r * r
        x, m = 4.0 * x, m / 2.0
    C = -math.log(product)
    if height > NEAR:  # the sums of 2^j x_j^k over the rest; that for k = 5 is below 1e-13
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

    With C(s) = - sum of ln(1 - b_i^2 s^2) the least value of (l + C)/s is where s C' - C = l. The
    left side is convex and increasing, so the steps of Newton's method end above the root. From
    there they are short, since the left side has a pole, and are lengthened to those for its
    inverse, at most twice. The start is an upper bound: s C' - C is at least s^2 sum of b_i^2 + 3/2
    s^4 sum of b_i^4, and for the largest b alone the root has b^2 s^2 <= l/(1 + l). The least value
    is that of a function of u = 1/s, whose parabola at the last u gives what is left to it. The
    quantile's derivative in l is the best u, its second one -1/(s^3 C'').
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
