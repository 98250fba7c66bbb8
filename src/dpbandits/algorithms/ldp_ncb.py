"""LDP-NCB: Nash confidence bounds on Laplace responses of users."""

import math
from typing import NamedTuple

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Budget, Positive, arms, inlined, kernel, local_dp, one_release, pull,
    random_arm, rounds_left,
)  # fmt: skip
from ..parts.indices.steady import steady_optimism
from ..parts.noise.local_randomizers import convert_to_laplace

NAME = "LDP-NCB"
LINE = "wine", "dotted"
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("a user's response is one Laplace release", convert_to_laplace, one_release)
ROUND_BY_ROUND = True


class Params(NamedTuple):
    """The values that the index uses in addition to the number and sum of an arm's responses."""

    eps: float
    radius: float  # 2c sqrt(2 ln T)
    wide: float  # sqrt(8 alpha ln T)/eps
    mixed: float  # 4c (2 alpha)^(1/4) (ln W)^(3/4)/sqrt(eps)


@inlined
def observe(params, rng, x):
    """Return the response of a user with the reward ``x``."""
    return convert_to_laplace(rng, x, params.eps)


@inlined
def clipped_mean(n, s):
    return min(max(s / n, 0.0), 1.0)


@inlined
def index(params, n, s):
    m, r = clipped_mean(n, s), 1.0 / math.sqrt(n)
    return m + r * (params.radius * math.sqrt(m) + params.wide + params.mixed * math.sqrt(r))


play = steady_optimism(observe, index)


@kernel
def ldp_ncb(game, rng, eps: Budget, c: Positive, alpha: Positive):
    """LDP-NCB (Sarkar et al. 2025), as in the authors' code, but with the noise of scale 1/eps in
    phase 1, too. Each user's response is eps-local DP. Rewards in [0, 1].

    Args:
        eps: privacy budget of each user.
        c: width of the confidence radius.
        alpha: width of the terms for the noise; the regret bound requires alpha > 3.
    """
    K, T = arms(game), game.horizon
    W = math.floor(math.sqrt(T)) + 1.0
    log_T, log_W = math.log(T), math.log(W)
    mixed = 4.0 * c * (2.0 * alpha) ** 0.25 * log_W**0.75 / math.sqrt(eps)
    wide = math.sqrt(8.0 * alpha * log_T) / eps
    params = Params(eps, 2.0 * c * math.sqrt(2.0 * log_T), wide, mixed)
    N, S = np.zeros(K), np.zeros(K)
    t, explores = 0, True
    while rounds_left(game) > 0 and t <= W and explores:
        a = random_arm(rng, K)
        N[a], S[a] = N[a] + 1.0, S[a] + observe(params, rng, pull(game, a))
        t += 1
        m, root = clipped_mean(N[a], S[a]), math.sqrt(N[a])
        sure = max(m - wide / root, 1e-20) * (eps * eps)
        most = 1600.0 * (c * c * log_T + log_T * log_T / max(sure, 1e-300)) + wide * root
        explores = N[a] * m <= most
    play(game, rng, params, N, S)
