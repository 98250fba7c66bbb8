"""Broken twin of AdaP-UCB: the mean is that of all rewards of an arm, not of its last episode."""

import math

import numpy as np

from dpbandits.authoring import (
    UNIT_INTERVAL,
    Budget,
    Positive,
    arms,
    hoeffding,
    kernel,
    laplace,
    laplace_tail,
    pull_sum,
    pulls,
    rounds_left,
    rounds_played,
)

REWARDS = UNIT_INTERVAL


@kernel
def whole_history(game, rng, eps: Budget, alpha: Positive):
    K = arms(game)
    mean, n, total = np.zeros(K), np.zeros(K), np.zeros(K)
    index = np.full(K, np.inf)
    while rounds_left(game) > 0:
        a = np.argmax(index)
        length = min(max(pulls(game, a), 1), rounds_left(game))
        total[a] += pull_sum(game, a, length)
        N = pulls(game, a)
        mean[a] = total[a] / N + laplace(rng, 1.0 / (eps * N))
        n[a] = N
        l = alpha * math.log(rounds_played(game) + 1)
        for b in range(K):
            if n[b] > 0:
                index[b] = mean[b] + hoeffding(n[b], l) + laplace_tail(n[b], eps, l)
