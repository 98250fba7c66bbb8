"""DPR-UCB: UCB on the prefix sums of one adaptive tree of truncated rewards per arm."""

import math
from typing import Annotated, Literal, NamedTuple

import numpy as np

from ..authoring import (
    BINARY, LITERAL, NUMBER, POSITIVE, Budget, HeavyTails, MomentBound, Named, Order, arms,
    counter_nodes, global_dp, inlined, kernel, laplace, new_powers, new_trees, optimism,
    power_of_count, tree_levels, tree_node_scale, truncate,
)  # fmt: skip
from ..parts.counting.trees import tree_noise
from ..parts.indices.counted_optimism import dpr_ucb_with_counters
from ..parts.indices.powers import Powers

NAME = "DPR-UCB"
LINE = "vermillion", "dashdotted"
REWARDS = HeavyTails()
SOURCE = "Tao et al. 2022, Theorem 1, with eps/L per level of a tree"
GUARANTEE = global_dp(SOURCE, "adaptive_tree", alignment=counter_nodes)
ROUND_BY_ROUND = True
UNUSED = {("c", c): ("bonus", "calibrated") for c in ("practical", NUMBER)}
C = Annotated[float, Named({"literal": 18.0, "practical": 0.5}, POSITIVE)]


class Params(NamedTuple):
    """The values that the index uses in addition to the statistics of an arm."""

    eps: float
    v: float
    bonus: float  # c u^(1/(1 + v)) (ln T)^((1.5 v + 1)/(1 + v))
    trees: np.ndarray  # one adaptive tree per arm
    levels: int  # number of levels of a tree
    B: Powers  # the truncation level of an arm's n-th reward, (eps u n/ln^1.5 T)^(1/(1 + v))


@inlined
def observe(params, rng, pull, statistics):
    """Update the statistics of an arm: its number of pulls, the noisy sum of its tree, and the
    exact sum ``S`` of its truncated rewards.
    """
    n, _, S = statistics
    N = n + 1.0
    B = power_of_count(params.B, pull.a, N)
    S += truncate(pull.x, B)
    noise = laplace(rng, tree_node_scale(params.levels, 2.0 * B, params.eps))
    return N, S + tree_noise(params.trees, pull.a, int(N), noise), S


@inlined
def index(params, a, statistics):
    N, total, _ = statistics
    v = params.v
    return total / N, params.bonus * (4.0 / (N * params.eps)) ** (v / (1.0 + v))


play = optimism(observe, index)


@kernel
def dpr_ucb(
    game,
    rng,
    eps: Budget,
    u: MomentBound,
    v: Order,
    c: C,
    tree: Literal["binary", "honaker", "kary"],
    bonus: Literal["literal", "calibrated"],
):
    """DP Robust Upper Confidence Bound (Tao et al. 2022, Alg. 1 with the adaptive tree, Alg. 2).
    eps-global DP with the same budget for each level of a tree. The rewards satisfy E|X|^(1+v) <=
    u.

    Args:
        eps: privacy budget; the regret bound requires eps <= 1. At an infinite
            budget no reward is truncated; then the literal bonus is 0, and the calibrated bonus is
            infinite for every arm, so that the algorithm plays the first arm only.
        u: bound on the moment E|X|^(1+v).
        v: the moment's order is 1 + v.
        c: constant of the bonus, 18 in the paper.
        tree: 0 (binary), 1 (honaker) or 2 (kary), as in ``dp_ucb``. The noise of a node is scaled
            to the largest truncation level in the node.
        bonus: 0 (literal), the bonus of the paper. 1 (calibrated), ours: the noise's Chernoff
            quantile as in ``dp_ucb``, plus the radius of a truncated mean without noise at 1 -
            t^-4 / 2 (Bubeck, Cesa-Bianchi & Lugosi 2013, Lemma 1).
    """
    K, T = arms(game), game.horizon
    log_T = math.log(max(T, 2))  # ln 1 = 0 would be a divisor in a game of one round
    first = (eps * u / log_T**1.5) ** (1.0 / (1.0 + v))
    # ln(T)^(1.5 + 1/v) overflows for small v, so its power v/(1 + v) is computed in one step
    factor = c * u ** (1.0 / (1.0 + v)) * log_T ** ((1.5 * v + 1.0) / (1.0 + v))
    power = v / (1.0 + v)
    if tree == BINARY and bonus == LITERAL:
        B = new_powers(K, first, 1.0 / (1.0 + v))
        params = Params(eps, v, factor, new_trees(K, T), tree_levels(T), B)
        shift = math.log(2.0) / 4.0  # ln(2 t^4) is 4 (ln t + shift)
        play(game, rng, params, shift=shift, power=power, width_decay=power)
    else:
        dpr_ucb_with_counters(game, rng, eps, u, v, first, factor * eps**-power, tree, bonus)
