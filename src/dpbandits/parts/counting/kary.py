"""Private prefix sums from k-ary trees, whose nodes are added and subtracted.

A prefix of n items is written in balanced digits of base k, odd: n = sum of d_l k^l with
|d_l| <= (k - 1)/2. From the top, p being the sum of the higher digits, digit d > 0 adds the nodes
[p + j k^l, p + (j + 1) k^l), j < d, and digit d < 0 subtracts the nodes
[p - (j + 1) k^l, p - j k^l), j < |d|. The nodes with their signs add up to the prefix, so its true
sum is exact, and a node that reaches into the future costs nothing.
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
        left: float64 array (K, h, (k + 1)/2), entry (a, l, j) is the noise of the j nodes of level
            l that end where the higher digits end, the nearest first.
        prefix: float64 array (K, h + 1), entry (a, l) is the noise that the digits l, l + 1, ...
            contribute.
    """

    digits: np.ndarray
    left: np.ndarray
    prefix: np.ndarray


@inlined
def kary_levels(T: int, k: int) -> int:
    """Levels of a tree over ``T`` items: the least h with (k^h - 1)/2 >= T."""
    levels, largest = 0, 0
    while largest < T:
        levels, largest = levels + 1, k * largest + k // 2
    return levels


@shared
def new_kary_trees(K: int, T: int, k: int) -> KaryTrees:
    """``K`` empty trees over at most ``T`` items each."""
    h = kary_levels(T, k)
    left = np.zeros((K, h, k // 2 + 1))
    return KaryTrees(np.zeros((K, h), np.int64), left, np.zeros((K, h + 1)))


@inlined
def kary_noise(
    trees: KaryTrees, rng: np.random.Generator, a: int, n: int, scales: NodeScales
) -> float:
    """Noise in the released sum of the first ``n`` items of tree ``a``.

    The digits count up: one grows by 1, and those below it, all (k - 1)/2, become -(k - 1)/2. That
    takes a node to the right of its p, or (k - 1)/2 nodes to the left of each new p; one draw an
    item on average.
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
    """What the noise of the items so far of tree ``a`` is made of."""
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
