"""AdaR-UCB: the episodes of AdaC-UCB with the noise of a Renyi budget."""

import math

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, AboveOne, Budget, Positive, arms, gaussian_rdp, kernel, one_release,
    rounds_left, rounds_played,
)  # fmt: skip
from ..parts.indices.radii import gaussian_hoeffding
from ..parts.schedules.episodes import first_gaussian_episodes, play_gaussian_episode

NAME = "AdaR-UCB"
LINE = "orange", "dotted"
REWARDS = UNIT_INTERVAL
GUARANTEE = gaussian_rdp(
    "Azize & Basu 2023, Theorem 4", "gaussian_episode_means", alignment=one_release
)


@kernel
def adar_ucb(game, rng, eps: Budget, order: AboveOne, beta: Positive):
    """AdaR-UCB (Azize & Basu 2023, Alg. 2, eq. 6). (order, eps)-global RDP. Rewards in [0, 1].

    The default order 2 and the length n = 1 of the first episode, as in AdaP, are our choices.

    Args:
        eps: privacy budget, a bound on the Renyi divergence of this order.
        order: order of the Renyi divergence, the paper's alpha.
        beta: width of the confidence radii; the regret bound requires beta > 3.
    """
    rho = eps / order  # this zCDP budget gives the variance order/(2 eps n^2)
    index = np.zeros(arms(game))
    episodes = first_gaussian_episodes(game, rng, rho)
    while rounds_left(game) > 0:
        l = beta * math.log(rounds_played(game) + 1)
        for a in range(arms(game)):
            m, n = episodes.mean[a], episodes.length[a]
            index[a] = m + gaussian_hoeffding(n, rho, l)
        play_gaussian_episode(game, rng, rho, episodes, np.argmax(index))
