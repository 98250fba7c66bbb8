"""DPR-SE: successive elimination with truncated rewards and one Laplace release per epoch."""

import math
from typing import Annotated

import numpy as np

from ..authoring import (
    POSITIVE, Budget, HeavyTails, MomentBound, Named, Order, Probability, all_arms, arms, global_dp,
    inlined, kernel, one_release, private_mean, pull_truncated_in_turn, room_for, rounds_left,
    skip_rounds, viable,
)  # fmt: skip

NAME = "DPR-SE"
LINE = "blue", "dashed"
REWARDS = HeavyTails()
GUARANTEE = global_dp("Tao et al. 2022, Theorem 3", "truncated_mean", alignment=one_release)
Constant = Annotated[float, Named({"literal": 24.0, "practical": 1.0}, POSITIVE)]


@inlined
def epoch(tau, k, eps, u, v, c, beta):
    """Return the pulls of each of ``k`` viable arms in epoch ``tau``, the level at which rewards
    are truncated, and the gap beyond which an arm is removed.
    """
    D = 2.0**-tau
    L = math.log(4.0 * k * tau**2 / beta)
    R = np.ceil((u * (c / D) ** (1.0 + v)) ** (1.0 / v) * L / eps + 1.0)
    B = (u * R * eps / L) ** (1.0 / (1.0 + v))
    err = u ** (1.0 / (1.0 + v)) * (L / (R * eps)) ** (v / (1.0 + v))
    return R, B, c / 2.0 * err


@kernel
def dpr_se(game, rng, eps: Budget, u: MomentBound, v: Order, c: Constant, beta: Probability):
    """DP Robust Successive Elimination (Tao et al. 2022, Alg. 3). eps-global DP. The rewards
    satisfy E|X|^(1+v) <= u.

    Args:
        eps: privacy budget; the regret bound requires eps <= 1.
        u: bound on the moment E|X|^(1+v).
        v: the moment's order is 1 + v.
        c: constant of epochs and radii, 24 in the paper.
        beta: failure probability; 1/T in the paper.
    """
    K = arms(game)
    S = all_arms(game)  # the viable arms
    sums = np.zeros(K)
    mu = np.zeros(K)
    tau = 0
    while len(S) > 1 and rounds_left(game) > 0:
        tau += 1
        R, B, width = epoch(tau, len(S), eps, u, v, c, beta)
        if not room_for(game, R, len(S)):  # the horizon interrupts the epoch: no release
            break
        pull_truncated_in_turn(game, S, int(R) * len(S), B, sums)
        for a in S:
            mu[a] = private_mean(rng, sums[a], R, B, eps)
        S = viable(S, mu, width)
    skip_rounds(game, S, rounds_left(game))
