"""DP-IMED: the minimum empirical divergence from the best arm, on private sums of all rewards."""

import math

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, AboveOne, Budget, NotNegative, arms, global_dp, kernel, one_release,
    rounds_left,
)  # fmt: skip
from ..parts.indices.private_divergence import private_divergence
from ..parts.schedules.phases import first_phases, play_phase

NAME = "DP-IMED"
LINE = "vermillion", "dotted"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp(
    "Azize et al. 2025: each reward enters one noisy sum", "phase_sums", alignment=one_release
)


@kernel
def dp_imed(game, rng, eps: Budget, alpha: AboveOne, first: NotNegative):
    """DP-IMED (Azize et al. 2025). eps-global DP. Rewards in [0, 1].

    Phases and indices follow a summary of the paper. The closed form of the divergence is derived
    from the summary; the default of alpha and the parameter ``first`` are ours (docs/errata.md).

    Args:
        eps: privacy budget.
        alpha: a phase ends when the arm's pulls are alpha times its pulls before the phase.
        first: the first phase of an arm has first/eps rounds, at least one.
    """
    index = np.zeros(arms(game))
    phases = first_phases(game, rng, eps, first)
    while rounds_left(game) > 0:
        best = 0.0  # the largest mean
        for m in phases.mean:
            best = max(best, m)
        for a in range(arms(game)):
            n = phases.length[a]
            index[a] = n * private_divergence(phases.mean[a], best, eps) + math.log(n)
        play_phase(game, rng, eps, phases, np.argmin(index), alpha)
