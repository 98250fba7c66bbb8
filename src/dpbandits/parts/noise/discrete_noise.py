"""Integer noise and modular sums, for a server that only sums (Chowdhury & Zhou 2023).

Noise is drawn as the total of all users, from its exact law. Totals are floats that hold integers;
they are exact below 2^53.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled import binomial, exponential, gamma, inlined, normal, poisson, shared_borrowing

LARGE = 2.0**61  # of sums of encoded rewards, and of what noise may add to them
EXACT = 2.0**52  # up to here a float and its half are exact
POISSON = 2.0**26  # largest mean for which NumPy's Poisson numbers are taken


@inlined
def granularity(l: int, eps: float, s: float) -> int:
    """G = ceil(s eps sqrt(l)), at most 2^61/l so that the sum of ``l`` encoded rewards fits into 64
    bits, and at most 2^52 so that multiplying a reward by it is exact.
    """
    return int(max(1.0, np.floor(min(np.ceil(s * eps * math.sqrt(l)), LARGE / l, EXACT))))


@inlined
def discrete_laplace(rng: np.random.Generator, scale: float) -> float:
    """Discrete Laplace noise, P(k) proportional to e^(-|k|/scale), as the difference of two
    geometric variables, which are exponential ones rounded down.
    """
    return np.floor(scale * exponential(rng)) - np.floor(scale * exponential(rng))


@shared_borrowing
def large_poisson(rng: np.random.Generator, mean: float) -> int:
    """A Poisson variable of any mean below 2^62.

    The m-th arrival of a process of rate 1 is a gamma variable. If it is later than ``mean``, the
    m - 1 arrivals before it are uniform, and those up to ``mean`` binomial; else a process over
    the rest of the time follows (Ahrens & Dieter 1974). NumPy's numbers of large means are
    rounded.
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
    """Skellam noise, the difference of two Poisson variables; beyond variances of 2^61, where they
    do not fit into 64 bits, a rounded Gaussian variable.
    """
    if variance > LARGE:
        return np.round(math.sqrt(variance) * normal(rng))
    return float(large_poisson(rng, 0.5 * variance) - large_poisson(rng, 0.5 * variance))


@inlined
def most_noise(scale: float, l: float) -> int:
    """Tau = ceil(scale l), what noise exceeds with probability e^-l; at most 2^60."""
    return int(min(np.ceil(scale * l), 0.5 * LARGE))


@inlined
def modular_sum(total: int, noise: float, largest: int, tau: int) -> int:
    """What a server learns of ``total``, in [0, largest], plus ``noise``, which is summed modulo
    largest + 2 tau + 1: the number itself if the noise is at most tau in absolute value.
    """
    m = largest + 2 * tau + 1
    y = (total + (int(noise) if abs(noise) < LARGE else int(np.fmod(noise, float(m))))) % m
    return y if y <= largest + tau else y - m
