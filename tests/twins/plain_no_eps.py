"""Broken, in plain Python: explore-then-commit without noise."""

import numpy as np

from dpbandits.authoring import UNIT_INTERVAL, arms, pull, rounds_left

REWARDS = UNIT_INTERVAL


def plain_no_eps(game, rng, eps):
    S = np.zeros(arms(game))
    t = 0
    while rounds_left(game) > 0:
        a = t % arms(game) if t < 6 else np.argmax(S)
        S[a] += pull(game, a)
        t += 1
