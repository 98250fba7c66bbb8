"""Hybrid counters: true sums without noise, and the variance of the noise."""

import math

import numpy as np
import pytest

from dpbandits.parts.counting.hybrid_counters import count_reward, counted_mean, new_hybrid_counters


def prefix_means(x, eps, seed=1):
    counters, rng = new_hybrid_counters(2, len(x)), np.random.default_rng(seed)
    found = []
    for value in x:
        count_reward(rng, eps, counters, 1, value)
        found.append(counted_mean(counters, 1))
    assert counters.size.tolist() == [0, len(x)]
    return np.array(found)


def test_without_noise_the_means_are_those_of_all_rewards():
    x = np.random.default_rng(2).random(300)
    n = np.arange(1, 301)
    assert prefix_means(x, math.inf) == pytest.approx(np.cumsum(x) / n)


def variance(n):
    """Of the noise of the sum of n rewards, for eps = 1: that of each finished epoch, and of one
    node of the tree of the present epoch for each binary digit 1 of the rewards in it."""
    r = int(math.log2(n + 1)) - 1
    inside = n - (2 ** (r + 1) - 1)
    return (r + 1) * 2 * 2**2 + inside.bit_count() * 2 * (2 * (r + 2)) ** 2


@pytest.mark.slow
def test_the_variance_of_the_noise():
    eps, T, runs = 0.5, 40, 20_000
    n = np.arange(1, T + 1)
    sums = np.array([n * prefix_means(np.zeros(T), eps, seed) for seed in range(runs)])
    expected = np.array([variance(i) for i in range(1, T + 1)]) / eps**2
    assert sums.var(axis=0) == pytest.approx(expected, rel=0.1)
    assert (np.abs(sums.mean(axis=0)) < 5 * np.sqrt(expected / runs)).all()
