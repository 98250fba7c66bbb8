"""DP-UCB with the tight high-probability bonus of the tree mechanism."""

import math

import numpy as np

from ..compiled.decorators import kernel
from ..contracts.assumptions import UNIT_INTERVAL
from ..contracts.guarantees import global_dp
from ..contracts.parameters import Budget
from ..game import arms, leave, pull_again, pulls, stay
from ..parts.argmax import keeps_lead, last_round, lead, new_race
from ..parts.mechanisms import laplace, new_trees, tree_levels, tree_node_scale, tree_noise

NAME = "DP-UCB (tight bonus)"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp("Chan et al. 2011: one tree an arm", "tree")
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
    race = new_race(K, 0.0, 0.5, 0.5)  # this index does not depend on t: all widths stay 0
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
