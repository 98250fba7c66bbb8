"""Integer noise and modular sums, for a server that can only sum messages (Chowdhury & Zhou 2023).

The total noise of all users is drawn at once, from its exact law. Totals are integers stored as
floats, which are exact below 2^53.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled import binomial, exponential, gamma, inlined, normal, poisson, shared_borrowing

LARGE = 2.0**61  # bound on sums of encoded rewards, and on the noise that is added to them
EXACT = 2.0**52  # up to here a float and its half are exact
POISSON = 2.0**26  # largest mean for which NumPy's Poisson numbers are used


@inlined
def granularity(l: int, eps: float, s: float) -> int:
    """Compute the number of steps per unit of reward, G = ceil(s eps sqrt(l)).

    G is at most 2^61/l, so that the sum of ``l`` encoded rewards fits into 64 bits. G is also at
    most 2^52, so that multiplying a reward by G is exact.
    """
    return int(max(1.0, np.floor(min(np.ceil(s * eps * math.sqrt(l)), LARGE / l, EXACT))))


@inlined
def discrete_laplace(rng: np.random.Generator, scale: float) -> float:
    """Draw discrete Laplace noise, with P(k) proportional to e^(-|k|/scale).

    The noise is the difference of two geometric variables, which are exponential variables rounded
    down.
    """
    return np.floor(scale * exponential(rng)) - np.floor(scale * exponential(rng))


@shared_borrowing
def large_poisson(rng: np.random.Generator, mean: float) -> int:
    """Draw a Poisson variable of any mean below 2^62.

    The time of the m-th arrival of a Poisson process of rate 1 is a gamma variable. If this time is
    above ``mean``, the m - 1 earlier arrivals are uniform before this time, and the number of
    arrivals up to ``mean`` is binomial. Otherwise, the method continues with the remaining time
    (Ahrens & Dieter 1974). (NumPy's own Poisson numbers of large means are rounded.)
    """
    before = 0
    while mean > POISSON:
        m = int(0.875 * mean)
        arrival = gamma(rng, float(m))
        if arrival > mean:
            return before + binomial(rng, m - 1, mean / arrival)
        before += m
        mean -= arrival
    return before + poisson(rng, mean)


@inlined
def skellam(rng: np.random.Generator, variance: float) -> float:
    """Draw Skellam noise, the difference of two Poisson variables.

    For a variance above 2^61, the Poisson variables do not fit into 64 bits, and the noise is a
    rounded Gaussian variable.
    """
    if variance > LARGE:
        return np.round(math.sqrt(variance) * normal(rng))
    return float(large_poisson(rng, 0.5 * variance) - large_poisson(rng, 0.5 * variance))


@inlined
def most_noise(scale: float, l: float) -> int:
    """Compute tau = ceil(scale l), at most 2^60; the noise exceeds tau with probability e^-l."""
    return int(min(np.ceil(scale * l), 0.5 * LARGE))


@inlined
def modular_sum(total: int, noise: float, largest: int, tau: int) -> int:
    """Return the number that a server decodes from ``total`` plus ``noise``.

    ``total`` is in [0, largest], and the sum is known modulo largest + 2 tau + 1. If the absolute
    value of the noise is at most tau, the result is total + noise.
    """
    m = largest + 2 * tau + 1
    y = (total + (int(noise) if abs(noise) < LARGE else int(np.fmod(noise, float(m))))) % m
    return y if y <= largest + tau else y - m
