"""Hybrid counters: private prefix sums of a stream of unknown length (Chan, Shi & Song 2011).

The counters have the form of Hu & Hegde 2022.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared
from ..noise.mechanisms import laplace, laplace_scale
from .trees import new_trees, tree_levels, tree_node_scale, tree_noise


class Counters(NamedTuple):
    """The counters of all arms, one counter for each arm. The epochs of a counter end after 1, 3,
    7, 15, ... rewards.
    """

    full: np.ndarray  # float64 array (K,), noisy sum of the rewards of all finished epochs, C
    part: np.ndarray  # float64 array (K,), noisy sum of the rewards of the present epoch, B
    size: np.ndarray  # int64 array (K,), number of rewards, O
    end: np.ndarray  # int64 array (K,), number of rewards at which the present epoch ends
    scale: np.ndarray  # float64 array (K,), scale of the noise of each node of the arm's tree
    buffer: np.ndarray  # float64 array (K,), sum of the rewards of the present epoch
    trees: np.ndarray  # one tree for each arm; an epoch needs no node of an earlier epoch


@shared
def new_hybrid_counters(K: int, T: int) -> Counters:
    """Return ``K`` empty counters of at most ``T`` rewards each."""
    size, end = np.zeros(K, np.int64), np.ones(K, np.int64)
    full, part, scale, buffer = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(K)
    return Counters(full, part, size, end, scale, buffer, new_trees(K, T))


@inlined
def count_reward(
    rng: np.random.Generator, eps: float, counters: Counters, a: int, x: float
) -> None:
    """Add the reward ``x`` to the counter of arm ``a``. eps-DP.

    Half of the budget is spent on the sums of whole epochs, and half on the tree of each epoch. The
    tree of an epoch of 2^(r+1) rewards has L = r + 2 levels.
    """
    counters.size[a] += 1
    counters.buffer[a] += x
    n, end = counters.size[a], counters.end[a]
    if n == end:
        counters.full[a] += counters.buffer[a] + laplace(rng, laplace_scale(2.0, eps))
        counters.part[a] = counters.buffer[a] = 0.0
        counters.end[a] = 2 * end + 1
        counters.scale[a] = tree_node_scale(tree_levels(2 * end + 1), 2.0, eps)
    else:
        noise = laplace(rng, counters.scale[a])
        in_epoch = n - (end - 1) // 2
        counters.part[a] = counters.buffer[a] + tree_noise(counters.trees, a, in_epoch, noise)


@inlined
def counted_mean(counters: Counters, a: int) -> float:
    """Return the private mean of all rewards of arm ``a``."""
    return (counters.full[a] + counters.part[a]) / counters.size[a]
