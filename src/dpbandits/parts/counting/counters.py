"""Counters: private prefix sums of each arm's rewards, by one of three trees, and their bonus."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared, shared_borrowing
from ..noise.mechanisms import laplace
from .chernoff import Noise, add_noise, clear_noise, new_noise, noise_quantile
from .honaker import HonakerTrees, honaker_noise, new_honaker_trees
from .kary import BRANCHES, KaryTrees, kary_levels, kary_noise, kary_parts, new_kary_trees
from .node_scales import NodeScales, node_scale
from .trees import new_trees, tree_levels, tree_noise

BINARY, HONAKER, KARY = 0, 1, 2
LITERAL, CALIBRATED = 0, 1
LOW = 5  # heights of Honaker's nodes that ``kind_of_noise`` tells apart
KINDS = 64 << LOW  # above all results of ``kind_of_noise``
DEEP = 60  # a height above the heights of all nodes


class Counters(NamedTuple):
    """Counters of K arms.

    Attributes:
        tree: BINARY, HONAKER or KARY.
        bonus: LITERAL or CALIBRATED.
        scales: scales of the noise of the nodes.
        binary: the state of binary trees.
        honaker: the state of Honaker's trees.
        kary: the state of k-ary trees.
        noise: the parts of the noise of each arm's sum, for calibrated bonuses.
    """

    tree: int
    bonus: int
    scales: NodeScales
    binary: np.ndarray
    honaker: HonakerTrees
    kary: KaryTrees
    noise: Noise


@shared
def new_counters(
    K: int, T: int, tree: int, bonus: int, factor: float, power: float, eps: float
) -> Counters:
    """Return empty counters of ``K`` arms over at most ``T`` items each.

    Each counter is eps-DP if item n has the sensitivity ``factor n^power``.
    """
    levels = kary_levels(T, BRANCHES) if tree == KARY else tree_levels(T)
    scales = NodeScales(levels, factor, power, eps)
    noise = new_noise(K, max(tree_levels(T), BRANCHES // 2 * kary_levels(T, BRANCHES)))
    binary, honaker = new_trees(K, T), new_honaker_trees(K, T)
    return Counters(tree, bonus, scales, binary, honaker, new_kary_trees(K, T, BRANCHES), noise)


@inlined
def counter_noise(counters: Counters, rng: np.random.Generator, a: int, n: int) -> float:
    """Return the noise in the released sum of the first ``n`` items of arm ``a``.

    Item ``n`` is the new item.
    """
    drawn = noise_undescribed(counters, rng, a, n)
    if counters.bonus == CALIBRATED:
        describe(counters, a, n)
    return drawn


@inlined
def noise_undescribed(counters: Counters, rng: np.random.Generator, a: int, n: int) -> float:
    """Return the noise as ``counter_noise`` does, without a record of its parts.

    ``describe`` must be called before a calibrated bonus for this sum is computed.
    """
    if counters.tree == HONAKER:
        return honaker_noise(counters.honaker, rng, a, n, counters.scales)
    if counters.tree == KARY:
        return kary_noise(counters.kary, rng, a, n, counters.scales)
    own = laplace(rng, node_scale(counters.scales, float(n)))
    return tree_noise(counters.binary, a, n, own)


@shared_borrowing
def describe(counters: Counters, a: int, n: int) -> None:
    """Record the parts of the noise in the sum of the first ``n`` items of arm ``a``.

    The value of a node in Honaker's tree contains the noise of all nodes of its subtree. The scale
    of the noise may grow from item to item. For all nodes of a subtree, the record contains the
    scale of the last item of the subtree. This scale is exact if all items have the same
    sensitivity; otherwise it is at least the true scale of each node.
    """
    clear_noise(counters.noise, a)
    if counters.tree == KARY:
        kary_parts(counters.noise, a, counters.kary, counters.scales)
    else:
        end = 0
        for h in range(tree_levels(n) - 1, -1, -1):
            if n >> h & 1:
                end += 1 << h
                scale = node_scale(counters.scales, float(end))
                add_noise(counters.noise, a, scale, h if counters.tree == HONAKER else 0)


@inlined
def noise_bonus(counters: Counters, a: int, log_t: float, literal: float) -> float:
    """Return the bonus for the noise in the sum of arm ``a``.

    If the bonus is literal, the result is ``literal``. A calibrated bonus is the Chernoff quantile,
    at 1 - t^-4 / 2, of the noise that the sum contains.
    """
    if counters.bonus == LITERAL:
        return literal
    return noise_quantile(counters.noise, a, 4.0 * log_t + math.log(2.0))


@inlined
def kind_of_noise(counters: Counters, a: int, n: int) -> int:
    """Return the kind of the noise in the sum of the first ``n`` items of arm ``a``.

    If all items have the same sensitivity, the noise of two sums of the same kind has the same law.
    For Honaker's trees, the laws of two such sums are only nearly the same.
    """
    if counters.tree == KARY:
        nodes = 0
        for d in counters.kary.digits[a]:
            nodes += abs(d)
        return nodes
    if counters.tree == HONAKER:
        return (n & ((1 << LOW) - 1)) + (bits(n >> LOW) << LOW)
    return bits(n)


@inlined
def bits(n: int) -> int:
    """Count the set bits of ``n`` >= 0, by adding them in pairs, fours and bytes."""
    n -= (n >> 1) & 0x5555555555555555
    n = (n & 0x3333333333333333) + ((n >> 2) & 0x3333333333333333)
    n = (n + (n >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((n * 0x0101010101010101) >> 56) & 0xFF


@shared_borrowing
def least_quantile(counters: Counters, least: Noise, a: int, n: int, l: float) -> float:
    """Return a lower bound on quantiles of the noise of one kind.

    The kind is ``kind_of_noise`` of the first ``n`` items of arm ``a``, whose noise ``describe``
    has recorded. The bound holds for the quantile at 1 - e^-l and at all higher levels. For
    Honaker's trees, the bound replaces the high nodes by nodes of height DEEP, since the cumulants
    of a node decrease with its height. In a higher node, the noise of each level has less weight.
    The additional level of leaves adds less noise than the smaller weights remove. ``least`` is
    work space for one sum.
    """
    if counters.tree != HONAKER:
        return noise_quantile(counters.noise, a, l)
    scale = node_scale(counters.scales, float(n))
    clear_noise(least, 0)
    for h in range(LOW):
        if n >> h & 1:
            add_noise(least, 0, scale, h)
    for _ in range(bits(n >> LOW)):
        add_noise(least, 0, scale, DEEP)
    return noise_quantile(least, 0, l)
