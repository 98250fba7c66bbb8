"""AdaC-UCB: UCB on the means of doubling, forgetful episodes with Gaussian noise."""

import math

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Budget, Positive, arms, gaussian_zcdp, kernel, one_release, rounds_left,
    rounds_played,
)  # fmt: skip
from ..parts.indices.radii import gaussian_hoeffding
from ..parts.schedules.episodes import first_gaussian_episodes, play_gaussian_episode

NAME = "AdaC-UCB"
LINE = "orange", "dashed"
REWARDS = UNIT_INTERVAL
GUARANTEE = gaussian_zcdp(
    "Azize's thesis, Theorem 5.5", "gaussian_episode_means", alignment=one_release
)


@kernel
def adac_ucb(game, rng, rho: Budget, beta: Positive):
    """AdaC-UCB (Azize's thesis, Alg. 7 with eq. 5.4). rho-global zCDP. Rewards in [0, 1].

    With an infinite rho the algorithm is the thesis's non-private algorithm, with the same episodes
    and no noise (our reading). For the length n of an arm's last episode, the thesis prints N/2,
    half of the arm's pulls; after the first pull this is 1/2, but here n is 1, as in AdaP (ours).

    Args:
        rho: privacy budget.
        beta: width of the confidence radii; the regret bound requires beta > 3.
    """
    index = np.zeros(arms(game))
    episodes = first_gaussian_episodes(game, rng, rho)
    while rounds_left(game) > 0:
        l = beta * math.log(rounds_played(game) + 1)
        for a in range(arms(game)):
            m, n = episodes.mean[a], episodes.length[a]
            index[a] = m + gaussian_hoeffding(n, rho, l)
        play_gaussian_episode(game, rng, rho, episodes, np.argmax(index))
