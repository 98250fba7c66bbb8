"""PRAE-R: arm elimination in batches for bounded raw moments, with truncated Laplace means."""

import math
from typing import Annotated

import numpy as np

from ..authoring import (
    RAW_LIMIT, Budget, Confidence, Constants, Forced, MomentOrder, RawMoments, all_arms, arms,
    below, forced_batches, global_dp, kernel, one_release, play_out, private_mean,
    pull_truncated_sum, raw_moment_bound, robust_order, room_for, truncation_level, viable,
)  # fmt: skip

NAME = "PRAE-R"
LINE = "purple", "dashed"
REWARDS = RawMoments()
GUARANTEE = global_dp("Wu et al. 2023, Theorem 6.2", "truncated_mean", alignment=one_release)
Contamination = Annotated[float, below(RAW_LIMIT)]


@kernel
def prae_r(
    game,
    rng,
    eps: Budget,
    k: MomentOrder,
    alpha1: Contamination,
    delta: Confidence,
    constants: Constants,
    forced: Forced,
):
    """Private and robust arm elimination (Wu et al. 2023, Alg. 1 with Alg. 2). eps-global DP.
    Rewards with E|X|^k <= 1, and outliers with probability at most alpha1.

    Args:
        eps: privacy budget.
        k: order of the moment.
        alpha1: bound on the contamination.
        delta: failure probability of a mean; 1/T in the paper.
        constants: constants of the radius: 0 (unit), the paper's order with constants of 1;
            1 (explicit), a radius with a proof.
        forced: the arms of the forced phase are drawn 0 (batch) once per batch, 1 (round) in every
            round.
    """
    S, mean = all_arms(game), np.zeros(arms(game))
    l1, l4 = math.log(1.0 / delta), math.log(4.0 / delta)
    until = 3.0 * l4 / alpha1 if alpha1 > 0.0 else 0.0
    tau = forced_batches(game, rng, until, forced == 1)
    while len(S) > 1 and room_for(game, 2.0**tau, len(S)):
        B = 2.0**tau
        M = truncation_level(B, eps, l1, k, alpha1)
        for a in S:
            total = pull_truncated_sum(game, a, int(B), 0.0, M)
            mean[a] = private_mean(rng, total, B, M, eps)
        radius = robust_order(B, eps, l1, k, alpha1)
        if constants == 1:
            radius = raw_moment_bound(B, eps, l4, k, alpha1, M)
        S = viable(S, mean, 2.0 * radius)
        tau += 1
    play_out(game, S, 2.0**tau)
