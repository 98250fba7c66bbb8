"""Thompson sampling: play the arm of largest draw from the posteriors of the means."""

import numpy as np

from ..authoring import (
    NOT_PRIVATE, UNIT_INTERVAL, arms, beta, kernel, pull, random, rounds_left,
)  # fmt: skip

NAME = "TS"
LINE = "black", "dotted"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@kernel
def ts(game, rng):
    """Thompson sampling with Beta posteriors (Agrawal & Goyal 2017). Not private.

    Rewards in [0, 1]: one of x counts as a success with probability x.
    """
    K = arms(game)
    S, F = np.zeros(K), np.zeros(K)  # successes and failures
    theta = np.zeros(K)
    while rounds_left(game) > 0:
        for j in range(K):
            theta[j] = beta(rng, S[j] + 1.0, F[j] + 1.0)
        a = np.argmax(theta)
        success = random(rng) < pull(game, a)
        S[a] += success
        F[a] += not success
