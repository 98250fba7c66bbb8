"""DP-UCB: UCB on the prefix sums of one tree mechanism per arm."""

import math
from typing import Annotated

import numpy as np

from ..authoring import (
    UNIT_INTERVAL,
    Budget,
    Choice,
    Probability,
    arms,
    global_dp,
    keeps_lead,
    kernel,
    laplace,
    last_round,
    lead,
    leave,
    new_race,
    new_trees,
    pull_again,
    pulls,
    stay,
    tree_levels,
    tree_node_scale,
    tree_noise,
)

NAME = "DP-UCB"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp("Mishra & Thakurta 2015, Alg. 1, with the whole budget per tree", "tree")
ROUND_BY_ROUND = True
TreeBudget = Annotated[float, Choice(("whole", "split"))]


@kernel
def dp_ucb(game, rng, eps: Budget, gamma: Probability, tree_budget: TreeBudget):
    """DP-UCB (Mishra & Thakurta 2015, Alg. 1; the baseline of Sajed & Sheffet 2019 and of
    Azize & Basu 2022). eps-global DP. Rewards in [0, 1].

    Args:
        eps: privacy budget.
        gamma: failure probability of the bonus.
        tree_budget: 0 (whole), each tree is eps-DP: neighbours differ in one observed reward, and
            a reward enters one tree. 1 (split), each tree is eps/K-DP: neighbours differ in the
            rewards of all arms in one round, as in Mishra & Thakurta.
    """
    K, T = arms(game), game.horizon
    log_T = math.log(max(T, 2))  # ln 1 = 0 would make the bonus of a game of one round NaN
    Gamma = K * log_T**2 * math.log(K * T * log_T / gamma) / eps
    scale = tree_node_scale(tree_levels(T), 1.0, eps / K if tree_budget == 1 else eps)
    S, N, total = np.zeros(K), np.zeros(K), np.zeros(K)
    trees = new_trees(K, T)
    race = new_race(K, 0.0, 0.5, 0.5)
    t = 0
    while t < T:
        a = lead(race, t + 1, total, N)
        arm, n, Sa = stay(game, a), pulls(game, a), S[a]
        leads, until = True, last_round(race, T)
        while leads:
            Sa += pull_again(game, arm, t)
            t += 1
            n += 1
            total_a = Sa + tree_noise(trees, a, n, laplace(rng, scale)) + Gamma
            leads = t < until and keeps_lead(race, total_a, float(n))
        leave(game, arm, t)
        S[a], N[a], total[a] = Sa, n, total_a
        race.level[a] = total[a] / N[a]
        race.width[a] = math.sqrt(2.0 / N[a])
