"""Binary, Honaker's and k-ary trees against their references, and quantiles of their noise."""

import itertools
import math
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from helpers import mistaken
from references import HonakerTree, KaryTree, Tree, chernoff_quantile

from dpbandits.parts.counting import counters, honaker, kary
from dpbandits.parts.counting.chernoff import cumulant, new_noise, noise_quantile
from dpbandits.parts.counting.counters import (
    CALIBRATED,
    DEEP,
    KINDS,
    LOW,
    counter_noise,
    describe,
    kind_of_noise,
    least_quantile,
    new_counters,
)
from dpbandits.parts.counting.honaker import honaker_noise, new_honaker_trees
from dpbandits.parts.counting.kary import kary_levels, kary_noise, new_kary_trees
from dpbandits.parts.counting.node_scales import NodeScales, node_scale
from dpbandits.parts.counting.trees import new_trees, tree_levels, tree_noise
from dpbandits.parts.noise.mechanisms import laplace

MILLION = 10**6
BY_LAST_ITEM = NodeScales(1, 1.0, 1.0, 1.0)  # the scale of a node is its last item


def of_binary(T, rng):
    trees = new_trees(1, T)
    return lambda n: tree_noise(trees, 0, n, laplace(rng, n))


def of_honaker(T, rng, noise=honaker_noise):
    trees = new_honaker_trees(1, T)
    return lambda n: noise(trees, rng, 0, n, BY_LAST_ITEM)


def of_kary(T, rng, k, noise=kary_noise):
    trees = new_kary_trees(1, T, k)
    return lambda n: noise(trees, rng, 0, n, BY_LAST_ITEM)


def agrees(make, kind, T, k=None):
    """Whether noise and reference add up the same draws, with the same weights and scales: they are
    the same numbers for the same random numbers, up to T items.
    """
    own, other = (np.random.default_rng(1) for _ in range(2))
    tree = kind(lambda end: end, lambda scale: laplace(other, scale))
    if k:
        make, tree.k = partial(make, k=k), k
    noise = make(T, own)
    for n in range(1, T + 1):
        tree.add(0)
        if abs(noise(n) - tree.noisy_sum()) > 1e-9:
            return False
    return own.random() == other.random()


@pytest.mark.parametrize("T", [1, 2, 13, 64, 100])
@pytest.mark.parametrize(("make", "kind"), [(of_binary, Tree), (of_honaker, HonakerTree)])
def test_binary_noise_is_the_reference_s(make, kind, T):
    assert agrees(make, kind, T)


@pytest.mark.parametrize(("T", "k"), [(1, 3), (13, 3), (121, 3), (62, 5), (300, 5), (400, 19)])
def test_kary_noise_is_the_reference_s(T, k):
    assert agrees(of_kary, KaryTree, T, k)


@pytest.mark.parametrize(
    ("function", "right", "wrong"),
    [
        (honaker_noise, "/ 2.0\n", "/ 4.0\n"),
        (honaker_noise, "2.0**-height", "2.0 ** -(height + 1)"),
        (honaker_noise, "range(height)", "range(height - 1)"),
        (honaker_noise, "scale)", "scale / 2)"),
        (kary_noise, "= -half\n", "= half - 1\n"),
        (kary_noise, "- j * size", "- (j + 1) * size"),
        (kary_noise, "- trees.left[a, l, -d]", "+ trees.left[a, l, -d]"),
        (kary_noise, "trees.left[a, l, -d]", "trees.left[a, l, -d - 1]"),
        (kary_noise, "range(l - 1, -1, -1)", "range(l - 1, 0, -1)"),
        (kary_noise, "(size - 1) // 2", "size // 2 + 1"),
        (kary_noise, "range(half)", "range(half - 1)"),
    ],
)
def test_mistakes_in_trees_are_seen(function, right, wrong):
    of_five = of_kary, KaryTree, 121, 5
    make, *case = of_five if function is kary_noise else (of_honaker, HonakerTree, 121)
    with suppress(IndexError):
        assert not agrees(partial(make, noise=mistaken(function, right, wrong)), *case)


def test_kary_levels_are_the_least_that_reach_the_horizon():
    for k in (3, 5, 19):
        for T in (1, 2, 4, 5, 9, 10, 13, 180, 181, 3429, 3430, MILLION, 10**12):
            h = kary_levels(T, k)
            assert (k**h - 1) // 2 >= T > (k ** (h - 1) - 1) // 2


# Calibrated bonuses


def reference_weights(tree, n, scales):
    kind = (Tree, HonakerTree, KaryTree)[tree](lambda end: node_scale(scales, end), lambda b: 0.0)
    for _ in range(n):
        kind.add(0)
    return kind.weights()


