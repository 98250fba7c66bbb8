"""Gaussian noise for vectors.

A vector of Euclidean sensitivity D, plus independent Gaussian noise of standard deviation
D / sqrt(2 rho) in each coordinate, is rho-zCDP (Bun & Steinke 2016, Proposition 1.6, along the
direction of the change).
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
    """Add the sums ``b`` to the sums ``S`` with Gaussian noise in every coordinate, and begin new
    ones. The content of ``b`` enters one noisy vector.
    """
    for i in range(len(b)):
        S[i] = S[i] + (b[i] + gaussian(rng, deviation))
        b[i] = 0.0


@inlined
def chi_square_tail(d: float, x: float) -> float:
    """What the squared length of d standard normal numbers exceeds with a probability of at most x:
    d + 2 sqrt(d ln(1/x)) + 2 ln(1/x) (Laurent & Massart 2000, Lemma 1).
    """
    l = math.log(1.0 / x)
    return d + 2.0 * math.sqrt(d * l) + 2.0 * l
