"""Broken twin of AdaC-UCB: its noise is scaled by 0.7."""

import math

import numpy as np

from dpbandits.authoring import (
    UNIT_INTERVAL,
    Budget,
    Positive,
    arms,
    gaussian,
    gaussian_hoeffding,
    gaussian_zcdp,
    kernel,
    pull_sum,
    pulls,
    rounds_left,
    rounds_played,
)

REWARDS = UNIT_INTERVAL
GUARANTEE = gaussian_zcdp("wrongly")


@kernel
def weak_gaussian(game, rng, rho: Budget, beta: Positive):
    K = arms(game)
    mean, n = np.zeros(K), np.zeros(K)
    index = np.full(K, np.inf)
    while rounds_left(game) > 0:
        a = np.argmax(index)
        length = min(max(pulls(game, a), 1), rounds_left(game))
        noise = gaussian(rng, 0.7 / (length * math.sqrt(2.0 * rho)))
        mean[a] = pull_sum(game, a, length) / length + noise
        n[a] = length
        l = beta * math.log(rounds_played(game) + 1)
        for b in range(K):
            if n[b] > 0:
                index[b] = mean[b] + gaussian_hoeffding(n[b], rho, l)
