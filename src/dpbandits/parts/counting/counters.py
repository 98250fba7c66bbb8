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
KINDS = 64 << LOW  # more than there are kinds
DEEP = 60  # a height above all


class Counters(NamedTuple):
    """Counters of K arms.

    Attributes:
        tree: BINARY, HONAKER or KARY.
        bonus: LITERAL or CALIBRATED.
        scales: scales of the noise of the nodes.
        binary: used by binary trees.
        honaker: used by Honaker's trees.
        kary: used by k-ary trees.
        noise: what the noise of each arm's sum is made of, for calibrated bonuses.
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
    """Counters of ``K`` arms over at most ``T`` items each, each counter eps-DP for items of
    sensitivity ``factor n^power``.
    """
    levels = kary_levels(T, BRANCHES) if tree == KARY else tree_levels(T)
    scales = NodeScales(levels, factor, power, eps)
    noise = new_noise(K, max(tree_levels(T), BRANCHES // 2 * kary_levels(T, BRANCHES)))
    binary, honaker = new_trees(K, T), new_honaker_trees(K, T)
    return Counters(tree, bonus, scales, binary, honaker, new_kary_trees(K, T, BRANCHES), noise)


@inlined
def counter_noise(counters: Counters, rng: np.random.Generator, a: int, n: int) -> float:
    """Noise in the released sum of the first ``n`` items of arm ``a``; item n is the new one."""
    drawn = noise_undescribed(counters, rng, a, n)
    if counters.bonus == CALIBRATED:
        describe(counters, a, n)
    return drawn


@inlined
def noise_undescribed(counters: Counters, rng: np.random.Generator, a: int, n: int) -> float:
    """``counter_noise``, of which ``describe`` has to be told before a calibrated bonus is asked
    for.
    """
    if counters.tree == HONAKER:
        return honaker_noise(counters.honaker, rng, a, n, counters.scales)
    if counters.tree == KARY:
        return kary_noise(counters.kary, rng, a, n, counters.scales)
    own = laplace(rng, node_scale(counters.scales, float(n)))
    return tree_noise(counters.binary, a, n, own)


@shared_borrowing
def describe(counters: Counters, a: int, n: int) -> None:
    """Note what the noise in the sum of the first ``n`` items of arm ``a`` is made of.

    In Honaker's tree a node's noise is the noise of its subtree. All this noise has the scale of
    the node's last item, which equals the node's own scale if all items have the same sensitivity,
    and exceeds or equals it otherwise.
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
    """The bonus for the noise in the sum of arm ``a``: the literal one, or if it is calibrated the
    Chernoff quantile at 1 - t^-4 / 2 of the noise that is in it.
    """
    if counters.bonus == LITERAL:
        return literal
    return noise_quantile(counters.noise, a, 4.0 * log_t + math.log(2.0))


@inlined
def kind_of_noise(counters: Counters, a: int, n: int) -> int:
    """The kind of the noise in the sum of the first ``n`` items of arm ``a``, if all items have the
    same sensitivity: sums of one kind have the same noise or, in Honaker's trees, nearly the same.
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
    """The number of set bits of ``n`` >= 0, added in pairs, fours and bytes."""
    n -= (n >> 1) & 0x5555555555555555
    n = (n & 0x3333333333333333) + ((n >> 2) & 0x3333333333333333)
    n = (n + (n >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((n * 0x0101010101010101) >> 56) & 0xFF


@shared_borrowing
def least_quantile(counters: Counters, least: Noise, a: int, n: int, l: float) -> float:
    """At most the quantiles at 1 - e^-l and later of all noise of the kind of the first ``n`` items
    of the described arm ``a``. A node's cumulants decrease with its height: a higher one has as
    much noise in each level but less weight, and its further leaves hold less than is saved.
    ``least`` has room for one sum.
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
