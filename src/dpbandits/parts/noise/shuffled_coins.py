"""Fair coins that a shuffler mixes with users' bits: their exact (eps, delta) and their number.

Bits in random order tell a server only their count: S + Bin(N, 1/2), where S is the sum of the
users' bits and N is the number of coins. Changing one user's bit changes S by 1. With
P = Bin(N, 1/2), P(x)/P(x - 1) = (N - x + 1)/x, so the smallest delta is the sum of
P(x) - e^eps P(x - 1) over all x below (N + 1)/(1 + e^eps). By symmetry this delta is the same in
both directions. Adding a coin is post-processing, so delta decreases with N.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled import binomial, inlined, shared

MOST_COINS = 2.0**30  # the largest number of coins that the search tries
SMALL = 15.0  # for smaller n, Stirling's remainder is computed from the gamma function
HALVINGS = 200  # how often the interval that contains eps is halved


@inlined
def stirling_rest(n: float) -> float:
    """Compute ln n! minus Stirling's approximation n ln n - n + ln(2 pi n)/2, for n >= 1."""
    if n < SMALL:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2.0 * math.pi)
    return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * n * n)) / n**2) / n**2) / n


@inlined
def chance_of_heads(N: float, x: float) -> float:
    """Compute P(Bin(N, 1/2) = x) by Loader's (2000) method, which subtracts no large numbers."""
    if x <= 0.0 or x >= N:
        return 0.5**N
    y = (2.0 * x - N) / N
    exponent = 0.5 * N * (math.log1p(-y * y) + 2.0 * y * math.atanh(y))
    exponent += stirling_rest(x) + stirling_rest(N - x) - stirling_rest(N)
    return math.exp(-exponent) * math.sqrt(N / (2.0 * math.pi * x * (N - x)))


@shared
def delta_of_coins(N: float, eps: float) -> float:
    """Compute the smallest delta for which a count with N fair coins is (eps, delta)-DP; 0 if N is
    infinite, since then nothing is released.
    """
    if math.isinf(N):
        return 0.0
    x = float(math.floor((N + 1.0) * math.exp(-eps) / (1.0 + math.exp(-eps))))
    if x == 0.0:
        return 0.5**N
    P, total, last = chance_of_heads(N, x), 0.0, math.inf
    while x >= 0.0 and last > 1e-18 * total:
        below = x / (N - x + 1.0)  # P(x - 1)/P(x)
        last = P * max(1.0 - math.exp(eps) * below, 0.0) if x > 0.0 else P
        total += last
        last = P if last == 0.0 else last  # at the largest x the difference may be 0
        P, x = P * below, x - 1.0
    return total


@shared
def least_bits(eps: float, delta: float) -> float:
    """Compute the smallest number of coins that gives (eps, delta)-DP.

    The result is 0 for an infinite eps, and infinity if the search exceeds MOST_COINS.
    """
    if eps == math.inf:
        return 0.0
    low, high = 0.0, 1.0  # delta is 1 without coins
    while delta_of_coins(high, eps) > delta:
        low, high = high, 2.0 * high
        if high > MOST_COINS:
            return math.inf
    while high - low > 1.0:
        N = math.floor((low + high) / 2.0)
        low, high = (N, high) if delta_of_coins(N, eps) > delta else (low, N)
    return high


def eps_of_coins(N: float, delta: float) -> float:
    """Compute the least eps for which N coins give (eps, delta)-DP; infinity if no eps suffices."""
    low, high = 0.0, 1.0
    if delta < 0.5**N:
        return math.inf
    if delta_of_coins(N, 0.0) <= delta:
        return 0.0
    while delta_of_coins(N, high) > delta:
        low, high = high, 2.0 * high
    for _ in range(HALVINGS):
        eps = (low + high) / 2.0
        low, high = (eps, high) if delta_of_coins(N, eps) > delta else (low, eps)
    return high


@inlined
def heads(rng: np.random.Generator, N: float) -> int:
    """Draw the number of heads of N fair coins."""
    return binomial(rng, int(N), 0.5)
