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
    if counters.tree == HONAKER:
        drawn = honaker_noise(counters.honaker, rng, a, n, counters.scales)
    elif counters.tree == KARY:
        drawn = kary_noise(counters.kary, rng, a, n, counters.scales)
    else:
        own = laplace(rng, node_scale(counters.scales, float(n)))
        drawn = tree_noise(counters.binary, a, n, own)
    if counters.bonus == CALIBRATED:
        describe(counters, a, n)
    return drawn


@shared_borrowing
def describe(counters: Counters, a: int, n: int) -> None:
    """Note what the noise in the sum of the first ``n`` items of arm ``a`` is made of.

    In Honaker's tree a node's noise is that of its subtree. All of it is taken at the scale of the
    node's last item: its own scale if all items have the same sensitivity, at least that otherwise.
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
