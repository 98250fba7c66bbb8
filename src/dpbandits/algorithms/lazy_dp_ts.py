"""Lazy-DP-TS: Thompson sampling on the private means of doubling buffers."""

from typing import Literal

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Budget, arms, draw_mean, fill_buffer, first_buffers, global_dp,
    kernel, laplace_tail, logarithm, one_release, pull, rounds_left, rounds_played,
)  # fmt: skip

NAME = "Lazy-DP-TS"
LINE = "brown", "solid"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp("Hu & Hegde 2022, Theorem 3", "buffer_means", alignment=one_release)
ROUND_BY_ROUND = True


@kernel
def lazy_dp_ts(game, rng, eps: Budget, log: Literal["natural", "base2"]):
    """Lazy-DP-TS (Hu & Hegde 2022, Alg. 2). eps-global DP. Rewards in [0, 1].

    Args:
        eps: privacy budget.
        log: 0 natural (the default, ours: docs/errata.md), 1 base 2 (the paper's notation).
    """
    theta = np.zeros(arms(game))
    buffers = first_buffers(game, rng, eps)
    while rounds_left(game) > 0:
        l = 3.0 * logarithm(rounds_played(game) + 1.0, log)
        for j in range(arms(game)):
            O = buffers.length[j]
            theta[j] = draw_mean(rng, buffers.mean[j] + laplace_tail(O, eps, l), O)
        a = np.argmax(theta)
        fill_buffer(rng, eps, buffers, a, pull(game, a), 1)
