"""Curators: what a user sends instead of a reward, with eps-local DP (Ren et al. 2020).

The sigmoid variants (CTL-S, CTB-S) are these, given ``sigmoid(reward)``.
"""

from __future__ import annotations

import numpy as np

from .kernel import borrow, verb
from .mechanisms import laplace


@verb
def convert_to_laplace(rng: np.random.Generator, r: float, eps: float) -> float:
    """Curator 1, CTL: the reward in [0, 1] plus ``Lap(1/eps)``. eps-local DP (Lemma 5)."""
    return r + laplace(rng, 1.0 / eps)


@verb
def convert_to_bernoulli(rng: np.random.Generator, r: float, tanh: float) -> float:
    """Curator 3, CTB: a bit that is 1 with probability 1/2 + (r - 1/2) tanh(eps/2).

    Args:
        rng: the user's coins.
        r: reward in [0, 1].
        tanh: tanh(eps/2), which unlike e^eps never overflows.

    Guarantee: eps-local DP, since (r e^eps + 1 - r)/(1 + e^eps) is that probability.
    """
    rng = borrow(rng)
    return 1.0 if rng.random() < 0.5 + (r - 0.5) * tanh else 0.0


@verb
def unbiased(x: float, c: float) -> float:
    """g(x; eps): the bit of CTB rescaled so that its mean is the reward's, c = coth(eps/2)."""
    return 0.5 + (x - 0.5) * c
