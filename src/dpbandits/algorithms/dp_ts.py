"""DP-TS: Thompson sampling on the private means of all rewards, from one hybrid counter per arm."""

import math
from typing import Literal

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Budget, arms, global_dp, hybrid_counter, kernel, laplace_tail, largest_draw,
    new_race, pull,
)  # fmt: skip
from ..parts.counting.hybrid_counters import count_reward, counted_mean, new_hybrid_counters
from ..parts.indices.radii import logarithm

NAME = "DP-TS"
LINE = "green", "dashdotted"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp("Hu & Hegde 2022, Theorem 1", "hybrid_counter", alignment=hybrid_counter)
ROUND_BY_ROUND = True


@kernel
def dp_ts(game, rng, eps: Budget, log: Literal["natural", "base2"]):
    """DP-TS (Hu & Hegde 2022, Alg. 1). eps-global DP. Rewards in [0, 1].

    A tree of the hybrid counter with 2^(r+1) rewards has r + 2 levels here; the paper's remark has
    r + 1 levels (docs/errata.md).

    Args:
        eps: privacy budget.
        log: the logarithm: 0 (natural), the default and our choice (docs/errata.md). 1 (base2), the
            notation of the paper.
    """
    K = arms(game)
    mean, width, n = np.zeros(K), np.zeros(K), np.zeros(K)
    race = new_race(mean, width, n)
    counters = new_hybrid_counters(K, game.horizon)
    for t in range(1, game.horizon + 1):
        a = t - 1 if t <= K else largest_draw(rng, race, t, log)
        count_reward(rng, eps, counters, a, pull(game, a))
        n[a] = O = float(counters.size[a])
        mean[a] = counted_mean(counters, a)
        width[a] = laplace_tail(O, eps, 6.0 * math.sqrt(8.0) * logarithm(O + 1.0, log))
