"""An ablation that is not in the paper: DP-SE with epochs that are ``factor`` times as long."""

import math

import numpy as np

from dpbandits.authoring import (
    UNIT_INTERVAL,
    Budget,
    Positive,
    Probability,
    arms,
    hoeffding,
    kernel,
    laplace,
    laplace_tail,
    pull_in_turn,
    rounds_left,
    skip_rounds,
)

REWARDS = UNIT_INTERVAL


@kernel
def dp_se_times(game, rng, eps: Budget, beta: Probability, factor: Positive):
    """The same as dp_se, but with ``factor`` times as many pulls in each epoch."""
    S = np.arange(arms(game))
    sums, mu = np.zeros(arms(game)), np.zeros(arms(game))
    e = 0
    while len(S) > 1 and rounds_left(game) > 0:
        e += 1
        D = 2.0**-e
        L8 = math.log(8.0 * len(S) * e**2 / beta)
        L4 = math.log(4.0 * len(S) * e**2 / beta)
        R = np.floor(factor * max(32.0 * L8 / D**2, 8.0 * L4 / (eps * D))) + 1.0
        if R * len(S) > rounds_left(game):
            break
        pull_in_turn(game, S, int(R) * len(S), sums)
        for a in S:
            mu[a] = sums[a] / R + laplace(rng, 1.0 / (eps * R))
        radius = 2.0 * hoeffding(R, L8) + 2.0 * laplace_tail(R, eps, L4)
        S = S[np.max(mu[S]) - mu[S] <= radius]
    skip_rounds(game, S, rounds_left(game))
