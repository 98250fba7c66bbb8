"""Private prefix sums from k-ary trees, whose nodes are added and subtracted.

The number n of items in a prefix is written in an odd base k with balanced digits:
n = sum of d_l k^l with |d_l| <= (k - 1)/2. Let d = d_l, and let p be the value of the digits above
l. If d > 0, the d nodes [p + j k^l, p + (j + 1) k^l), j < d, are added. If d < 0, the |d| nodes
[p - (j + 1) k^l, p - j k^l), j < |d|, are subtracted. With these signs the nodes add up to the
prefix. So only the noise of the nodes is drawn, and this noise is added to the true sum of the
prefix; a node may also contain future items.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared
from ..noise.mechanisms import laplace
from .chernoff import Noise, add_noise
from .node_scales import NodeScales, node_scale

BRANCHES = 19  # k


class KaryTrees(NamedTuple):
    """Trees of K streams of h levels, O(k h) numbers each.

    Attributes:
        digits: int64 array (K, h), the balanced digits of the number of items.
        left: float64 array (K, h, (k + 1)/2); entry (a, l, j) is the total noise of the j nodes of
            level l directly to the left of p, the value of the digits above l.
        prefix: float64 array (K, h + 1); entry (a, l) is the noise that the digits l, l + 1, ...
            contribute.
    """

    digits: np.ndarray
    left: np.ndarray
    prefix: np.ndarray


@inlined
def kary_levels(T: int, k: int) -> int:
    """Return the number of levels of a tree over ``T`` items: the least h with (k^h - 1)/2 >= T."""
    levels, largest = 0, 0
    while largest < T:
        levels, largest = levels + 1, k * largest + k // 2
    return levels


@shared
def new_kary_trees(K: int, T: int, k: int) -> KaryTrees:
    """Return ``K`` empty trees over at most ``T`` items each."""
    h = kary_levels(T, k)
    left = np.zeros((K, h, k // 2 + 1))
    return KaryTrees(np.zeros((K, h), np.int64), left, np.zeros((K, h + 1)))


@inlined
def kary_noise(
    trees: KaryTrees, rng: np.random.Generator, a: int, n: int, scales: NodeScales
) -> float:
    """Return the noise in the released sum of the first ``n`` items of tree ``a``.

    From n - 1 to n one digit grows by 1, and the digits below it change from (k - 1)/2 to
    -(k - 1)/2. The digit that grows needs one new node to the right of its p if it becomes
    positive. Each digit below needs (k - 1)/2 new nodes to the left of its new p. An item needs one
    draw on average.
    """
    half = trees.left.shape[2] - 1
    l, size = 0, 1  # k^l
    while trees.digits[a, l] == half:
        trees.digits[a, l] = -half
        for j in range(half):
            end = n + (size * (2 * half + 1) - 1) // 2 - j * size  # p - j k^l
            drawn = laplace(rng, node_scale(scales, float(end)))
            trees.left[a, l, j + 1] = trees.left[a, l, j] + drawn
        l, size = l + 1, size * (2 * half + 1)
    trees.digits[a, l] += 1
    d = trees.digits[a, l]
    if d > 0:
        trees.prefix[a, l] += laplace(rng, node_scale(scales, float(n + (size - 1) // 2)))
    else:
        trees.prefix[a, l] = trees.prefix[a, l + 1] - trees.left[a, l, -d]
    for i in range(l - 1, -1, -1):
        trees.prefix[a, i] = trees.prefix[a, i + 1] - trees.left[a, i, half]
    return trees.prefix[a, 0]


@inlined
def kary_parts(noise: Noise, a: int, trees: KaryTrees, scales: NodeScales) -> None:
    """Add the parts of the noise in the present prefix sum of tree ``a`` to ``noise``."""
    h = trees.digits.shape[1]
    size, p = 1, 0
    for _ in range(h - 1):
        size *= 2 * trees.left.shape[2] - 1
    for i in range(h):
        d = trees.digits[a, h - 1 - i]
        for j in range(abs(d)):
            end = p + (j + 1) * size if d > 0 else p - j * size
            add_noise(noise, a, node_scale(scales, float(end)), 0)
        p += d * size
        size //= 2 * trees.left.shape[2] - 1
