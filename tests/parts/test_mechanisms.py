"""Privacy mechanisms: the right law at two scales, and the tree proved symbolically."""

import math

import numpy as np
import pytest
from in_law import assert_law
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


class Symbols:
    """Noise that remembers which draws it is made of."""

    def __init__(self, *names):
        self.names = names

    def __add__(self, other):
        return Symbols(*self.names, *other.names)


@pytest.mark.parametrize("T", [1, 8, 13, 16, 64])
def test_prefix_holds_the_nodes_of_its_binary_digits(T):
    """Item n's node is called n: it covers the items (n - lowest bit, n]. Trees of other arms do
    not touch it."""
    trees = new_trees(2, T).astype(object)
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
