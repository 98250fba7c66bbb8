"""Privacy mechanisms: the right law at two scales, and the tree proved symbolically."""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.parts.counting.trees import (
    lowest_bit,
    new_trees,
    tree_levels,
    tree_node_scale,
    tree_noise,
)
from dpbandits.parts.noise.mechanisms import gaussian, gaussian_mean, laplace


@pytest.mark.parametrize("scale", [0.25, 40.0])
def test_laplace_law_two_sided(scale):
    rng = np.random.default_rng(1)
    draws = np.array([laplace(rng, scale) for _ in range(40_000)])
    assert stats.kstest(draws, stats.laplace(scale=scale).cdf).pvalue > 1e-6
    for wrong in (0.8, 1.2):  # controls
        assert stats.kstest(draws, stats.laplace(scale=wrong * scale).cdf).pvalue < 1e-12


@pytest.mark.parametrize("rho", [0.02, 3.0])
def test_gaussian_law_two_sided(rho):
    """A mean of n rewards whose sum is 3, with the noise of zCDP: N(0, 1/(2 rho n^2))."""
    rng, n = np.random.default_rng(1), 4
    draws = np.array([gaussian_mean(rng, 3.0, n, rho) for _ in range(40_000)])
    scale = math.sqrt(1 / (2 * rho * n**2))
    assert stats.kstest(draws, stats.norm(0.75, scale).cdf).pvalue > 1e-6
    for wrong in (0.8, 1.2):  # controls
        assert stats.kstest(draws, stats.norm(0.75, wrong * scale).cdf).pvalue < 1e-12


def test_without_a_budget_gaussian_noise_is_nothing():
    rng = np.random.default_rng(1)
    assert gaussian(rng, 0.0) == 0.0
    assert gaussian_mean(rng, 3.0, 4, math.inf) == 0.75


def test_laplace_of_scale_zero_adds_nothing():
    assert laplace(np.random.default_rng(1), 0.0) == 0.0
    assert tree_node_scale(24, 1.0, math.inf) == 0.0


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


class Symbols:
    """Noise that remembers which draws it is made of."""

    def __init__(self, *names):
        self.names = names

    def __add__(self, other):
        return Symbols(*self.names, *other.names)


@pytest.mark.parametrize("T", [1, 8, 13, 16, 64])
def test_prefix_holds_the_nodes_of_its_binary_digits(T):
    """Item n's node is called n: it covers the items (n - lowest bit, n]."""
    trees = np.zeros((2, tree_levels(T)), dtype=object)
    for n in range(1, T + 1):
        tree_noise(trees, 1, n, Symbols(-n))
        prefix = tree_noise(trees, 0, n, Symbols(n))
        nodes, rest = [], n
        while rest:
            nodes.append(rest)
            rest -= rest & -rest
        assert sorted(prefix.names) == sorted(nodes)


@pytest.mark.parametrize("T", [1, 5, 8, 16, 100, 128, 1000, 1024])
def test_an_item_enters_at_most_the_levels_that_its_noise_pays_for(T):
    """The most nodes that cover one item, counted: a tree with ceil(log2 T) levels is one short
    at powers of two."""
    covering = np.zeros(T + 1, int)
    for n in range(1, T + 1):
        covering[n - (n & -n) + 1 : n + 1] += 1
    assert covering.max() == tree_levels(T)
    if T & (T - 1) == 0 and T > 1:
        assert covering.max() > math.ceil(math.log2(T))


def test_a_tree_holds_every_level_that_it_needs():
    for T in (1, 2, 8, 1024):
        trees = new_trees(1, T)
        for n in range(1, T + 1):
            tree_noise(trees, 0, n, 1.0)
        assert tree_noise(trees, 0, T, 1.0) == bin(T).count("1")


def test_trees_of_different_arms_do_not_touch():
    trees = new_trees(2, 8)
    tree_noise(trees, 0, 1, 5.0)
    assert tree_noise(trees, 1, 1, 7.0) == 7.0
    assert tree_noise(trees, 0, 2, 1.0) == 1.0
    assert tree_noise(trees, 0, 3, 2.0) == 3.0


@pytest.mark.slow
def test_released_prefix_has_the_variance_of_its_digits():
    rng = np.random.default_rng(3)
    scale = tree_node_scale(tree_levels(7), 1.0, 0.5)
    last = []
    for _ in range(20_000):
        trees = new_trees(1, 7)
        for n in range(1, 8):
            noise = tree_noise(trees, 0, n, laplace(rng, scale))
        last.append(noise)
    assert np.var(last) == pytest.approx(3 * 2 * scale**2, rel=0.08)
    assert scale == 6.0
