"""An ablation that is not in the paper: AdaP-KLUCB whose radii use all pulls N instead of N/2."""

import math

import numpy as np

from dpbandits.authoring import (
    UNIT_INTERVAL,
    Budget,
    Positive,
    arms,
    kernel,
    laplace_tail,
    pulls,
    rounds_left,
    rounds_played,
)
from dpbandits.parts.indices.radii import kl_upper
from dpbandits.parts.schedules.episodes import first_episodes, play_episode

REWARDS = UNIT_INTERVAL


@kernel
def adap_klucb_n(game, rng, eps: Budget, alpha: Positive):
    """The same as adap_klucb, but with n = N, although the mean is over the last N/2 rewards."""
    index = np.zeros(arms(game))
    episodes = first_episodes(game, rng, eps)
    while rounds_left(game) > 0:
        l = alpha * math.log(rounds_played(game) + 1)
        for a in range(arms(game)):
            m, n = episodes.mean[a], pulls(game, a)
            p = min(max(m + laplace_tail(n, eps, l), 0.0), 1.0)
            index[a] = kl_upper(p, l / n)
        play_episode(game, rng, eps, episodes, np.argmax(index))
