"""Thompson sampling: play the arm of largest draw from the posteriors of the means."""

import numpy as np

from ..authoring import (
    NOT_PRIVATE, UNIT_INTERVAL, arms, kernel, largest_draw, new_race, pull, random,
)  # fmt: skip

NAME = "TS"
LINE = "black", "dotted"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@kernel
def ts(game, rng):
    """Thompson sampling with Beta posteriors (Agrawal & Goyal 2017). Not private.

    The rewards are in [0, 1]: a reward x counts as a success with probability x.
    """
    K = arms(game)
    S, n, mean, width = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(K)  # S successes of n
    race = new_race(mean, width, n)
    for t in range(1, game.horizon + 1):
        a = largest_draw(rng, race, t, 0.0)
        S[a] += random(rng) < pull(game, a)
        n[a] += 1.0
        mean[a] = S[a] / n[a]
