"""AdaP-KLUCB: KL-UCB on the private means of doubling, forgetful episodes."""

import math

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Budget, Positive, arms, global_dp, inlined, kernel, laplace_tail,
    one_release, rounds_left, rounds_played,
)  # fmt: skip
from ..parts.indices.radii import kl_upper
from ..parts.schedules.episodes import first_episodes, play_episode

NAME = "AdaP-KLUCB"
LINE = "green", "solid"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp("Azize & Basu 2022, Theorem 6", "episode_means", alignment=one_release)


@inlined
def upper(m, n, eps, l, least):
    """Return the index of an arm with the private mean ``m`` of ``n`` rewards, where l = alpha ln
    t. ``least`` is the index of another arm; if the arm's index is below it, the returned number
    need not be exact.
    """
    return kl_upper(min(max(m + laplace_tail(n, eps, l), 0.0), 1.0), l / n, least)


@kernel
def adap_klucb(game, rng, eps: Budget, alpha: Positive):
    """AdaP-KLUCB (Azize & Basu 2022, Alg. 1, eq. 8). eps-global DP. Rewards in [0, 1].

    Args:
        eps: privacy budget.
        alpha: width of the confidence radii; the regret bound requires alpha > 3.
    """
    index = np.zeros(arms(game))
    episodes = first_episodes(game, rng, eps)
    while rounds_left(game) > 0:
        l, largest = alpha * math.log(rounds_played(game) + 1), 0.0
        for a in range(arms(game)):
            index[a] = upper(episodes.mean[a], episodes.length[a], eps, l, largest)
            largest = max(largest, index[a])
        play_episode(game, rng, eps, episodes, np.argmax(index))
