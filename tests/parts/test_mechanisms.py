"""Privacy mechanisms: the right law at the right scale; levels of trees."""

import math

import numpy as np
import pytest
from in_law import assert_law
from scipy import stats

from dpbandits.parts.counting.trees import lowest_bit, tree_levels, tree_node_scale
from dpbandits.parts.noise.discrete_noise import discrete_laplace, skellam
from dpbandits.parts.noise.local_randomizers import convert_to_laplace
from dpbandits.parts.noise.mechanisms import gaussian, gaussian_mean, laplace

# How noise of a law is drawn, and what SciPy calls the law with its scale times x
NOISE = {
    "laplace .25": (lambda g: laplace(g, 0.25), lambda x: stats.laplace(scale=0.25 * x)),
    "laplace 40": (lambda g: laplace(g, 40.0), lambda x: stats.laplace(scale=40 * x)),
    # a mean of 4 rewards whose sum is 3, with the noise of zCDP: N(0, 1/(2 rho n^2))
    "gaussian .02": (lambda g: gaussian_mean(g, 3.0, 4, 0.02),
     lambda x: stats.norm(0.75, 1.25 * x)),
    "gaussian 2": (lambda g: gaussian_mean(g, 3.0, 4, 2.0), lambda x: stats.norm(0.75, 0.125 * x)),
    "response of 0": (lambda g: convert_to_laplace(g, 0.0, 0.5), lambda x: stats.laplace(0, 2 * x)),
    "response of .3": (lambda g: convert_to_laplace(g, 0.3, 4.0),
     lambda x: stats.laplace(0.3, 0.25 * x)),
    "integers .3": (lambda g: discrete_laplace(g, 0.3), lambda x: stats.dlaplace(1 / (0.3 * x))),
    "integers 6.5": (lambda g: discrete_laplace(g, 6.5), lambda x: stats.dlaplace(1 / (6.5 * x))),
    "skellam .4": (lambda g: skellam(g, 0.4), lambda x: stats.skellam(0.2 * x, 0.2 * x)),
    "skellam 60": (lambda g: skellam(g, 60.0), lambda x: stats.skellam(30 * x, 30 * x)),
}  # fmt: skip


@pytest.mark.parametrize("name", NOISE)
def test_noise_has_its_law_and_no_other_scale(name):
    (draw, law), rng = NOISE[name], np.random.default_rng(1)
    assert_law([draw(rng) for _ in range(40_000)], *(law(x) for x in (1, 0.8, 1.2)))


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


def test_levels_and_lowest_bits_are_those_of_the_binary_number():
    for T in (1, 2, 3, 7, 8, 9, 2**24 - 1, 2**24, 2**24 + 1, 10**12, 2**62):
        assert tree_levels(T) == T.bit_length()
    for j in range(62):
        assert lowest_bit(1 << j) == lowest_bit((1 << j) + (1 << 62)) == j
