"""DP-UCB with the tight high-probability bound of the tree mechanism as its bonus."""

import math
from typing import Literal

from ..authoring import (
    BINARY, LITERAL, UNIT_INTERVAL, Budget, arms, counter_nodes, global_dp, inlined, kernel,
    new_trees, optimism, tree_levels, tree_node_scale,
)  # fmt: skip
from ..parts.indices.counted_optimism import dp_ucb_with_counters
from .dp_ucb import Params, observe

NAME = "DP-UCB (tight bonus)"
LINE = "vermillion", "dashed"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp("Chan et al. 2011: one tree per arm", "tree", alignment=counter_nodes)
ROUND_BY_ROUND = True


@inlined
def index(params, a, statistics):
    N, total, _ = statistics
    return total / N + math.sqrt(2.0 * params.log / N), 0.0  # the index does not depend on t


play = optimism(observe, index)


@kernel
def dp_ucb_bound(
    game,
    rng,
    eps: Budget,
    tree: Literal["binary", "honaker", "kary"],
    bonus: Literal["literal", "calibrated"],
):
    """DP-UCB with the bonus of Azize's thesis (p. 102) at delta = 1/T; not the DP-UCB-BOUND of
    Tossou & Dimitrakakis 2016. eps-global DP. Rewards in [0, 1].

    Args:
        eps: privacy budget.
        tree: 0 (binary), 1 (honaker) or 2 (kary), as in ``dp_ucb``.
        bonus: 0 (literal), the bonus of the thesis. 1 (calibrated), as in ``dp_ucb``; ours.
    """
    K, T = arms(game), game.horizon
    l = math.log(2.0 * T)
    literal = math.sqrt(8.0) * math.log(T) ** 1.5 * l / eps
    if tree == BINARY and bonus == LITERAL:
        scale = tree_node_scale(tree_levels(T), 1.0, eps)
        play(game, rng, Params(new_trees(K, T), scale, literal, l))
    else:
        dp_ucb_with_counters(game, rng, literal, l, eps, tree, bonus)
