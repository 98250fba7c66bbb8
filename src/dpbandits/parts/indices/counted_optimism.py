"""DP-UCB and DPR-UCB with other counters or calibrated bonuses."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled import inlined, shared_rare
from ...environments.blocks import truncate
from ...game import arms, end_hold, hold, pull_held
from ..counting.chernoff import Noise, new_noise
from ..counting.counters import (
    KINDS,
    LITERAL,
    LOW,
    counter_noise,
    describe,
    kind_of_noise,
    least_quantile,
    new_counters,
    noise_bonus,
    noise_undescribed,
)
from .argmax import LEAST, MARGIN
from .optimism import Pull, exhaustive_optimism, optimism
from .powers import new_powers, power_of_count

Statistics = tuple[float, float, float]
WINDOW = 2.0**-10  # length of a window of calibrated indices as a fraction of t
FRESH = 0.97  # a bound below this fraction of the quantile is computed anew


@inlined
def count(params: Any, rng: np.random.Generator, pull: Pull, statistics: Statistics) -> Statistics:
    """Return the statistics of DP-UCB after a pull (``observe`` of ``optimism``).

    The statistics are the number of rewards, the noisy sum of the rewards plus the literal bonus,
    and the exact sum.
    """
    (counters, literal, _), (n, _, S) = params, statistics
    N, S = n + 1.0, S + pull.x
    return N, S + counter_noise(counters, rng, pull.a, int(N)) + literal, S


@inlined
def index(params: Any, a: int, statistics: Statistics) -> tuple[float, float]:
    """Return the level and the width of the index of DP-UCB (``index`` of ``optimism``).

    The parameter ``least`` is 0 or a logarithm of the horizon. If ``least`` is above 0, it replaces
    ln t in the radius, and the radius becomes part of the level.
    """
    least, (N, total, _) = params[2], statistics
    width = math.sqrt(2.0 / N)
    return (total / N + math.sqrt(least) * width, 0.0) if least > 0.0 else (total / N, width)


@inlined
def truncate_and_count(
    params: Any, rng: np.random.Generator, pull: Pull, statistics: Statistics
) -> Statistics:
    """Return the statistics of DPR-UCB after a pull (``observe`` of ``exhaustive_optimism``).

    With the calibrated bonus, a bound on the bias of truncation is added to the sum.
    """
    (counters, limits, u, v), (n, _, S) = params[0], statistics
    N = n + 1.0
    B = power_of_count(limits, pull.a, N)
    bias = 0.0 if counters.bonus == LITERAL else u * B**-v
    S += truncate(pull.x, B) + bias
    return N, S + counter_noise(counters, rng, pull.a, int(N)), S


@inlined
def robust_index(params: Any, a: int, log_t: float, statistics: Statistics) -> float:
    """Compute the index of DPR-UCB (``index`` of ``exhaustive_optimism``).

    With the calibrated bonus, the index contains Bernstein's radius of a truncated mean.
    """
    (counters, limits, u, v), literal = params
    (N, total, _), l = statistics, 4.0 * log_t + math.log(2.0)
    if counters.bonus == LITERAL:
        return total / N + literal * (l / N) ** (v / (1.0 + v))
    B = power_of_count(limits, a, N)
    bernstein = math.sqrt(2.0 * u * B ** (1.0 - v) * l / N) + B * l / (3.0 * N)
    return (total + noise_bonus(counters, a, log_t, 0.0)) / N + bernstein


play = optimism(count, index)
play_truncated = exhaustive_optimism(truncate_and_count, robust_index)


class Bounds(NamedTuple):
    """Upper bounds ``level + l slope + root width`` of calibrated indices at round t.

    Here l = ln(2 t^4) and root is the square root of 2 ln t. A quantile is concave in l and
    therefore below its tangents.
    """

    level: np.ndarray  # float64 array (K,), infinite for an arm whose noise is new
    slope: np.ndarray  # float64 array (K,)
    width: np.ndarray  # float64 array (K,)


@inlined
def bound(bounds: Bounds, b: int, l: float, root: float) -> float:
    """Compute the upper bound of the index of arm ``b``."""
    return bounds.level[b] + l * bounds.slope[b] + root * bounds.width[b]


@inlined
def renew_bound(bounds: Bounds, noise: Noise, a: int, N: float, total: float) -> None:
    """Set the bound of arm ``a`` from the tangent of the quantile that was computed last."""
    q, u, l = noise.parabola[a, 0], noise.parabola[a, 1], noise.start[a]
    bounds.level[a] = (total + q - u * l + MARGIN * (abs(total) + q + u * l)) / N
    bounds.slope[a] = u / N
    bounds.width[a] = (1.0 + MARGIN) / math.sqrt(N)


@shared_rare
def play_calibrated(game, rng, counters, least):
    """Play DP-UCB with calibrated bonuses; of several arms with the largest index, the arm of
    lowest number is played.

    Each arm has an upper bound on its index. The loop computes the index of the arm with the
    largest bound, replaces the bound by the index, and repeats this until the largest value is an
    exact index. The arm of this index is then played while its index is certainly above the other
    arms' bounds at the last round of a window. While this arm is played, its bonus is bounded from
    below by the bonus of an earlier round for noise of the same kind.
    """
    K, T = arms(game), game.horizon
    N, total, S = np.zeros(K), np.zeros(K), np.zeros(K)
    value, computed = np.zeros(K), np.zeros(K)  # indices or their bounds; round of an exact index
    bounds = Bounds(np.full(K, np.inf), np.zeros(K), np.zeros(K))
    # lower bounds on the quantiles of each kind of noise, and work space for them
    quantile, rough = np.zeros(KINDS), new_noise(1, LOW + 1)
    t = 1
    while t <= T:
        log_t = math.log(t)
        l, root = 4.0 * log_t + math.log(2.0), math.sqrt(2.0 * max(log_t, least))
        for b in range(K):
            value[b] = bound(bounds, b, l, root)
        a = np.argmax(value)
        while N[a] > 0.0 and computed[a] < t:
            bonus = noise_bonus(counters, a, log_t, 0.0)
            value[a] = (total[a] + bonus) / N[a] + math.sqrt(2.0 * max(log_t, least) / N[a])
            renew_bound(bounds, counters.noise, a, N[a], total[a])
            computed[a] = t
            kind = kind_of_noise(counters, a, int(N[a]))
            if quantile[kind] < FRESH * bonus:
                quantile[kind] = least_quantile(counters, rough, a, int(N[a]), l)
            a = np.argmax(value)
        last = min(t + max(LEAST, math.floor(t * WINDOW)), T)
        later, bar = math.log(last), -np.inf
        l, root = 4.0 * later + math.log(2.0), math.sqrt(2.0 * max(later, least))
        for b in range(K):
            if b != a:
                bar = max(bar, bound(bounds, b, l, root))
        arm, n, s, leads, x = hold(game, a), N[a], S[a], True, 0.0
        gain = math.sqrt(2.0 * max(log_t, least) * n)
        while leads:
            n += 1.0
            s += pull_held(game, arm, t - 1)
            x = s + noise_undescribed(counters, rng, a, int(n))
            t += 1
            bonus = quantile[kind_of_noise(counters, a, int(n))]
            leads = t <= last and x + bonus + gain > bar * n
        end_hold(game, arm, t - 1)
        N[a], total[a], S[a], bounds.level[a] = n, x, s, np.inf
        describe(counters, a, int(n))


@shared_rare
def dp_ucb_with_counters(game, rng, literal, least, budget, tree, bonus):
    """Play DP-UCB with a choice of the counter and of the bonus.

    ``literal`` is the literal bonus. If ``least`` is 0, the radius in round t contains ln t. If
    ``least`` is ln 2T, ln 2T takes the place of ln t, so that the radius depends on the horizon.
    ``budget`` is the privacy budget of an arm's counter.
    """
    K, T = arms(game), game.horizon
    counters = new_counters(K, T, int(tree), int(bonus), 1.0, 0.0, budget)
    if bonus == LITERAL:
        play(game, rng, (counters, literal, least))
    else:
        play_calibrated(game, rng, counters, least)


@shared_rare
def dpr_ucb_with_counters(game, rng, eps, u, v, first, literal, tree, bonus):
    """Play DPR-UCB with a choice of the counter and of the bonus.

    ``first`` is the truncation level of an arm's first reward, ``literal`` is the literal bonus.
    """
    K, T = arms(game), game.horizon
    power = 1.0 / (1.0 + v)
    counters = new_counters(K, T, int(tree), int(bonus), 2.0 * first, power, eps)
    limits = new_powers(K, first, power)
    play_truncated(game, rng, ((counters, limits, u, v), literal))
