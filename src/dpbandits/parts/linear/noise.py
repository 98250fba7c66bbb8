"""Gaussian noise for vectors.

A vector of Euclidean sensitivity D, plus independent Gaussian noise of standard deviation
D / sqrt(2 rho) in each coordinate, is rho-zCDP (Bun & Steinke 2016, Proposition 1.6, applied along
the direction of the change).
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined
from ..noise.mechanisms import gaussian


@inlined
def add_noise(rng: np.random.Generator, x: np.ndarray, deviation: float) -> None:
    """Add independent Gaussian noise to every coordinate of a vector."""
    for i in range(len(x)):
        x[i] = x[i] + gaussian(rng, deviation)


@inlined
def release_sums(rng: np.random.Generator, b: np.ndarray, S: np.ndarray, deviation: float) -> None:
    """Add ``b``, with Gaussian noise in every coordinate, to ``S``, and set ``b`` to 0.

    So each round that was added to ``b`` enters one noisy vector.
    """
    for i in range(len(b)):
        S[i] = S[i] + (b[i] + gaussian(rng, deviation))
        b[i] = 0.0


@inlined
def chi_square_tail(d: float, x: float) -> float:
    """Compute d + 2 sqrt(d ln(1/x)) + 2 ln(1/x) (Laurent & Massart 2000, Lemma 1).

    The sum of squares of d standard normal numbers exceeds this value with probability at most x.
    """
    l = math.log(1.0 / x)
    return d + 2.0 * math.sqrt(d * l) + 2.0 * l
