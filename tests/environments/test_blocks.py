"""Sums of enormous blocks, of normal laws, and of laws that are drawn one by one; see test_laws."""

import math

import numpy as np
import pytest
from helpers import P_VALUE, bernoulli, two_arms
from scipy import stats

from dpbandits.environments.blocks import draw_sum
from dpbandits.environments.catalogue import build
from dpbandits.environments.laws import draw

BETA = {"law": "beta", "a": 2, "b": 3}
UNIFORM = {"law": "uniform", "low": 0.2, "high": 0.9}


def test_block_sums_of_enormous_blocks():
    """At n = 1e18 mean and spread are still the binomial's."""
    env, rng = build(bernoulli(0.3, 0.2)).environment, np.random.default_rng(4)
    n = 10**18
    z = [
        (draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) - 0.3 * n) / np.sqrt(0.21 * n)
        for _ in range(2000)
    ]
    assert abs(np.mean(z)) < 5 / np.sqrt(2000)
    assert 0.85 < np.var(z) < 1.15


def test_certain_arms():
    env, rng = build(bernoulli(0.0, 1.0)).environment, np.random.default_rng(4)
    for n in (1, 10, 10**9):
        assert draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) == 0.0
        assert draw_sum(env, rng, 1, n, 0, 1, 0.0, np.inf) == n


@pytest.mark.parametrize("n", [1, 5, 80, 10**15])
def test_block_sums_of_a_gaussian_law(n):
    env = two_arms({"law": "gaussian", "mean": 0.25, "sd": 2}).environment
    rng = np.random.default_rng(14)
    sums = np.array([draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) for _ in range(2000)])
    z = (sums - n * 0.25) / (2 * math.sqrt(n))
    assert stats.kstest(z, "norm").pvalue > P_VALUE
    assert stats.kstest(0.7 * z, "norm").pvalue < 1e-9  # control
    assert stats.kstest(z + 0.2, "norm").pvalue < 1e-9  # control


def test_block_sums_of_equal_values_are_certain():
    same = {"law": "discrete", "values": [1.0, 1.0, 1.0], "probabilities": [0.5, 0.3, 0.2]}
    env, rng = two_arms(same).environment, np.random.default_rng(1)
    assert all(draw_sum(env, rng, 0, 10**15, 0, 1, 0.0, np.inf) == 10**15 for _ in range(50))


@pytest.mark.parametrize("n", [0, 1, 5, 80])
@pytest.mark.parametrize("law", [BETA, UNIFORM], ids=["beta", "uniform"])
def test_block_sums_of_other_laws_are_sums_of_single_rewards(law, n):
    env = two_arms(law).environment
    blocks, singles = np.random.default_rng(15), np.random.default_rng(15)
    expected = sum(draw(env, singles, 0, 0) for _ in range(n))
    assert draw_sum(env, blocks, 0, n, 0, 1, 0.0, np.inf) == pytest.approx(expected)
