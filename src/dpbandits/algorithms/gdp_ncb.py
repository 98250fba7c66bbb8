"""GDP-NCB: Nash confidence bounds on private means of episodes."""

import math
from typing import Literal

import numpy as np

from ..authoring import (
    NOT_PRIVATE, UNIT_INTERVAL, Budget, Positive, arms, global_dp, kernel, laplace, one_release,
    pull_sum, room_for, rounds_left, shared, until_horizon,
)  # fmt: skip
from ..parts.schedules.batches import pull_random_arms

NAME = "GDP-NCB"
LINE = "wine", "solid"
REWARDS = UNIT_INTERVAL
FRESH, NONE = 0.0, 1.0


GUARANTEE = global_dp(
    "each reward enters one noisy sum, ours",
    "laplace_release",
    alignment=one_release,
    unless=(("repair", NONE, NOT_PRIVATE),),  # phase 1 stops on rewards without noise
)


@shared
def explore(game, rng, W, most, eps, repair, N, S):
    """Play phase 1: random arms in rounds t < W until the rewards of an arm add up to more than
    ``most``.

    With repair=fresh (ours) the sums are examined after 1, 2, 4, ... rounds. Each time, the rewards
    since the last examination are added to the sums, with fresh noise.
    """
    K, t, look = len(N), 0, 1
    new, largest = np.zeros(K), 0.0
    while rounds_left(game) > 0 and t < W and largest <= most:
        # no sum exceeds ``most`` in fewer rounds
        n = max(most - largest, 1.0) if repair == NONE else look - t
        n = until_horizon(game, min(n, W - t))
        pull_random_arms(game, rng, n, N, new)
        t += n
        for b in range(K):
            if repair == NONE or t == look:
                noise = 0.0 if repair == NONE else laplace(rng, 1.0 / eps)
                S[b], new[b] = S[b] + (new[b] + noise), 0.0
                largest = max(largest, S[b])
        look *= 2 if t == look else 1


@kernel
def gdp_ncb(game, rng, eps: Budget, c: Positive, alpha: Positive, repair: Literal["fresh", "none"]):
    """GDP-NCB (Sarkar et al. 2025), as in the authors' code. eps-global DP with repair=fresh.
    Rewards in [0, 1].

    Args:
        eps: privacy budget.
        c: width of the confidence radius.
        alpha: width of the terms for the noise; the regret bound requires alpha > 3.
        repair: 0 (fresh), phase 1 stops on noisy sums and its rewards are not used again; ours. 1
            (none), as coded: phase 1 stops on sums without noise, and its rewards enter all later
            means of their arm; no privacy is promised.
    """
    K, T = arms(game), game.horizon
    W = math.floor(math.sqrt(T)) + 1.0
    log_T, log_W = math.log(T), math.log(W)
    N, S = np.zeros(K), np.zeros(K)
    explore(game, rng, W, 1600.0 * (c * c * log_W + log_W * log_W / eps), eps, repair, N, S)
    if repair == FRESH:
        N[:], S[:] = 0.0, 0.0
    length, mean, index = np.ones(K), np.zeros(K), np.zeros(K)
    radius = 2.0 * c * math.sqrt(2.0 * log_W)
    noise = alpha * log_W * log_W / eps + 4.0 * math.sqrt(2.0 * alpha / eps) * log_W**1.5
    while rounds_left(game) > 0:
        for b in range(K):
            n = N[b] + length[b]
            index[b] = mean[b] + radius * math.sqrt(mean[b] / n) + noise / n
        a = np.argmax(index)
        m = 2.0 * length[a]
        if not room_for(game, m, 1):
            pull_sum(game, a, rounds_left(game))
        else:
            n, total = N[a] + m, S[a] + pull_sum(game, a, int(m))
            mean[a] = min(max((total + laplace(rng, log_T / eps)) / n, 0.0), 1.0)
            length[a] = m
