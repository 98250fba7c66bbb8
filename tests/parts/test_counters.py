"""Binary, Honaker's and k-ary trees proved symbolically, variances, and Chernoff quantiles."""

import itertools
import math
from collections import Counter
from functools import partial

import numpy as np
import pytest
from helpers import mistaken, replace
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
from dpbandits.parts.counting.honaker import HonakerTrees, honaker_noise
from dpbandits.parts.counting.kary import KaryTrees, kary_levels, kary_noise, new_kary_trees
from dpbandits.parts.counting.node_scales import NodeScales, node_scale
from dpbandits.parts.counting.trees import new_trees, tree_levels, tree_noise
from dpbandits.parts.noise import mechanisms

MILLION = 10**6
BY_LAST_ITEM = NodeScales(1, 1.0, 1.0, 1.0)  # the scale of a node is its last item


class Symbols:
    """A linear combination of draws, by name."""

    def __init__(self, weights):
        self.weights = Counter(weights)

    def __add__(self, other):
        weights = Counter(self.weights)
        for name, w in other.weights.items() if isinstance(other, Symbols) else ():
            weights[name] += w
        return Symbols(weights)

    __radd__ = __add__

    def __mul__(self, x):
        return Symbols({name: w * x for name, w in self.weights.items()})

    __rmul__ = __mul__

    def __truediv__(self, x):
        return self * (1 / x)

    def __sub__(self, other):
        return self + other * -1 if isinstance(other, Symbols) else self

    def __rsub__(self, other):
        return self * -1

    def exact(self):
        return {name: w for name, w in self.weights.items() if w != 0}


@pytest.fixture
def draws(monkeypatch):
    """Draws whose names are how many there were before, and the scales with which they were."""
    scales = []

    def laplace(rng, scale):
        scales.append(scale)
        return Symbols({len(scales) - 1: 1})

    replace(monkeypatch, mechanisms.laplace, laplace)
    return scales


def symbolic_binary(T):
    trees = new_trees(1, T).astype(object)
    return lambda n: tree_noise(trees, 0, n, mechanisms.laplace(None, n))


def symbolic_honaker(T, noise=honaker_noise):
    trees = HonakerTrees(*(np.zeros((1, tree_levels(T)), dtype=object) for _ in range(2)))
    return lambda n: noise(trees, None, 0, n, BY_LAST_ITEM)


def symbolic_kary(T, k, noise=kary_noise):
    trees = new_kary_trees(1, T, k)
    trees = KaryTrees(trees.digits, trees.left.astype(object), trees.prefix.astype(object))
    return lambda n: noise(trees, None, 0, n, BY_LAST_ITEM)


def reference(kind, k=None):
    """A reference with symbolic noise, and the scales of its draws."""
    scales = []

    def noise(scale):
        scales.append(scale)
        return Symbols({len(scales) - 1: 1})

    tree = kind(lambda end: end, noise)
    if k:
        tree.k = k
    return tree, scales


def close(first, second):
    return first.keys() == second.keys() and all(
        first[name] == pytest.approx(second[name], rel=1e-14) for name in first
    )


def agree(noise_of, tree, T):
    """Whether noise and reference consist of the same draws, with the same weights, up to T."""
    for n in range(1, T + 1):
        tree.add(0)
        if not close(noise_of(n).exact(), tree.noisy_sum().exact()):
            return False
    return True


@pytest.mark.parametrize("T", [1, 2, 8, 13, 16, 64, 100])
@pytest.mark.parametrize(
    ("kind", "symbolic"), [(Tree, symbolic_binary), (HonakerTree, symbolic_honaker)]
)
def test_binary_noise_is_the_reference_s(kind, symbolic, T, draws):
    tree, scales = reference(kind)
    assert agree(symbolic(T), tree, T)
    assert draws == scales


@pytest.mark.parametrize(("T", "k"), [(1, 3), (13, 3), (121, 3), (62, 5), (300, 5), (400, 19)])
def test_kary_noise_is_the_reference_s(T, k, draws):
    tree, scales = reference(KaryTree, k)
    assert agree(symbolic_kary(T, k), tree, T)
    assert draws == scales


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
def test_mistakes_in_trees_are_seen(function, right, wrong, draws):
    tree, scales = reference(HonakerTree if function is honaker_noise else KaryTree, 5)
    T, other = 121, mistaken(function, right, wrong)
    symbolic = partial(symbolic_kary, k=5) if function is kary_noise else symbolic_honaker
    try:
        same = agree(symbolic(T, noise=other), tree, T)
    except (IndexError, AttributeError):
        return
    assert not same or draws != scales


# Privacy: true sums and noise


