"""CTL-UCB: UCB on private signs of heavy-tailed rewards, some of which are outliers."""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..authoring import (
    AboveOne, Positive, RawMoments, arms, below, inlined, kernel, local_dp, new_powers, one_bit,
    optimism, power_of_count, pull_held_within, random, receive, shared,
)  # fmt: skip
from ..parts.indices.powers import Powers, power_of_log
from ..parts.means.estimators import RAW_LIMIT
from ..parts.noise.local_randomizers import convert_to_sign, largest_sign, send_sign

NAME = "CTL-UCB"
LINE = "green", "dashed"
REWARDS = RawMoments()
GUARANTEE = local_dp("Zhou & Zhang 2024, Proposition 2", send_sign, one_bit)
ROUND_BY_ROUND = True
REPORTS = True
Contamination = Annotated[float, below(RAW_LIMIT)]


class Own(NamedTuple):
    """What the algorithm knows beside an arm's number and sum of reports."""

    game: Any
    eps: float
    tanh: float  # tanh(eps/2)
    k: float  # order of the moment
    alpha: float  # bound on the contamination
    cap: float  # limit of M
    bias: float  # what outliers add to the radius
    wide: float  # the rest of the radius is wide (ln t/N)^(1/2 - 1/2k)
    radii: Powers  # of the pull counts
    raised: np.ndarray  # float64 array (K,), the pull count at which an arm's level is raised
    level: np.ndarray  # float64 array (K,), M (ln t)^(1/2k) before the limit
    step: np.ndarray  # of (ln t)^(-1/2k), see ``power_of_log``
    explored: np.ndarray  # float64 array (1,), a round until which all arms have enough pulls


@inlined
def draw(own, game, arm, t, N):
    """The reward, and the level M at which the device truncates it (Proposition 2).

    The device learns M before the reward is drawn, so it cannot depend on the final number of
    rewards. Our choice: n is the power of two at or below the arm's next pull count, and what was
    sent stays.
    """
    a = arm.row
    if own.raised[a] <= N + 1.0:
        n = 2.0 ** (math.frexp(N + 1.0)[1] - 1)
        own.raised[a], own.level[a] = 2.0 * n, (own.eps * math.sqrt(n / 4.0)) ** (1.0 / own.k)
    M = min(own.level[a] * power_of_log(own.step, max(t + 1, 2), -0.5 / own.k), own.cap)
    return pull_held_within(game, arm, t, M), M


@inlined
def draw_user(own, game, rng, last):
    """The random number behind the sign of the next user."""
    return random(rng)


@inlined
def observe(own, rng, pull, statistics):
    (N, total, _), (x, M) = statistics, pull.x
    z = convert_to_sign(pull.user, x, own.tanh, M)
    return N + 1.0, total + receive(own.game, pull.a, z, largest_sign(M, own.tanh)), 0.0


@inlined
def index(own, a, statistics):
    N, total, _ = statistics
    return total / N + own.bias, power_of_count(own.radii, a, N, own.wide, 0.5 / own.k - 0.5)


@inlined
def explore(own, t, N, total, more, level):
    """The first arm with too few pulls. There is none until the smallest number of pulls is few."""
    alpha, least = own.alpha, np.inf
    l = 4.0 * math.log(max(t, 2))  # ln(1/delta), delta = t^-4
    few = 1.5 * l / alpha if alpha > 0.0 else l  # 6 ln t/alpha
    for a in range(len(N)):
        if N[a] <= few:
            return a
        least = min(least, N[a])
    log_t = least * alpha / 6.0 if alpha > 0.0 else least / 4.0
    # never late by a rounding error, nor too large for a float
    own.explored[0] = (1.0 - 1e-9) * math.exp(min(log_t, 700.0)) - 1.0
    return -1


play_optimistically = optimism(observe, index, draw_user, explore, draw)


@shared
def play(game, rng, eps, k, alpha, c, cap, bias):
    """Alg. 2, given the limit of M and the outliers' bias. The radius of an arm of N pulls is
    c (bias + (sqrt(ln(1/delta)/N)/eps)^(1 - 1/k)).
    """
    K, power = arms(game), 0.5 - 0.5 / k
    wide = c * (math.sqrt(4.0) / eps) ** (1.0 - 1.0 / k)
    own = Own(
        game, eps, math.tanh(0.5 * eps), k, alpha, cap, c * bias, wide, new_powers(K),
        np.zeros(K), np.zeros(K), np.zeros(7), np.zeros(1),
    )  # fmt: skip
    play_optimistically(game, rng, own, 0.0, power, power, 0.0)


@kernel
def ctl_ucb(game, rng, eps: Positive, k: AboveOne, alpha1: Contamination, c: Positive):
    """UCB for corruption-then-LDP (Zhou & Zhang 2024, Alg. 2). eps-local DP: every user sends a
    sign. Rewards with E|X|^k <= 1, and outliers, in their place, with probability at most alpha1.

    Args:
        eps: privacy budget of every user; the regret bound requires eps <= 1.
        k: order of the moment.
        alpha1: bound on the contamination. At 0 an arm is explored until it has ln(1/delta) pulls.
        c: constant of the radius, which the paper does not fix; .5 in its example.
    """
    cap = alpha1 ** (-1.0 / k) if alpha1 > 0.0 else np.inf
    play(game, rng, eps, k, alpha1, c, cap, alpha1 ** (1.0 - 1.0 / k))
