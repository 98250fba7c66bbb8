"""The tree mechanism: private prefix sums of a stream (Chan, Shi & Song 2011)."""

from __future__ import annotations

import numpy as np

from ...compiled import inlined, shared
from ..noise.mechanisms import laplace_scale


@inlined
def tree_levels(T: int) -> int:
    """Return the number of levels of a tree over ``T`` items, floor(log2 T) + 1.

    Each item is in at most one node of each level.
    """
    levels = 0
    while T > 0:
        T >>= 1
        levels += 1
    return levels


@shared
def new_trees(K: int, T: int) -> np.ndarray:
    """Return ``K`` empty trees over at most ``T`` items each, float64 array (K, levels).

    Entry (a, j) is for the tree of arm a. The entry stores the noise of the sum of all items up to
    the last item of the latest complete node of level j.
    """
    return np.zeros((K, tree_levels(T)))


@inlined
def tree_noise(trees: np.ndarray, a: int, n: int, noise: float) -> float:
    """Return the noise in the released sum of ``n`` items of tree ``a`` (Chan et al. 2011).

    Item ``n`` closes the node at the lowest set bit of ``n``, and ``noise`` is the noise of this
    node. The prefix sum of ``n`` items consists of one node for each set bit. The nodes of all bits
    but the lowest form an earlier prefix, whose noise is stored, so a release takes O(1).

    All prefix sums together are eps-DP if each node's noise is Lap(levels sensitivity / eps).
    """
    higher = n & (n - 1)
    if higher:
        noise += trees[a, lowest_bit(higher)]
    trees[a, lowest_bit(n)] = noise
    return noise


# 2 has order 66 modulo 67, so the remainder of a power of two determines its exponent.
_EXPONENT = np.zeros(67, np.int64)
for _j in range(63):
    _EXPONENT[2**_j % 67] = _j


@inlined
def lowest_bit(n: int) -> int:
    """Return the position of the lowest set bit of ``n`` >= 1, counted from 0."""
    return _EXPONENT[(n & -n) % 67]


@inlined
def tree_node_scale(levels: int, sensitivity: float, eps: float) -> float:
    """Compute the scale of each node's Laplace noise for which one tree is eps-DP."""
    return laplace_scale(levels * sensitivity, eps)
