"""Broken twin of AdaP-UCB: each arm's noise is drawn once and reused in all episodes."""

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
def reused_noise(game, rng, eps: Budget, alpha: Positive):
    K = arms(game)
    mean, n = np.zeros(K), np.zeros(K)
    index = np.full(K, np.inf)
    z = np.zeros(K)
    for b in range(K):
        z[b] = laplace(rng, 1.0)
    while rounds_left(game) > 0:
        a = np.argmax(index)
        length = min(max(pulls(game, a), 1), rounds_left(game))
        mean[a] = pull_sum(game, a, length) / length + z[a] / (eps * length)
        n[a] = length
        l = alpha * math.log(rounds_played(game) + 1)
        for b in range(K):
            if n[b] > 0:
                index[b] = mean[b] + hoeffding(n[b], l) + laplace_tail(n[b], eps, l)
