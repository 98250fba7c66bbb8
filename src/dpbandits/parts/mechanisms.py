"""Privacy mechanisms: the noise that hides one reward.

This is noise for simulation: floating-point Laplace noise is not safe for production data.
"""

from __future__ import annotations

import numpy as np

from ..compiled.decorators import verb
from ..compiled.intrinsics import borrow


@verb
def laplace(rng: np.random.Generator, scale: float) -> float:
    """Laplace noise of mean 0, as the difference of two exponentials.

    Adding ``laplace(rng, sensitivity / eps)`` to a statistic releases it with eps-DP (Dwork et
    al. 2006); scale 0 (eps infinite) adds nothing.
    """
    rng = borrow(rng)
    return scale * (rng.standard_exponential() - rng.standard_exponential())


@verb
def laplace_scale(sensitivity: float, eps: float) -> float:
    """Scale of the noise that hides ``sensitivity``; 0 if eps is infinite, whatever that is."""
    return sensitivity / eps if eps < np.inf else 0.0


@verb
def laplace_mean(rng: np.random.Generator, total: float, n: float, eps: float) -> float:
    """The mean of ``n`` rewards in [0, 1], given their sum. eps-DP: one reward moves it by 1/n."""
    return total / n + laplace(rng, 1.0 / (eps * n))


@verb
def laplace_sum(rng: np.random.Generator, n: float, scale: float) -> float:
    """The sum of ``n`` independent Laplace variables, exactly, in two draws.

    A Laplace variable is the difference of two exponentials, and n exponentials sum to a gamma
    variable of shape n.
    """
    rng = borrow(rng)
    return scale * (rng.standard_gamma(n) - rng.standard_gamma(n))


@verb
def tree_levels(T: int) -> int:
    """Levels of a tree over ``T`` items, floor(log2 T) + 1: the nodes that an item enters."""
    levels = 0
    while T > 0:
        T >>= 1
        levels += 1
    return levels


@verb
def new_trees(K: int, T: int) -> np.ndarray:
    """``K`` empty trees over at most ``T`` items each, float64 array (K, levels).

    Entry (a, j) will hold the noise of the prefix that ended when a node of level j last closed.
    """
    return np.zeros((K, tree_levels(T)))


@verb
def tree_noise(trees: np.ndarray, a: int, n: int, noise: float) -> float:
    """Noise in the released sum of the first ``n`` items of tree ``a`` (Chan et al. 2011).

    Item ``n`` closes the node at ``n``'s lowest set bit, which receives ``noise``; the prefix
    sum of ``n`` adds the nodes of ``n``'s binary digits. The digits above the lowest are the
    prefix that the next higher digit closed, so a release costs O(1).

    With a node noise of ``Lap(levels * sensitivity / eps)`` all prefix sums together are eps-DP.
    """
    trees = borrow(trees)
    higher = n & (n - 1)
    if higher:
        noise += trees[a, lowest_bit(higher)]
    trees[a, lowest_bit(n)] = noise
    return noise


# 2 has order 66 modulo 67, so the remainder of a power of two tells its exponent.
_EXPONENT = np.zeros(67, np.int64)
for _j in range(63):
    _EXPONENT[2**_j % 67] = _j


@verb
def lowest_bit(n: int) -> int:
    """Position of the lowest set bit of ``n`` >= 1."""
    return _EXPONENT[(n & -n) % 67]


@verb
def tree_node_scale(levels: int, sensitivity: float, eps: float) -> float:
    """Scale of each node's Laplace noise, so that one whole tree spends eps."""
    return laplace_scale(levels * sensitivity, eps)