@pytest.mark.parametrize("power", [0.0, 0.6])
@pytest.mark.parametrize("tree", range(3))
def test_calibrated_bonuses_are_their_definition(tree, power):
    """inf over s of (ln(2 t^4) - sum of ln(1 - b^2 s^2))/s, by another optimiser; also between the
    times at which it is computed."""
    T = 1100 if power else 3000
    own = new_counters(1, T, tree, CALIBRATED, 2.0, power, 0.3)
    rng, checked = np.random.default_rng(2), 0
    for n in range(1, T + 1):
        counter_noise(own, rng, 0, n)
        if n in (1, 2, 3, 9, 10, 11, 19, 28, 179, 181, 511, 512, 1023, 1100, 2047, 2999):
            weights = reference_weights(tree, n, own.scales)
            for l in math.log(2) + 4 * np.log(n + np.geomspace(1, 1.001 * n + 1, 7)):
                expected = chernoff_quantile(weights, l)
                assert noise_quantile(own.noise, 0, l) == pytest.approx(expected, rel=1e-10)
                checked += 1
    assert checked >= 90


def test_quantiles_of_large_subtrees_are_their_definition():
    """Beyond the levels whose logarithms are computed one by one."""
    for n in (2**13 - 1, 2**13, 5555):
        own = new_counters(1, 2**14, 1, CALIBRATED, 1.0, 0.0, 1.0)
        describe(own, 0, n)
        weights = reference_weights(1, n, own.scales)
        for l in (0.7, 10.0, 60.0):
            own.noise.start[0] = 0.0
            expected = chernoff_quantile(weights, l)
            assert noise_quantile(own.noise, 0, l) == pytest.approx(expected, rel=1e-10)


def test_bits_are_counted():
    for n in (0, 1, 2, 3, 255, 256, 5555, 10**12 - 1, 2**61 - 1, 2**62):
        assert counters.bits(n) == n.bit_count()


@pytest.mark.slow
@pytest.mark.parametrize("tree", range(3))
def test_no_quantile_is_below_the_bound_of_its_kind(tree):
    """And the bound is not far below."""
    T, l = 3000, 30.0
    own, rough = new_counters(1, T, tree, CALIBRATED, 1.0, 0.0, 1.0), new_noise(1, LOW + 1)
    rng, least = np.random.default_rng(1), {}
    for n in range(1, T + 1):
        counter_noise(own, rng, 0, n)
        exact, kind = noise_quantile(own.noise, 0, l), kind_of_noise(own, 0, n)
        assert kind < KINDS
        if kind not in least:
            least[kind] = least_quantile(own, rough, 0, n, l)
            assert least[kind] == least_quantile(own, rough, 0, n, l)
        assert 0.98 * exact <= least[kind] <= exact * (1 + 1e-12)


def test_cumulants_decrease_with_the_height():
    for s in (0.01, 0.5, 0.9, 0.999):
        found = [cumulant(s, h)[0] for h in range(DEEP)]
        assert all(x >= y * (1 - 1e-12) for x, y in itertools.pairwise(found))
        assert cumulant(s, DEEP)[0] == pytest.approx(found[40], rel=1e-10)


def drawn(own, n):
    """The generator with which the noise of n items of the first arm was drawn."""
    rng = np.random.default_rng(1)
    for i in range(1, n + 1):
        counter_noise(own, rng, 0, i)
    return rng


def test_no_noise_needs_no_bonus():
    own = new_counters(1, 100, 2, CALIBRATED, 1.0, 0.0, math.inf)
    assert counter_noise(own, np.random.default_rng(1), 0, 1) == 0.0
    assert noise_quantile(own.noise, 0, 5.0) == 0.0


@pytest.mark.parametrize("eps", [1e-100, 1e-9, 1e9, 1e100])
def test_quantiles_of_extreme_budgets(eps):
    own = new_counters(1, 100, 1, CALIBRATED, 1.0, 0.0, eps)
    drawn(own, 63)
    unit = chernoff_quantile(reference_weights(1, 63, NodeScales(7, 1.0, 0.0, 1.0)), 20.0)
    assert noise_quantile(own.noise, 0, 20.0) == pytest.approx(unit / eps, rel=1e-10)


@pytest.mark.parametrize(
    ("module", "function", "become"),
    [
        (counters, "node_scale", lambda scales, end: node_scale(scales, end) / 2),
        (counters, "tree_levels", lambda n: tree_levels(n) - 1),
        (kary, "node_scale", lambda scales, end: node_scale(scales, end + 1)),
        (honaker, "node_scale", lambda scales, end: node_scale(scales, end) * 2),
    ],
)
def test_a_bonus_for_other_noise_is_seen(module, function, become, monkeypatch):
    """Controls; the last is of the noise itself, which does not enter the bonus."""
    tree, calls = 2 if module is kary else 1, []
    own = new_counters(1, 100, tree, CALIBRATED, 1.0, 0.5, 1.0)
    rng = drawn(own, 21)
    right = noise_quantile(own.noise, 0, 20.0)
    monkeypatch.setattr(module, function, lambda *given: calls.append(given) or become(*given))
    describe(own, 0, 21)
    assert (noise_quantile(own.noise, 0, 20.0) == right) == (module is honaker)
    counter_noise(own, rng, 0, 22)
    assert calls


@pytest.mark.slow
def test_room_for_all_parts():
    """At the numbers of items whose noise has the most parts of different scales."""
    for T in (1, 9, 10, 180, 255, 3429):
        for tree in range(3):
            own = new_counters(1, T, tree, CALIBRATED, 1.0, 0.5, 1.0)
            drawn(own, T)
            assert own.noise.parts[0] <= own.noise.number.shape[1]
