"""Broken twin of AdaP-UCB: its noise is scaled by 0.7."""

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
def weak_noise(game, rng, eps: Budget, alpha: Positive):
    K = arms(game)
    mean, n = np.zeros(K), np.zeros(K)
    index = np.full(K, np.inf)
    while rounds_left(game) > 0:
        a = np.argmax(index)
        length = min(max(pulls(game, a), 1), rounds_left(game))
        mean[a] = pull_sum(game, a, length) / length + 0.7 * laplace(rng, 1.0 / (eps * length))
        n[a] = length
        l = alpha * math.log(rounds_played(game) + 1)
        for b in range(K):
            if n[b] > 0:
                index[b] = mean[b] + hoeffding(n[b], l) + laplace_tail(n[b], eps, l)
