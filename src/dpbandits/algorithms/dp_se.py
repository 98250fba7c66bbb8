"""DP-SE: successive elimination with fresh samples and one Laplace release per epoch."""

import math

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Budget, Probability, all_arms, arms, global_dp, hoeffding, inlined, kernel,
    laplace_mean, laplace_tail, one_release, pull_in_turn, room_for, rounds_left, shared,
    skip_rounds, viable,
)  # fmt: skip

NAME = "DP-SE"
LINE = "blue", "solid"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp("Sajed & Sheffet 2019, Theorem 4.1", "epoch_mean", alignment=one_release)


@inlined
def epoch(e, k, eps, beta):
    """Return the pulls of each of ``k`` viable arms in epoch ``e``, and the gap beyond which an arm
    is removed.
    """
    D = 2.0**-e
    L8 = math.log(8.0 * k * e**2 / beta)
    L4 = math.log(4.0 * k * e**2 / beta)
    R = np.floor(max(32.0 * L8 / D**2, 8.0 * L4 / (eps * D))) + 1.0
    h = hoeffding(R, L8)
    c = laplace_tail(R, eps, L4)
    return R, 2.0 * h + 2.0 * c


@kernel
def dp_se(game, rng, eps: Budget, beta: Probability):
    """DP-SE (Sajed & Sheffet 2019, Alg. 3). eps-global DP. Rewards in [0, 1].

    Args:
        eps: privacy budget.
        beta: failure probability; 1/T in the paper's experiments.
    """
    S = eliminate(game, rng, eps, beta)
    skip_rounds(game, S, rounds_left(game))


@shared
def eliminate(game, rng, eps, beta):
    """Run the elimination until one arm is left or the horizon cuts an epoch, and return the arms
    that are left.
    """
    K = arms(game)
    S = all_arms(game)  # the viable arms
    sums = np.zeros(K)
    mu = np.zeros(K)
    e = 0
    while len(S) > 1 and rounds_left(game) > 0:
        e += 1
        R, width = epoch(e, len(S), eps, beta)
        if not room_for(game, R, len(S)):  # the horizon interrupts the epoch: no release
            break
        pull_in_turn(game, S, int(R) * len(S), sums)
        for a in S:
            mu[a] = laplace_mean(rng, sums[a], R, eps)
        S = viable(S, mu, width)
    return S
