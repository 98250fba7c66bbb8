"""Top Two identification of the best arm, round by round, from the means of all rewards."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import random, shared
from ...game import Game, arms, pull, rounds_left
from ..noise.local_randomizers import convert_to_bernoulli
from .top_two import calibration, challenger


@shared
def top_two_each_round(game: Game, rng: np.random.Generator, delta: float, tanh: float) -> float:
    """Play until the arm of largest mean passes the stopping test, and return its number.

    The result is NaN if the game ends before an arm passes the test. The test compares the
    transportation cost of two arms with the threshold for Gaussian means.

    Args:
        game: the game.
        rng: the learner's generator.
        delta: probability of a wrong answer.
        tanh: tanh(eps/2) if users send bits (CTB); 0 if users send their rewards.
    """
    K = arms(game)
    if rounds_left(game) < K:
        return np.nan
    m, n, total = np.zeros(K), np.zeros(K), np.zeros(K)
    index, counts = np.zeros(K), np.zeros(K)  # index of a leader; terms of the threshold
    leads, as_leader = np.zeros(K), np.zeros(K)
    calibrated = 2.0 * calibration(0.5 * math.log((K - 1) / delta))
    a = 0
    while rounds_left(game) > 0:
        x = pull(game, a)
        total[a] += x if tanh == 0.0 else convert_to_bernoulli(random(rng), x, tanh)
        n[a] += 1.0
        m[a] = total[a] / n[a]
        index[a] = m[a] + math.sqrt((math.floor(math.log2(n[a])) + 1.0) / n[a])
        counts[a] = 2.0 * math.log(4.0 + math.log(n[a]))
        if n[K - 1] == 0.0:  # each arm once
            a += 1
            continue
        best = np.argmax(m)
        if all_beaten(m, n, counts, best, calibrated):
            return float(best)
        b = int(np.argmax(index))
        leads[b] += 1.0
        if as_leader[b] <= 0.5 * leads[b]:
            a = b
            as_leader[b] += 1.0
        else:
            a = challenger(m, n, b, np.inf, False)
    return np.nan


@shared
def all_beaten(
    m: np.ndarray, n: np.ndarray, counts: np.ndarray, best: int, calibrated: float
) -> bool:
    """Return whether the cost from ``best`` to every other arm reaches its threshold."""
    for b in range(len(m)):
        d = m[best] - m[b]
        cost = 2.0 * d * d / (1.0 / n[best] + 1.0 / n[b])
        if b != best and cost < calibrated + counts[best] + counts[b]:
            return False
    return True
