"""PRAE-R: arm elimination in batches for bounded raw moments, with truncated Laplace means."""

import math
from typing import Annotated, Literal

import numpy as np

from ..authoring import (
    Budget, Confidence, MomentOrder, RawMoments, all_arms, arms, below, global_dp, inlined,
    kernel, one_release, private_mean, pull_truncated_sum, room_for, viable,
)  # fmt: skip
from ..parts.indices.radii import raw_moment_bound, robust_order
from ..parts.means.estimators import RAW_LIMIT, truncation_level
from ..parts.schedules.batches import forced_batches, play_out

NAME = "PRAE-R"
LINE = "purple", "dashed"
REWARDS = RawMoments()
GUARANTEE = global_dp("Wu et al. 2023, Theorem 6.2", "truncated_mean", alignment=one_release)
Contamination = Annotated[float, below(RAW_LIMIT)]


@inlined
def batch(tau, eps, k, alpha1, delta, constants):
    """Return the pulls of each viable arm in batch ``tau``, the level at which rewards are
    truncated, and the gap beyond which an arm is removed.
    """
    B, l1, l4 = 2.0**tau, math.log(1.0 / delta), math.log(4.0 / delta)
    M = truncation_level(B, eps, l1, k, alpha1)
    radius = robust_order(B, eps, l1, k, alpha1)
    if constants == 1:
        radius = raw_moment_bound(B, eps, l4, k, alpha1, M)
    return B, M, 2.0 * radius


@inlined
def forced_until(alpha1, delta):
    """Return the least length of the first batch that is not forced."""
    return 3.0 * math.log(4.0 / delta) / alpha1 if alpha1 > 0.0 else 0.0


@kernel
def prae_r(
    game,
    rng,
    eps: Budget,
    k: MomentOrder,
    alpha1: Contamination,
    delta: Confidence,
    constants: Literal["unit", "explicit"],
    forced: Literal["batch", "round"],
):
    """Private and robust arm elimination (Wu et al. 2023, Alg. 1 with Alg. 2). eps-global DP.
    The rewards satisfy E|X|^k <= 1, except for outliers, whose probability is at most alpha1.

    Args:
        eps: privacy budget.
        k: order of the moment E|X|^k.
        alpha1: bound on the probability of an outlier.
        delta: failure probability of a mean; 1/T in the paper.
        constants: constants of the radius: 0 (unit), the paper's order with constants of 1;
            1 (explicit), a radius with a proof.
        forced: how often an arm of the forced phase is drawn: 0 (batch), once per batch; 1 (round),
            in every round.
    """
    S, mean = all_arms(game), np.zeros(arms(game))
    tau = forced_batches(game, rng, forced_until(alpha1, delta), forced == 1)
    while len(S) > 1 and room_for(game, 2.0**tau, len(S)):
        B, M, width = batch(tau, eps, k, alpha1, delta, constants)
        for a in S:
            total = pull_truncated_sum(game, a, int(B), 0.0, M)
            mean[a] = private_mean(rng, total, B, M, eps)
        S = viable(S, mean, width)
        tau += 1
    play_out(game, S, 2.0**tau)
