"""PRAE-C: arm elimination in batches for bounded central moments, with means around modes."""

import math
from typing import Annotated, Literal

import numpy as np

from ..authoring import (
    POSITIVE, Budget, CentralMoments, Confidence, Interval, MomentOrder, Named, all_arms, arms,
    below, global_dp, kernel, private_mean, pull_counts, pull_truncated_sum, releases, room_for,
    viable,
)  # fmt: skip
from ..parts.indices.radii import central_moment_bound, robust_order
from ..parts.means.estimators import (
    CENTRAL_LIMIT, LARGEST_REACH, bin_width, bins, private_mode, truncation_level,
)  # fmt: skip
from ..parts.schedules.batches import forced_batches, play_out

NAME = "PRAE-C"
LINE = "violet", "dotted"
REWARDS = CentralMoments(bin_width)
GUARANTEE = global_dp(
    "Wu et al. 2023, Theorems 6.10 and 6.12", "central_mean", alignment=releases(2)
)
Contamination = Annotated[float, below(CENTRAL_LIMIT)]
Reach = Annotated[float, Interval(1.0, LARGEST_REACH, "[]")]
Until = Annotated[float, Named({"provable": 0.0}, POSITIVE)]


@kernel
def prae_c(
    game,
    rng,
    eps: Budget,
    k: MomentOrder,
    alpha1: Contamination,
    D: Reach,
    delta: Confidence,
    constants: Literal["unit", "explicit"],
    forced: Literal["batch", "round"],
    c1: Until,
):
    """Private and robust arm elimination (Wu et al. 2023, Alg. 1 with Alg. 3). eps-global DP.
    The rewards satisfy E|X - mean|^k <= 1 and |mean| <= D, except for outliers, whose probability
    is at most alpha1.

    Args:
        eps: privacy budget.
        k: order of the moment E|X - mean|^k.
        alpha1: bound on the probability of an outlier.
        D: bound on the absolute values of the means.
        delta: failure probability of a mean; 1/T in the paper.
        constants: constants of the radius: 0 (unit), the paper's order with constants of 1;
            1 (explicit), a radius with a proof.
        forced: how often an arm of the forced phase is drawn: 0 (batch), once per batch; 1 (round),
            in every round.
        c1: constant of the length of the forced phase; 0 (provable), a length for which the mode is
            within 2 r of the mean with probability 1 - delta, where r is the width of a bin.
    """
    S, mean = all_arms(game), np.zeros(arms(game))
    l1, l4 = math.log(1.0 / delta), math.log(4.0 / delta)
    r = bin_width(k, alpha1)
    counts = np.zeros(bins(D, r))
    until = c1 * math.log(4.0 * D / (r * delta)) / min(1.0, eps)
    if c1 == 0.0:
        factor = 80.0 + 20.0 / eps if alpha1 > 0.0 else 8.0 + 8.0 / eps
        until = factor * math.log(8.0 * (2.0 * D / r + 2.0) / delta)
    if alpha1 > 0.0:
        until = max(until, 3.0 * l4 / alpha1)
    tau = forced_batches(game, rng, 2.0 * until, forced == 1)  # mode and mean use half a batch each
    while len(S) > 1 and room_for(game, 2.0**tau, len(S)):
        n = 2.0 ** (tau - 1)
        M = truncation_level(n, eps, l1, k, alpha1)
        for a in S:
            for i in range(len(counts)):
                counts[i] = 0.0
            pull_counts(game, a, int(n), -D - r, r, counts)
            J = -D - r + r * private_mode(rng, counts, n, eps)
            total = pull_truncated_sum(game, a, int(n), J, M)
            mean[a] = J + private_mean(rng, total, n, M, eps)
        radius = robust_order(n, eps, l1, k, alpha1)
        if constants == 1:
            radius = central_moment_bound(n, eps, l4, k, alpha1, M, r)
        S = viable(S, mean, 2.0 * radius)
        tau += 1
    play_out(game, S, 2.0**tau)
