"""LDP-OLS: greedy play by least squares on one private message of each user."""

import math
from typing import Literal

import numpy as np

from ..authoring import (
    BOUNDED_CONTEXTUAL, Budget, Confidence, contexts, dimension, ensure_contexts, kernel,
    message_dp, mu_for, play, rounds_left, shared, user_message,
)  # fmt: skip
from ..parts.linear.greedy import greedy, solve_shifted
from ..parts.linear.noisy_matrices import receive_message

NAME = "LDP-OLS"
LINE = "wine", "dashdotted"
REWARDS = BOUNDED_CONTEXTUAL
ROUND_BY_ROUND = True
PRINTED = 0.0
LEAST = 0.1  # the multiple of I that is added to a V without noise (our choice)


def noise_ratio(values):
    """Return mu of a message. Two messages differ most if they have the same context x and opposite
    rewards; then they differ by 2 x.
    """
    return 2.0 / deviation(*(values[name] for name in ("eps", "delta", "calibration")))


GUARANTEE = message_dp("Han et al. 2021, Algorithm 1", noise_ratio, user_message)


@kernel
def ldp_ols(
    game, rng, eps: Budget, delta: Confidence, alpha: Confidence,
    calibration: Literal["printed", "exact"],
):  # fmt: skip
    """LDP-OLS (Han et al. 2021, Algorithm 1). (eps, delta)-local DP of each user's message about a
    context of length at most 1 and a reward in [-1, 1].

    The user plays the context x with the largest <theta, x>, and breaks ties at random (ours). For
    the reward r, the user sends x x^T with noise of standard deviation 2 s, and r x with noise of
    standard deviation s. The printed s is proportional to 1/eps, which is enough for small eps
    only. With ``exact``, s is the smallest value that suffices, for every eps (derived). V is the
    sum of all x x^T. With an infinite eps, .1 I is added to V (ours).

    Args:
        eps: privacy budget; infinite: no noise.
        delta: the delta of (eps, delta)-local DP.
        alpha: failure probability, on which the shift of V depends.
        calibration: how the noise is calibrated: ``printed`` or ``exact``.
    """
    d, T = dimension(game), rounds_left(game)
    s = deviation(eps, delta, calibration)
    c = 2.0 * s * (4.0 * math.sqrt(d) + 2.0 * math.log(2.0 * T / alpha))
    M, A = np.zeros((d + 1, d + 1)), np.zeros((d + 1, d + 1))  # V, with 2 u as its last row
    theta = np.zeros(d)  # twice the estimate; both choose the same contexts
    t = 0
    x = contexts(game)
    while rounds_left(game) > 0:
        t += 1
        ensure_contexts(game)  # x holds the contexts of this round
        a = greedy(rng, theta, x)
        receive_message(rng, M, x, a, 2.0 * play(game, a), 2.0 * s)
        solve_shifted(theta, A, M, c * math.sqrt(t) if s > 0.0 else LEAST)


@shared
def deviation(eps, delta, calibration):
    """Return s, the standard deviation of the noise of r x."""
    if calibration != PRINTED:
        return 2.0 / mu_for(eps, delta)
    return 2.0 * math.sqrt(2.0 * math.log(1.25 / delta)) / eps
