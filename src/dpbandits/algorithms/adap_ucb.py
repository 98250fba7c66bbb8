"""AdaP-UCB: UCB on the private means of doubling, forgetful episodes."""

import math

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Budget, Positive, arms, global_dp, hoeffding, inlined, kernel, laplace_tail,
    one_release, rounds_left, rounds_played,
)  # fmt: skip
from ..parts.schedules.episodes import first_episodes, play_episode

NAME = "AdaP-UCB"
LINE = "orange", "solid"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp("Azize & Basu 2022, Theorem 6", "episode_means", alignment=one_release)


@inlined
def upper(m, n, eps, l):
    """Return the index of an arm with the private mean ``m`` of ``n`` rewards; l is alpha ln t."""
    return m + hoeffding(n, l) + laplace_tail(n, eps, l)


@kernel
def adap_ucb(game, rng, eps: Budget, alpha: Positive):
    """AdaP-UCB (Azize & Basu 2022, Alg. 1, eq. 7). eps-global DP. Rewards in [0, 1].

    Args:
        eps: privacy budget.
        alpha: width of the confidence radii; the regret bound requires alpha > 3.
    """
    index = np.zeros(arms(game))
    episodes = first_episodes(game, rng, eps)
    while rounds_left(game) > 0:
        l = alpha * math.log(rounds_played(game) + 1)
        for a in range(arms(game)):
            index[a] = upper(episodes.mean[a], episodes.length[a], eps, l)
        play_episode(game, rng, eps, episodes, np.argmax(index))
