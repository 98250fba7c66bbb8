"""Lazy-DP-TS: Thompson sampling on the private means of doubling buffers."""

from typing import Literal

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Budget, arms, global_dp, kernel, laplace_tail, largest_draw, new_race,
    one_release, pull,
)  # fmt: skip
from ..parts.schedules.buffers import fill_buffer, first_buffers

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
        log: the logarithm: 0 (natural), the default and our choice (docs/errata.md). 1 (base2), the
            notation of the paper.
    """
    K = arms(game)
    buffers = first_buffers(game, rng, eps)
    width = np.full(K, laplace_tail(1.0, eps, 3.0))
    race = new_race(buffers.mean, width, buffers.length)
    for t in range(K + 1, game.horizon + 1):
        a = largest_draw(rng, race, t, log)
        fill_buffer(rng, eps, buffers, a, pull(game, a), 1)
        width[a] = laplace_tail(buffers.length[a], eps, 3.0)
