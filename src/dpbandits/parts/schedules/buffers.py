"""Lazy buffers: an arm's private mean is the mean of its last full buffer (Hu & Hegde 2022)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared
from ...game import Game, arms, pull, until_horizon
from ..noise.mechanisms import laplace_mean


class Buffers(NamedTuple):
    """The release of the last full buffer of each arm, and the buffer that is being filled.

    Buffers hold 1, 2, 4, 8, ... rewards. All arrays are float64 (K,).
    """

    mean: np.ndarray  # private mean of the last full buffer
    length: np.ndarray  # number of rewards of this buffer, O; 0 before the first full buffer
    total: np.ndarray  # sum of the rewards in the present buffer
    size: np.ndarray  # number of rewards in the present buffer


@shared
def new_buffers(K: int) -> Buffers:
    """Return empty buffers of ``K`` arms; the first buffer of an arm holds one reward."""
    return Buffers(np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(K))


@shared
def first_buffers(game: Game, rng: np.random.Generator, eps: float) -> Buffers:
    """Play each arm once and release its reward. eps-DP."""
    buffers = new_buffers(arms(game))
    for a in range(until_horizon(game, arms(game))):
        fill_buffer(rng, eps, buffers, a, pull(game, a), 1)
    return buffers


@inlined
def room_in_buffer(buffers: Buffers, a: int) -> int:
    """Return how many more rewards the present buffer of arm ``a`` can hold."""
    return int(max(2.0 * buffers.length[a], 1.0) - buffers.size[a])


@inlined
def fill_buffer(
    rng: np.random.Generator, eps: float, buffers: Buffers, a: int, x: float, n: int
) -> None:
    """Add ``n`` rewards with the sum ``x`` to the buffer of arm ``a``, which must have room for
    them.

    A full buffer releases its mean and is emptied. eps-DP: every reward enters one release.
    """
    buffers.total[a] += x
    buffers.size[a] += n
    if room_in_buffer(buffers, a) == 0:
        buffers.length[a] = buffers.size[a]
        buffers.mean[a] = laplace_mean(rng, buffers.total[a], buffers.length[a], eps)
        buffers.total[a] = buffers.size[a] = 0.0