@pytest.mark.parametrize(("T", "k"), [(1, 3), (4, 3), (5, 3), (13, 3), (1000, 5), (5000, 19)])
def test_an_item_lies_in_at_most_the_levels_of_a_kary_tree(T, k):
    """Those of Honaker's tree are the nodes of the binary one; see test_heavy_tails.py."""
    tree, _ = reference(KaryTree, k)
    for _ in range(T):
        tree.add(0)
    change = Counter()
    for l, i in tree.drawn:
        change[i * k**l + 1] += 1
        change[(i + 1) * k**l + 1] -= 1
    covering = np.cumsum([change[item] for item in range(1, T + 1)])
    assert covering.max() <= kary_levels(T, k)
    # a level less would be too few, except that some horizons need a level for few items
    assert covering.max() == kary_levels(T, k) or k ** (kary_levels(T, k) - 1) > T


@pytest.mark.parametrize(("T", "k"), [(121, 3), (300, 5), (1000, 19)])
def test_kary_nodes_add_up_to_the_prefix(T, k):
    """With their signs the nodes cover each item of the prefix once, and no other."""
    tree, _ = reference(KaryTree, k)
    for n in range(1, T + 1):
        tree.add(0)
        change = Counter()
        for sign, l, i in tree.nodes():
            change[i * k**l] += sign
            change[(i + 1) * k**l] -= sign
        assert {p: c for p, c in change.items() if c} == {0: 1, n: -1}


def test_kary_levels_are_the_least_that_reach_the_horizon():
    for k in (3, 5, 19):
        for T in (1, 2, 4, 5, 9, 10, 13, 180, 181, 3429, 3430, MILLION, 10**12):
            h = kary_levels(T, k)
            assert (k**h - 1) // 2 >= T > (k ** (h - 1) - 1) // 2


# Variances: at T = 1e6 and eps = 1


def honaker_variances(T):
    """Of every prefix: a node of height d has 1/(2 - 2^-d) times the variance of one draw."""
    n, found = np.arange(1, T + 1), np.zeros(T)
    for d in range(tree_levels(T)):
        found += (n >> d & 1) / (2 - 2.0**-d)
    return found


def kary_variances(T, k):
    rest, found = np.arange(1, T + 1), np.zeros(T)
    while rest.any():
        digits = (rest + k // 2) % k - k // 2
        found, rest = found + abs(digits), (rest - digits) // k
    return found


def binary_variances(T):
    return sum(np.arange(1, T + 1) >> d & 1 for d in range(tree_levels(T)))


@pytest.mark.parametrize(
    ("tree", "variances", "mean", "largest"),
    [
        ("binary", binary_variances(MILLION), 7908, 15_200),
        ("honaker", honaker_variances(MILLION), 4275, 8243),
        ("kary", kary_variances(MILLION, 19), 1143, 2200),
    ],
)
def test_variances_at_a_million(tree, variances, mean, largest):
    number = ("binary", "honaker", "kary").index(tree)
    scales = new_counters(1, MILLION, number, 0, 1.0, 0.0, 1.0).scales
    found = 2 * node_scale(scales, 1.0) ** 2 * variances
    assert found.mean() == pytest.approx(mean, abs=0.5)
    assert found.max() == pytest.approx(largest, abs=0.5)


@pytest.mark.parametrize("T", [3, 64, 100])
def test_variances_are_those_of_symbolic_noise(T, draws):
    def enumerated(noise_of):
        return [sum(w**2 for w in noise_of(n).exact().values()) for n in range(1, T + 1)]

    assert enumerated(symbolic_honaker(T)) == pytest.approx(honaker_variances(T), rel=1e-12)
    for k in (3, 19):
        assert enumerated(symbolic_kary(T, k)) == pytest.approx(kary_variances(T, k))


def test_counters_of_different_arms_do_not_touch():
    for tree in range(3):
        own, other = (new_counters(3, 500, tree, 0, 1.0, 0.0, 1.0) for _ in range(2))
        rng, alone = np.random.default_rng(1), np.random.default_rng(1)
        expected = [counter_noise(other, alone, 0, n) for n in range(1, 401)]
        found = []
        for n in range(1, 401):
            found.append(counter_noise(own, rng, 1, n))
            counter_noise(own, np.random.default_rng(n), 2, n)
        assert found == expected


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


def describe_all(own, rng, n):
    for i in range(1, n + 1):
        counter_noise(own, rng, 0, i)


def test_no_noise_needs_no_bonus():
    own = new_counters(1, 100, 2, CALIBRATED, 1.0, 0.0, math.inf)
    assert counter_noise(own, np.random.default_rng(1), 0, 1) == 0.0
    assert noise_quantile(own.noise, 0, 5.0) == 0.0


@pytest.mark.parametrize("eps", [1e-100, 1e-9, 1e9, 1e100])
def test_quantiles_of_extreme_budgets(eps):
    own = new_counters(1, 100, 1, CALIBRATED, 1.0, 0.0, eps)
    describe_all(own, np.random.default_rng(1), 63)
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
    rng = np.random.default_rng(1)
    describe_all(own, rng, 21)
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
            describe_all(own, np.random.default_rng(1), T)
            assert own.noise.parts[0] <= own.noise.number.shape[1]
