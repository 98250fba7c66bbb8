"""LDPR-SE: successive elimination on truncated rewards with locally private responses."""

import math
from typing import Annotated

import numpy as np

from ..authoring import (
    POSITIVE, Budget, HeavyTails, MomentBound, Named, Order, Probability, all_arms, arms,
    kernel, laplace_scale, local_dp, one_release, pull_reports_in_turn, room_for, rounds_left,
    skip_rounds, viable,
)  # fmt: skip
from ..parts.noise.local_randomizers import largest_sign, send_truncated
from ..parts.noise.mechanisms import laplace_sum

NAME = "LDPR-SE"
LINE = "blue", "dotted"
REWARDS = HeavyTails()
GUARANTEE = local_dp("Tao et al. 2022, Theorem 6", send_truncated, alignment=one_release)
REPORTS = True
Constant = Annotated[float, Named({"literal": 28.0, "practical": 0.5}, POSITIVE)]


@kernel
def ldpr_se(game, rng, eps: Budget, u: MomentBound, v: Order, c: Constant, beta: Probability):
    """LDP Robust Successive Elimination (Tao et al. 2022, Alg. 4). eps-local DP: every user sends
    the truncated reward plus ``Lap(2B/eps)``. The rewards satisfy E|X|^(1+v) <= u.

    Args:
        eps: privacy budget of every user; the regret bound requires eps <= 1.
        u: bound on the moment E|X|^(1+v).
        v: the moment's order is 1 + v.
        c: constant of epochs and radii, 28 in the paper.
        beta: failure probability; 1/T in the paper.
    """
    K = arms(game)
    S = all_arms(game)  # the viable arms
    sums = np.zeros(K)
    sent = np.zeros(K)
    mu = np.zeros(K)
    tau = 0
    while len(S) > 1 and rounds_left(game) > 0:
        tau += 1
        D = 4.0**-tau
        L = math.log(8.0 * len(S) * tau**2 / beta)
        R = np.ceil((u * (c / D) ** (1.0 + v)) ** (2.0 / v) * L / eps**2 + L)
        if not room_for(game, R, len(S)):  # the horizon interrupts the epoch: no release
            break
        B = (u * math.sqrt(R) * eps / math.sqrt(L)) ** (1.0 / (1.0 + v))
        reach = largest_sign(B, math.tanh(0.5 * eps))
        pull_reports_in_turn(game, S, int(R) * len(S), B, reach, sums, sent)
        for a in S:
            mu[a] = (sums[a] + laplace_sum(rng, sent[a], laplace_scale(2.0 * B, eps))) / R
        # sqrt(R) instead of the printed R, for which (c/2) err would differ from D/2
        err = u ** (1.0 / (1.0 + v)) * (math.sqrt(L / R) / eps) ** (v / (1.0 + v))
        S = viable(S, mu, c / 2.0 * err)
    skip_rounds(game, S, rounds_left(game))
