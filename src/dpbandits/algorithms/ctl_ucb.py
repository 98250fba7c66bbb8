"""CTL-UCB: UCB on private signs of heavy-tailed rewards, some of which are outliers."""

import math
from typing import Annotated, Any, NamedTuple

from ..authoring import (
    AboveOne, Positive, RawMoments, arms, below, inlined, kernel, local_dp, new_powers, one_bit,
    optimism, power_of_count, pull_held_within, random, receive, shared,
)  # fmt: skip
from ..parts.indices.optimism import exploring
from ..parts.indices.powers import Powers
from ..parts.means.estimators import RAW_LIMIT
from ..parts.means.truncation_levels import Levels, level_of, new_levels
from ..parts.noise.local_randomizers import convert_to_sign, largest_sign, send_sign

NAME = "CTL-UCB"
LINE = "green", "dashed"
REWARDS = RawMoments()
GUARANTEE = local_dp("Zhou & Zhang 2024, Proposition 2", send_sign, one_bit)
ROUND_BY_ROUND = True
REPORTS = True
Contamination = Annotated[float, below(RAW_LIMIT)]


class Params(NamedTuple):
    """The values that the index uses in addition to the statistics of an arm."""

    game: Any
    alpha: float  # bound on the contamination
    tanh: float  # tanh(eps/2)
    levels: Levels  # M, at which the device truncates
    bias: float  # c times the term of the radius for outliers
    # c (sqrt(4/N)/eps)^(1 - 1/k); multiplied by (ln t)^(1/2 - 1/2k), it is the rest of the radius
    widths: Powers


@inlined
def enough(params, log_t):
    """Return the number of pulls above which an arm counts as explored: 6 ln t/alpha. If alpha is
    0, the number is ln(1/delta) with delta = t^-4, our choice.
    """
    l = 4.0 * log_t
    return 1.5 * l / params.alpha if params.alpha > 0.0 else l


@inlined
def draw(params, game, arm, t, N):
    """Draw the reward and return it with the level M at which the device truncates it (Prop. 2).

    The device learns M before the reward is drawn, so M cannot depend on the final number n of
    rewards. Our choice: n is the largest power of two that is at most the arm's next pull count,
    and signs that were sent with an earlier M remain in the mean.
    """
    M = level_of(params.levels, arm.row, max(t + 1, 2), N + 1.0)
    return pull_held_within(game, arm, t, M), M


@inlined
def draw_user(params, game, rng, last):
    """Draw the random number that decides the sign of the next user."""
    return random(rng)


@inlined
def observe(params, rng, pull, statistics):
    """Update the statistics of an arm: its number of messages, and their sum. A user's message is
    the randomized sign of the truncated reward, scaled so that the message is unbiased.
    """
    (N, total, _), (x, M) = statistics, pull.x
    z = convert_to_sign(pull.user, x, params.tanh, M)
    sent = receive(params.game, pull.a, z, largest_sign(M, params.tanh))
    return N + 1.0, total + sent, 0.0


@inlined
def index(params, a, statistics):
    N, total, _ = statistics
    return total / N + params.bias, power_of_count(params.widths, a, N)


play_optimistically = optimism(observe, index, draw_user, exploring(enough, by_pulls=True), draw)


@shared
def play(game, rng, eps, k, alpha, c, cap, bias):
    """Play Alg. 2, where ``cap`` is an upper limit of the truncation level M, and ``bias`` is the
    bias due to outliers.

    The radius of an arm of N pulls is c (bias + (sqrt(ln(1/delta)/N)/eps)^(1 - 1/k)).
    """
    K, power = arms(game), 0.5 - 0.5 / k
    widths = new_powers(K, c * (math.sqrt(4.0) / eps) ** (1.0 - 1.0 / k), -power)
    levels = new_levels(K, eps, k, cap)
    params = Params(game, alpha, math.tanh(0.5 * eps), levels, c * bias, widths)
    play_optimistically(game, rng, params, power=power, width_decay=power)


@kernel
def ctl_ucb(game, rng, eps: Positive, k: AboveOne, alpha1: Contamination, c: Positive):
    """UCB for corruption-then-LDP (Zhou & Zhang 2024, Alg. 2). eps-local DP: every user sends a
    sign. The rewards satisfy E|X|^k <= 1; with probability at most alpha1 an outlier replaces a
    reward.

    Args:
        eps: privacy budget of every user; the regret bound requires eps <= 1.
        k: order of the moment E|X|^k.
        alpha1: bound on the probability of an outlier. If alpha1 is 0, an arm is explored until it
            has ln(1/delta) pulls.
        c: constant of the confidence radius; the paper does not fix c, but has c = .5 in its
            example.
    """
    cap = alpha1 ** (-1.0 / k) if alpha1 > 0.0 else math.inf
    play(game, rng, eps, k, alpha1, c, cap, alpha1 ** (1.0 - 1.0 / k))
