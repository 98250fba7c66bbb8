"""The tree mechanism with estimates from below: private prefix sums of less noise (Honaker 2015).

A node's sum has two estimates: its own noisy sum, and the total of the noisy sums of its two
halves. The average of the two estimates, weighted by the inverse of the variances, has less noise
and costs no privacy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared
from ..noise.mechanisms import laplace
from .node_scales import NodeScales, node_scale
from .trees import lowest_bit, new_trees, tree_noise


class HonakerTrees(NamedTuple):
    """Trees of K streams, O(log T) numbers each."""

    # float64 array (K, levels); entry (a, h) is the value of the last node of height h that is the
    # left half of a larger node. The value is the node's noise plus half the values of its halves
    value: np.ndarray
    prefix: np.ndarray  # float64 array (K, levels), the noise of prefixes, as in ``new_trees``


@shared
def new_honaker_trees(K: int, T: int) -> HonakerTrees:
    """Return ``K`` empty trees over at most ``T`` items each."""
    return HonakerTrees(new_trees(K, T), new_trees(K, T))


@inlined
def honaker_noise(
    trees: HonakerTrees, rng: np.random.Generator, a: int, n: int, scales: NodeScales
) -> float:
    """Return the noise in the released sum of the first ``n`` items of tree ``a``.

    Item n closes the nodes of heights 0, 1, ..., h, where h is the position of the lowest set bit
    of n. The node of height h is one of the nodes of which the prefix consists. An item needs two
    draws on average.
    """
    scale, height = node_scale(scales, float(n)), lowest_bit(n)
    value = laplace(rng, scale)
    for h in range(height):
        value = laplace(rng, scale) + (trees.value[a, h] + value) / 2.0
    trees.value[a, height] = value
    return tree_noise(trees.prefix, a, n, value / (2.0 - 2.0**-height))
