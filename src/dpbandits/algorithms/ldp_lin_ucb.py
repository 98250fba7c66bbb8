"""LDP-LinUCB: optimism with one noisy message per user about the context and the reward."""

import math
from typing import Literal

import numpy as np

from ..authoring import (
    BOUNDED_CONTEXTUAL, Budget, Confidence, contexts, dimension, ensure_contexts, kernel,
    message_dp, mu_for, play, rounds_left, shared, user_message,
)  # fmt: skip
from ..parts.linear.noisy_matrices import (
    estimate_noisy, new_noisy_estimate, optimistic_by_squares, optimistic_noisy,
    receive_message,
)  # fmt: skip

NAME = "LDP-LinUCB"
LINE = "purple", "dashdotted"
REWARDS = BOUNDED_CONTEXTUAL
ROUND_BY_ROUND = True
PRINTED = 0.0
DISTANCE = math.sqrt(4.5)  # largest of two messages: contexts at 60 degrees, opposite rewards


def noise_ratio(values):
    """Return mu of a message, the largest distance between two messages divided by sigma_n."""
    options = (values[name] for name in ("eps", "delta", "variant", "calibration"))
    return DISTANCE / deviation(*options)


GUARANTEE = message_dp("Zheng et al. 2020", noise_ratio, user_message)


@kernel
def ldp_lin_ucb(
    game, rng, eps: Budget, delta: Confidence, alpha: Confidence,
    variant: Literal["printed", "coded"], calibration: Literal["printed", "exact"],
):  # fmt: skip
    """LDP-LinUCB (Zheng et al. 2020). (eps, delta)-local DP of each user's message about a context
    of length at most 1 and a reward in [-1, 1].

    Two algorithms are published under this name. ``printed`` explores by the norm |x|_W, where W is
    the inverse of V + c I. ``coded``, the authors' code, explores by |x|_W^2, which is much
    smaller, and its noise lacks a factor sqrt(2); the authors run it with eps = 8e5 and delta = .1.
    Neither variant has enough noise for such an eps: the noise of both is proportional to 1/eps,
    which is enough for small eps only. With ``exact``, the noise has the smallest sufficient scale,
    for every eps (derived). With an infinite eps, the shift c stays at its first value c_0 (ours).
    If an improbable draw makes V + c I indefinite, a negative |x|_W^2 counts as 0 (ours).

    Args:
        eps: privacy budget; infinite: no noise.
        delta: the delta of (eps, delta)-local DP.
        alpha: failure probability.
        variant: ``printed`` or ``coded``.
        calibration: how the noise is calibrated: ``printed`` (by the formula of the variant) or
            ``exact``.
    """
    d, T = dimension(game), rounds_left(game)
    sigma = deviation(eps, delta, variant, calibration)
    growth = 4.0 * math.sqrt(d) + 2.0 * math.log(2.0 * T / alpha)
    l = math.log(T)
    M = np.zeros((d + 1, d + 1))  # V, with u as its last row
    t, c = 0, 0.1
    x = contexts(game)
    V = new_noisy_estimate(d, len(x))
    while rounds_left(game) > 0:
        t += 1
        ensure_contexts(game)  # x holds the contexts of this round
        estimate_noisy(V, M, c, x)  # c_{t-1}
        g = sigma * math.sqrt(t) * growth  # gamma_t
        radius = math.sqrt(3.0 * g) + math.sqrt(sigma * d * math.sqrt(t) / growth)
        beta = 2.0 * sigma * math.sqrt(d * l) + radius * d * l
        a = optimistic_noisy(V, beta) if variant == PRINTED else optimistic_by_squares(V, beta)
        receive_message(rng, M, x, a, play(game, a), sigma)
        if sigma > 0.0:
            c = 2.0 * g


@shared
def deviation(eps, delta, variant, calibration):
    """Return sigma_n, the standard deviation of the noise."""
    if calibration != PRINTED:
        return DISTANCE / mu_for(eps, delta)
    return 4.0 * math.sqrt((2.0 if variant == PRINTED else 1.0) * math.log(1.25 / delta)) / eps
