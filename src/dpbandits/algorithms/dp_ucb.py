"""DP-UCB: UCB on the prefix sums of one tree mechanism per arm."""

import math
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from ..authoring import (
    BINARY, LITERAL, NUMBER, UNIT_INTERVAL, Budget, Probability, arms, counter_nodes, global_dp,
    inlined, kernel, laplace, new_trees, optimism, tree_levels, tree_node_scale,
)  # fmt: skip
from ..parts.counting.trees import tree_noise
from ..parts.indices.counted_optimism import dp_ucb_with_counters

NAME = "DP-UCB"
LINE = "vermillion", "solid"
REWARDS = UNIT_INTERVAL
SPLIT = 1.0  # the number of the choice ``split`` of tree_budget
SOURCE = "Mishra & Thakurta 2015, Alg. 1, with"
IN_PARTS = replace(
    global_dp(f"{SOURCE} eps/K per tree", "tree", alignment=counter_nodes),
    epsilon=lambda values: values["eps"] / values["K"],
    loss="eps/K",
)
GUARANTEE = global_dp(
    f"{SOURCE} the whole budget per tree", "tree", alignment=counter_nodes,
    unless=(("tree_budget", SPLIT, IN_PARTS),),
)  # fmt: skip
ROUND_BY_ROUND = True
UNUSED = {("gamma", NUMBER): ("bonus", "calibrated")}


class Params(NamedTuple):
    """The values that the index uses in addition to the statistics of an arm."""

    trees: np.ndarray  # one tree per arm
    scale: float  # scale of the noise of a node
    bonus: float  # the bonus that is added to the sum
    log: float  # ln(2/delta), which only ``dp_ucb_bound`` uses


@inlined
def observe(params, rng, pull, statistics):
    """Update the statistics of an arm: its number of pulls, the noisy sum of its tree plus the
    bonus, and the exact sum ``S`` of its rewards.
    """
    n, _, S = statistics
    N, S = n + 1.0, S + pull.x
    noise = tree_noise(params.trees, pull.a, int(N), laplace(rng, params.scale))
    return N, S + noise + params.bonus, S


@inlined
def index(params, a, statistics):
    N, total, _ = statistics
    return total / N, math.sqrt(2.0 / N)


play = optimism(observe, index)


@kernel
def dp_ucb(
    game,
    rng,
    eps: Budget,
    gamma: Probability,
    tree_budget: Literal["whole", "split"],
    tree: Literal["binary", "honaker", "kary"],
    bonus: Literal["literal", "calibrated"],
):
    """DP-UCB (Mishra & Thakurta 2015, Alg. 1; the baseline of Sajed & Sheffet 2019 and of
    Azize & Basu 2022). eps-global DP. Rewards in [0, 1].

    Args:
        eps: privacy budget.
        gamma: failure probability of the bonus.
        tree_budget: 0 (whole), each tree is eps-DP: neighbours differ in one observed reward, and a
            reward enters one tree. 1 (split), each tree is eps/K-DP, as in Mishra & Thakurta, whose
            neighbours differ in the rewards of all arms in one round. Only one of these rewards is
            observed, so all trees together are eps/K-DP, too.
        tree: 0 (binary), the tree of the paper. 1 (honaker), the same tree with Honaker's estimates
            from below. 2 (kary), a tree of 19 branches whose nodes are added and subtracted; ours.
        bonus: 0 (literal), Gamma of the paper. 1 (calibrated), the Chernoff quantile at 1 - t^-4 /
            2 of the noise in the sum; ours.
    """
    K, T = arms(game), game.horizon
    log_T = math.log(max(T, 2))  # ln 1 = 0 would make the bonus of a game of one round NaN
    Gamma = K * log_T**2 * math.log(K * T * log_T / gamma) / eps
    budget = eps / K if tree_budget == SPLIT else eps
    if tree == BINARY and bonus == LITERAL:
        scale = tree_node_scale(tree_levels(T), 1.0, budget)
        play(game, rng, Params(new_trees(K, T), scale, Gamma, 0.0))  # level + sqrt(ln t) width
    else:
        dp_ucb_with_counters(game, rng, Gamma, 0.0, budget, tree, bonus)
