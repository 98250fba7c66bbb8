"""NCB: Nash confidence bounds, without privacy, for a small Nash regret."""

import math

import numpy as np

from ..authoring import (
    NOT_PRIVATE, UNIT_INTERVAL, Positive, arms, inlined, kernel, pull, random_arm, rounds_left,
)  # fmt: skip
from ..parts.indices.steady import steady_optimism

NAME = "NCB"
LINE = "wine", "dashed"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@inlined
def observe(radius, rng, x):
    """Return the reward as it is."""
    return x


@inlined
def index(radius, n, s):
    """Return the mean plus its radius, ``radius`` sqrt(mean/n); ``radius`` is 2c sqrt(2 ln T)."""
    return (s + radius * math.sqrt(s)) / n


play = steady_optimism(observe, index)


@kernel
def ncb(game, rng, c: Positive):
    """NCB (Barman et al. 2023), as in the code of Sarkar et al. 2025: random arms until the
    rewards of one sum to more than c^2 ln T. Not private. Rewards in [0, 1].

    Args:
        c: width of the confidence radius.
    """
    K, log_T, largest = arms(game), math.log(game.horizon), 0.0
    N, S = np.zeros(K), np.zeros(K)
    while rounds_left(game) > 0 and largest <= c * c * log_T:
        a = random_arm(rng, K)
        N[a], S[a] = N[a] + 1.0, S[a] + pull(game, a)
        largest = max(largest, S[a])
    play(game, rng, 2.0 * c * math.sqrt(2.0 * log_T), N, S)
