"""Privacy mechanisms: the right law at two scales; levels of trees."""

import math

import numpy as np
import pytest
from in_law import assert_law
from scipy import stats

from dpbandits.parts.counting.trees import lowest_bit, tree_levels, tree_node_scale
from dpbandits.parts.noise.mechanisms import gaussian, gaussian_mean, laplace


@pytest.mark.parametrize("scale", [0.25, 40.0])
def test_laplace_law_two_sided(scale):
    rng = np.random.default_rng(1)
    draws = np.array([laplace(rng, scale) for _ in range(40_000)])
    assert_law(draws, *(stats.laplace(scale=x * scale) for x in (1, 0.8, 1.2)))


@pytest.mark.parametrize("rho", [0.02, 3.0])
def test_gaussian_law_two_sided(rho):
    """A mean of n rewards whose sum is 3, with the noise of zCDP: N(0, 1/(2 rho n^2))."""
    rng, n = np.random.default_rng(1), 4
    draws = np.array([gaussian_mean(rng, 3.0, n, rho) for _ in range(40_000)])
    scale = math.sqrt(1 / (2 * rho * n**2))
    assert_law(draws, *(stats.norm(0.75, x * scale) for x in (1, 0.8, 1.2)))


def test_noise_of_scale_zero_is_nothing():
    rng = np.random.default_rng(1)
    assert laplace(rng, 0.0) == 0.0
    assert tree_node_scale(24, 1.0, math.inf) == 0.0
    assert gaussian(rng, 0.0) == 0.0
    assert gaussian_mean(rng, 3.0, 4, math.inf) == 0.75


def test_draws_are_independent():
    rng = np.random.default_rng(2)
    draws = np.array([laplace(rng, 1.0) for _ in range(40_000)])
    for lag in (1, 2, 5):
        assert abs(np.corrcoef(draws[:-lag], draws[lag:])[0, 1]) < 5 / math.sqrt(len(draws))


@pytest.mark.parametrize("T", [1, 2, 3, 7, 8, 9, 2**24 - 1, 2**24, 2**24 + 1, 10**12, 2**62])
def test_levels_are_floor_log2_plus_1(T):
    assert tree_levels(T) == len(bin(T)) - 2


def test_lowest_bit():
    for j in range(62):
        assert lowest_bit(1 << j) == j
        assert lowest_bit((1 << j) + (1 << 62)) == j
