"""DP-UCB with the tight high-probability bound of the tree mechanism as its bonus."""

import math

import numpy as np

from ..authoring import (
    UNIT_INTERVAL,
    Budget,
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

NAME = "DP-UCB (tight bonus)"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp("Chan et al. 2011: one tree per arm", "tree")
ROUND_BY_ROUND = True


@kernel
def dp_ucb_bound(game, rng, eps: Budget):
    """DP-UCB with the bonus of Azize's thesis (p. 102) at delta = 1/T; not the DP-UCB-BOUND of
    Tossou & Dimitrakakis 2016. eps-global DP. Rewards in [0, 1].
    """
    K, T = arms(game), game.horizon
    l = math.log(2.0 * T)
    bonus = math.sqrt(8.0) * math.log(T) ** 1.5 * l / eps
    scale = tree_node_scale(tree_levels(T), 1.0, eps)
    S, N, total = np.zeros(K), np.zeros(K), np.zeros(K)
    trees = new_trees(K, T)
    race = new_race(K, 0.0, 0.5, 0.5)  # the index does not depend on t: all widths are 0
    t = 0
    while t < T:
        a = lead(race, t + 1, total, N)
        arm, n, Sa = stay(game, a), pulls(game, a), S[a]
        leads, until = True, last_round(race, T)
        while leads:
            Sa += pull_again(game, arm, t)
            t += 1
            n += 1
            total_a = Sa + tree_noise(trees, a, n, laplace(rng, scale)) + bonus
            leads = t < until and keeps_lead(race, total_a, float(n))
        leave(game, arm, t)
        S[a], N[a], total[a] = Sa, n, total_a
        race.level[a] = total[a] / N[a] + math.sqrt(2.0 * l / N[a])
