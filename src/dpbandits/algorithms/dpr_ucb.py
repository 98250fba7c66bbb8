"""DPR-UCB: UCB on the prefix sums of one adaptive tree of truncated rewards per arm."""

import math
from typing import Annotated

import numpy as np

from ..authoring import (
    POSITIVE,
    Budget,
    HeavyTails,
    MomentBound,
    Named,
    Order,
    arms,
    global_dp,
    keeps_lead,
    kept,
    kernel,
    laplace,
    last_round,
    lead,
    leave,
    new_powers,
    new_race,
    new_trees,
    power_of_count,
    pull_again,
    pulls,
    stay,
    tree_levels,
    tree_node_scale,
    tree_noise,
)

NAME = "DPR-UCB"
REWARDS = HeavyTails()
GUARANTEE = global_dp("Tao et al. 2022, Theorem 1, with eps/L per level of a tree", "adaptive_tree")
ROUND_BY_ROUND = True
Constant = Annotated[float, Named({"literal": 18.0, "practical": 0.5}, POSITIVE)]


@kernel
def dpr_ucb(game, rng, eps: Budget, u: MomentBound, v: Order, c: Constant):
    """DP Robust Upper Confidence Bound (Tao et al. 2022, Alg. 1 with the adaptive tree, Alg. 2).
    eps-global DP with the same budget for each level of a tree. Rewards with E|X|^(1+v) <= u.

    Args:
        eps: privacy budget; the regret bound requires eps <= 1.
        u: bound on the moment.
        v: the moment's order is 1 + v.
        c: constant of the bonus, 18 in the paper.
    """
    K, T = arms(game), game.horizon
    log_T = math.log(max(T, 2))  # ln 1 = 0 would be a divisor in a game of one round
    levels = tree_levels(T)
    power = v / (1.0 + v)
    S, N, total = np.zeros(K), np.zeros(K), np.zeros(K)
    trees = new_trees(K, T)
    first, limits = (eps * u / log_T**1.5) ** (1.0 / (1.0 + v)), new_powers(K)
    race = new_race(K, math.log(2.0) / 4.0, power, power)  # ln(2 t^4) is 4 (ln t + ln(2)/4)
    t = 0
    while t < T:
        a = lead(race, t + 1, total, N)
        arm, n, Sa = stay(game, a), pulls(game, a), S[a]
        leads, until = True, last_round(race, T)
        while leads:
            x = pull_again(game, arm, t)
            t += 1
            n += 1
            N[a] = n
            B = power_of_count(limits, a, N[a], first, 1.0 / (1.0 + v))
            Sa += kept(x, B)
            noise = laplace(rng, tree_node_scale(levels, 2.0 * B, eps))
            total[a] = Sa + tree_noise(trees, a, n, noise)
            leads = t < until and keeps_lead(race, total[a], N[a])
        leave(game, arm, t)
        S[a] = Sa
        race.level[a] = total[a] / N[a]
        # the power v/(1 + v) is applied to ln(T)^(1.5 + 1/v) first: that overflows for small v
        bonus = (4.0 / (N[a] * eps)) ** power * log_T ** ((1.5 * v + 1.0) / (1.0 + v))
        race.width[a] = c * u ** (1.0 / (1.0 + v)) * bonus
