"""DP-UCB and DPR-UCB with other counters or calibrated bonuses: every index in every round."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...compiled import inlined, shared_rare
from ...environments.blocks import truncate
from ...game import arms
from ..counting.counters import LITERAL, counter_noise, new_counters, noise_bonus
from .optimism import Pull, exhaustive_optimism
from .powers import new_powers, power_of_count

Statistics = tuple[float, float, float]


@inlined
def count(own: Any, rng: np.random.Generator, pull: Pull, statistics: Statistics) -> Statistics:
    """``observe`` of DP-UCB: the noisy sum of the arm's rewards and the sum itself."""
    counters, (n, _, S) = own[0], statistics
    N, S = n + 1.0, S + pull.x
    return N, S + counter_noise(counters, rng, pull.a, int(N)), S


@inlined
def index(own: Any, a: int, log_t: float, statistics: Statistics) -> float:
    """Index of DP-UCB; the confidence radius never falls below that of the logarithm ``least``."""
    (counters, literal, least), (N, total, _) = own, statistics
    bonus, l = noise_bonus(counters, a, log_t, literal), max(log_t, least)
    return (total + bonus) / N + math.sqrt(2.0 * l / N)


@inlined
def truncate_and_count(
    own: Any, rng: np.random.Generator, pull: Pull, statistics: Statistics
) -> Statistics:
    """``observe`` of DPR-UCB. With the calibrated bonus, the bias of truncation is in the sum."""
    (counters, limits, first, u, v), (n, _, S) = own[0], statistics
    N = n + 1.0
    B = power_of_count(limits, pull.a, N, first, 1.0 / (1.0 + v))
    bias = 0.0 if counters.bonus == LITERAL else u * B**-v
    S += truncate(pull.x, B) + bias
    return N, S + counter_noise(counters, rng, pull.a, int(N)), S


@inlined
def robust_index(own: Any, a: int, log_t: float, statistics: Statistics) -> float:
    """Index of DPR-UCB; the calibrated one adds Bernstein's radius of a truncated mean."""
    (counters, limits, first, u, v), literal = own
    (N, total, _), l = statistics, 4.0 * log_t + math.log(2.0)
    if counters.bonus == LITERAL:
        return total / N + literal * (l / N) ** (v / (1.0 + v))
    B = power_of_count(limits, a, N, first, 1.0 / (1.0 + v))
    bernstein = math.sqrt(2.0 * u * B ** (1.0 - v) * l / N) + B * l / (3.0 * N)
    return (total + noise_bonus(counters, a, log_t, 0.0)) / N + bernstein


play = exhaustive_optimism(count, index)
play_truncated = exhaustive_optimism(truncate_and_count, robust_index)


@shared_rare
def dp_ucb_with_counters(game, rng, literal, least, budget, tree, bonus):
    """Play DP-UCB, given its literal bonus, the ``least`` logarithm of its radius (0 for that of
    each round, ln 2T for that of the horizon) and the budget of an arm's counter.
    """
    K, T = arms(game), game.horizon
    counters = new_counters(K, T, int(tree), int(bonus), 1.0, 0.0, budget)
    play(game, rng, (counters, literal, least))


@shared_rare
def dpr_ucb_with_counters(game, rng, eps, u, v, first, literal, tree, bonus):
    """Play DPR-UCB, given the truncation level of the first reward and the literal bonus."""
    K, T = arms(game), game.horizon
    power = 1.0 / (1.0 + v)
    counters = new_counters(K, T, int(tree), int(bonus), 2.0 * first, power, eps)
    play_truncated(game, rng, ((counters, new_powers(K), first, u, v), literal))
