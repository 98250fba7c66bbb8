"""The laws: single draws have them, and blocks have the law of as many single draws."""

import math
import re

import numpy as np
import pytest
from helpers import P_VALUE, SIGMAS, peak_of, two_arms
from in_law import assert_law
from scipy import stats
from scipy.special import expit

from dpbandits.compiled import compiler, kernel
from dpbandits.environments import blocks
from dpbandits.environments.blocks import draw_counts, draw_sum
from dpbandits.environments.catalogue import ARMS, build
from dpbandits.environments.instances import contaminate, of_arms
from dpbandits.environments.laws import DISCRETE, EMPIRICAL, draw
from dpbandits.environments.reward_laws.densities import beta, student
from dpbandits.environments.reward_laws.points import discrete, empirical, point_mass, two_point

WHOLE = (0.0, math.inf)  # neither centred nor truncated


@kernel
def fill_singles(env, rng, a, x):
    for i in range(len(x)):
        x[i] = draw(env, rng, a, i)


@kernel
def fill_sums(env, rng, a, n, center, level, x):
    for i in range(len(x)):
        x[i] = draw_sum(env, rng, a, n, 0, 1, center, level)


@kernel
def fill_counts(env, rng, a, n, left, width, x):
    for i in range(len(x)):
        draw_counts(env, rng, a, n, 0, 1, left, width, x[i])


def generator(seed=0):
    return np.random.Generator(np.random.SFC64(seed))


def filled(fill, env, *given, size, seed=0):
    """What a loop over draws leaves in an array of zeros."""
    x = np.zeros(size)
    fill(env, generator(seed), *given, x)
    return x


def singles(env, a, size, seed=0):
    return filled(fill_singles, env, a, size=size, seed=seed)


def one(law, **given):
    """An environment of one arm."""
    return of_arms([{**ARMS, "empirical": empirical}[law](**given)])


def fouled(clean):
    """The same arm, a tenth of its rewards outliers."""
    return contaminate(clean, 0.1, [student(9.0, 2.0, 3.0)])


def pareto(mean, shape):
    return stats.pareto(shape, scale=mean * (shape - 1) / shape)


def lognormal(mean, sigma):
    return stats.lognorm(sigma, scale=mean * math.exp(-(sigma**2) / 2))


SCALES = 1.0, 0.8, 1.2
# law, its parameters, what SciPy calls it, and other laws as controls
OF_ONE_ARM = [
    ("pareto", {"mean": 0.9, "shape": 1.55}, [pareto(x * 0.9, 1.55) for x in SCALES]),
    ("pareto", {"mean": 2.0, "shape": 11.0}, [pareto(x * 2.0, 11.0) for x in SCALES]),
    ("student", {"mean": 20.0, "scale": 0.5, "df": 3.0}, [stats.t(3, 20, x / 2) for x in SCALES]),
    ("student", {"mean": -0.5, "scale": 2.0, "df": 1.2},
     [stats.t(1.2, -0.5, x * 2) for x in SCALES]),
    ("lognormal", {"mean": 0.9, "sigma": 1.0}, [lognormal(x * 0.9, 1.0) for x in SCALES]),
    ("lognormal", {"mean": 5.0, "sigma": 0.2}, [lognormal(x * 5.0, 0.2) for x in SCALES]),
    ("beta", {"a": 2, "b": 3}, [stats.beta(2, 3), stats.beta(2, 3.3)]),
    ("beta", {"a": 4, "b": 1}, [stats.beta(4, 1), stats.beta(3.6, 1)]),
    ("uniform", {"low": 0.2, "high": 0.9}, [stats.uniform(0.2, 0.7), stats.uniform(0.2, 0.65)]),
    ("gaussian", {"mean": 1, "sd": 2}, [stats.norm(1, 2), stats.norm(1, 1.8)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "laws"), OF_ONE_ARM)
def test_draws_have_their_law(name, given, laws):
    instance = one(name, **given)
    assert_law(singles(instance.environment, 0, 20_000), *laws)
    assert instance.means[0] == pytest.approx(laws[0].mean(), rel=1e-12)
    assert instance.support == pytest.approx(laws[0].support(), rel=1e-12)


def plain_draws(env, n, seed=10):
    rng = np.random.default_rng(seed)
    return np.array([draw(env, rng, 0, 0) for _ in range(n)])


def test_sigmoid_gaussian_rewards_are_the_sigmoid_of_gaussian_ones():
    spec = {"law": "gaussian", "means": [0.5, -1.0], "sd": 2.0}
    squashed, bare = build(spec | {"sigmoid": True}), build(spec | {"sigmoid": False})
    assert (squashed.means == bare.means).all() and list(bare.means) == [0.5, -1.0]
    assert squashed.support == (0.0, 1.0)
    x = plain_draws(squashed.environment, 20_000)
    assert (x == expit(plain_draws(bare.environment, 20_000))).mean() > 0.2  # the same numbers
    assert_law(np.log(x / (1 - x)), stats.norm(0.5, 2), stats.norm(0.5, 1.8))


VALUES, CHANCES = [0.0, 1.0, 7.0], [0.5, 0.3, 0.2]
OF_THREE = {"law": "discrete", "values": VALUES, "probabilities": CHANCES}


def test_discrete_rewards_have_their_probabilities():
    instance, n = two_arms(OF_THREE), 20_000
    assert instance.means == pytest.approx([1.7, 1.7]) and instance.support == (0.0, 7.0)
    x = plain_draws(instance.environment, n)
    observed = [(x == value).sum() for value in VALUES]
    assert sum(observed) == n
    assert stats.chisquare(observed, n * np.array(CHANCES)).pvalue > P_VALUE
    wrong = n * np.array([0.46, 0.32, 0.22])
    assert stats.chisquare(observed, wrong).pvalue < 1e-9  # control


def test_arms_of_different_discrete_laws_do_not_mix():
    other = {"law": "discrete", "values": [-3.0, -2.0], "probabilities": [0.5, 0.5]}
    env = build({"law": "mixed", "arms": [OF_THREE, other, OF_THREE]}).environment
    rng = np.random.default_rng(1)
    for a, values in enumerate((VALUES, other["values"], VALUES)):
        assert {draw(env, rng, a, 0) for _ in range(300)} == set(values)
        assert min(values) * 40 <= draw_sum(env, rng, a, 40, 0, 1, 0.0, np.inf) <= max(values) * 40


@pytest.mark.parametrize(
    ("probabilities", "possible"),
    [([0.0, 0.5, 0.5], {1.0, 7.0}), ([0.5, 0.5, 0.0], {0.0, 1.0}), ([0.0, 1.0, 0.0], {1.0})],
)
def test_a_value_of_probability_0_never_comes(probabilities, possible):
    env = two_arms(OF_THREE | {"probabilities": probabilities}).environment
    rng = np.random.default_rng(2)
    assert {draw(env, rng, 0, 0) for _ in range(300)} == possible
    sums = {draw_sum(env, rng, 0, 1, 0, 1, 0.0, np.inf) for _ in range(300)}
    assert sums == possible


@pytest.mark.parametrize(("mean", "shape"), [(0.9, 1.55), (2.0, 11.0)])
def test_the_tail_of_a_pareto(mean, shape):
    """P(X > x) = (scale/x)^shape, which is 1 at the scale = mean (shape - 1)/shape."""
    scale, size = mean * (shape - 1) / shape, 200_000
    x = singles(one("pareto", mean=mean, shape=shape).environment, 0, size)
    assert x.min() >= scale * (1 - 1e-12)
    for share in (0.9, 0.5, 0.1, 0.01, 0.001):
        above = np.mean(x > scale * share ** (-1 / shape))
        assert abs(above - share) < SIGMAS * math.sqrt(share * (1 - share) / size)


def test_a_point_mass():
    instance = one("point_mass", value=-3.25)
    assert set(singles(instance.environment, 0, 1000)) == {-3.25}
    assert instance.means[0] == -3.25 and instance.support == (-3.25, -3.25)


# columns of data, with values that repeat: few of them are drawn as a discrete law
COLUMN = [0.0, 0.25, 0.25, 1.0, 6.0]
LONG = [6.0, *(i / 4 for i in range(-4, 35))]


@pytest.mark.parametrize(("values", "law"), [(COLUMN, DISCRETE), (LONG, EMPIRICAL)])
def test_a_column_is_drawn_uniformly(values, law):
    """Each entry of the column is as likely as the others, not each different value."""
    instance = one("empirical", values=values)
    assert instance.environment.law[0] == law
    found, counts = np.unique(singles(instance.environment, 0, 50_000), return_counts=True)
    distinct, shares = np.unique(values, return_counts=True)
    assert (found == distinct).all()
    assert stats.chisquare(counts, 50_000 * shares / len(values)).pvalue > P_VALUE
    assert stats.chisquare(counts).pvalue < 1e-10
    assert instance.means[0] == pytest.approx(np.mean(values), rel=1e-14)
    assert instance.support == (min(values), max(values))


POINTS = {"values": [-2.0, 0.5, 1.0, 8.0], "probabilities": [0.1, 0.55, 0.3, 0.05]}
THRESHOLD = blocks.ONE_BY_ONE * len(LONG)  # rewards from which on a column's values are counted
CLEAN = {
    "two_point": one("two_point", low=-0.5, high=4.0, p=0.3),
    "point_mass": one("point_mass", value=0.75),
    "discrete": one("discrete", **POINTS),
    "column": one("empirical", values=COLUMN),
    "empirical": one("empirical", values=LONG),
    "gaussian": one("gaussian", mean=0.9, sd=1.5),
    "beta": one("beta", a=2.0, b=1.5),
    "uniform": one("uniform", low=0.2, high=0.9),
    "pareto": one("pareto", mean=0.9, shape=1.55),
    "student": one("student", mean=0.7, scale=1.0, df=3),
    "lognormal": one("lognormal", mean=0.9, sigma=1.0),
}
FOULED = ("two_point", "discrete", "empirical", "gaussian", "pareto")
ALL = CLEAN | {f"{name}, contaminated": fouled(CLEAN[name]) for name in FOULED}
ALL["pareto, foul points"] = contaminate(CLEAN["pareto"], 0.1, [discrete(**POINTS)])
ALL["points, foul points"] = contaminate(CLEAN["discrete"], 0.1, [empirical([-6.0, 9.0])])
ALL["points, foul column"] = contaminate(CLEAN["discrete"], 0.1, [empirical(LONG)])


def test_points_of_inliers_and_of_outliers_are_kept_apart():
    """Each value has its share: .9 times an inlier's, .1 times an outlier's."""
    size = 50_000
    x = singles(ALL["points, foul points"].environment, 0, size)
    found, counts = np.unique(x, return_counts=True)
    assert list(found) == [-6.0, -2.0, 0.5, 1.0, 8.0, 9.0]
    shares = np.array([0.05, 0.09, 0.495, 0.27, 0.045, 0.05])
    assert stats.chisquare(counts, size * shares).pvalue > P_VALUE
    assert stats.chisquare(counts, size * shares[::-1]).pvalue < 1e-10
    x = singles(ALL["points, foul column"].environment, 0, size)
    assert set(x) == {*LONG, -2.0}


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_plain_and_compiled_draws_are_the_same_bits(name):
    env = ALL[name].environment
    rng = generator()
    assert (singles(env, 0, 1000) == [draw(env, rng, 0, i) for i in range(1000)]).all()
    for n in (1, THRESHOLD, THRESHOLD + 1):
        for center, level in (WHOLE, (0.25, 4.0)):
            rng = generator()
            sums = filled(fill_sums, env, 0, n, center, level, size=5)
            assert (sums == [draw_sum(env, rng, 0, n, 0, 1, center, level) for _ in sums]).all()
        rng, plain = generator(), np.zeros((5, 5))
        for counts in plain:
            draw_counts(env, rng, 0, n, 0, 1, -1.0, 0.75, counts)
        assert (filled(fill_counts, env, 0, n, -1.0, 0.75, size=(5, 5)) == plain).all()


def homogeneity(x, y):
    """The p-value of two samples to have one law: chi-square over some 20 pooled quantiles."""
    x, y = np.round(x, 9), np.round(y, 9)
    edges = np.unique(np.quantile(np.concatenate([x, y]), np.linspace(0, 1, 21)[1:-1]))
    table = np.array([np.bincount(np.searchsorted(edges, s), minlength=21) for s in (x, y)])
    table = table[:, table.sum(axis=0) > 0]
    return stats.chi2_contingency(table).pvalue if table.shape[1] > 1 else 1.0


def sizes(name):
    """Numbers of rewards: where points are counted, or values drawn one by one, and where not."""
    return (1, 5, 40, THRESHOLD + 60 if name.startswith("empirical") else 100)


@pytest.mark.parametrize(("center", "level"), [WHOLE, (0.25, 4.0)])
@pytest.mark.parametrize("name", ALL)
def test_sums_have_the_law_of_sums_of_single_draws(name, center, level):
    """Whether points are counted or values drawn one by one; twice as many rewards are noticed."""
    env = ALL[name].environment
    for n in sizes(name):
        sums = filled(fill_sums, env, 0, n, center, level, size=1000)
        drawn = singles(env, 0, 2 * n * 1000, seed=1).reshape(1000, 2 * n) - center
        drawn[np.abs(drawn) > level] = 0.0
        assert homogeneity(sums, drawn[:, :n].sum(axis=1)) > P_VALUE
        assert n < 40 or homogeneity(sums, drawn.sum(axis=1)) < 1e-10


BINS = (-1.0, 0.75, 5)  # left end of the first, width, number
SEPARATE = np.sqrt([2, 3, 5, 7, 11])


@pytest.mark.parametrize("name", ALL)
def test_histograms_have_the_law_of_counted_single_draws(name):
    """The count of each bin, and a sum of all five that no two histograms share; those of half as
    many rewards are told apart.
    """
    env, size, (left, width, bins) = ALL[name].environment, 1000, BINS
    edges = left + width * np.arange(bins + 1)

    def counted(drawn):
        return -np.diff([(drawn >= x).sum(axis=1) for x in edges], axis=0).T

    for n in sizes(name):
        counts = filled(fill_counts, env, 0, n, left, width, size=(size, bins))
        drawn = singles(env, 0, n * size, seed=1).reshape(size, n)
        other = counted(drawn)
        for i in range(bins):
            assert homogeneity(counts[:, i], other[:, i]) > P_VALUE
        assert homogeneity(counts @ SEPARATE, other @ SEPARATE) > P_VALUE
        half = counted(drawn[:, : n // 2])
        assert n < 40 or homogeneity(counts @ SEPARATE, half @ SEPARATE) < 1e-10


@pytest.mark.parametrize("n", [40, THRESHOLD + 60, 10**15])
@pytest.mark.parametrize("name", ["two_point", "discrete", "empirical"])
def test_a_histogram_loses_no_reward(name, n):
    """Of points with outliers at 100, all within its bins."""
    env = contaminate(CLEAN[name], 0.1, [point_mass(100.0)]).environment
    counts = filled(fill_counts, env, 0, n, -2.0, 0.25, size=(200, 412))
    assert (counts.sum(axis=1) == n).all() and (counts == np.rint(counts)).all()
    values = [-0.5, 4.0] if name == "two_point" else POINTS["values"]
    values = LONG if name == "empirical" else values
    seen = -2.0 + 0.25 * np.flatnonzero(counts.any(axis=0))
    assert set(seen) == {*values, 100.0}


@pytest.mark.parametrize("name", ["discrete", "gaussian", "pareto"])
def test_the_number_of_outliers_is_binomial(name):
    n, alpha, size = 200, 0.05, 20_000
    env = contaminate(CLEAN[name], alpha, [point_mass(-1e6)]).environment
    out = filled(fill_counts, env, 0, n, -2e6, 1.5e6, size=(size, 1)).ravel()
    observed = np.bincount(np.clip(out.astype(int), 3, 17), minlength=18)[3:]

    def p_value(share):
        law = stats.binom(n, share)
        expected = np.append(law.cdf(np.arange(3, 17)), 1)
        return stats.chisquare(observed, size * np.diff(expected, prepend=0)).pvalue

    assert p_value(alpha) > P_VALUE
    assert p_value(1.05 * alpha) < 1e-10


@pytest.mark.parametrize(("center", "level"), [WHOLE, (0.25, 3.0), (-1.0, 2.0)])
@pytest.mark.parametrize("name", ["two_point", "discrete", "empirical"])
def test_enormous_blocks_of_points(name, center, level):
    """At n = 1e15 mean and variance of contaminated, truncated sums are those of n rewards."""
    n, size, alpha = 10**15, 2000, 0.05
    outlier = two_point(2.5, 70.0, 0.5)
    env = contaminate(CLEAN[name], alpha, [outlier]).environment
    laws = {
        "two_point": [(-0.5, 0.7), (4.0, 0.3)],
        "discrete": list(zip(POINTS["values"], POINTS["probabilities"], strict=True)),
        "empirical": [(x, 1 / len(LONG)) for x in LONG],
    }
    x, p = np.array(laws[name] + [(2.5, 0.5), (70.0, 0.5)]).T
    p[:-2] *= 1 - alpha
    p[-2:] *= alpha
    kept = np.where(np.abs(x - center) <= level, x - center, 0.0)
    mean = p @ kept
    variance = p @ (kept - mean) ** 2
    sums = filled(fill_sums, env, 0, n, center, level, size=size)
    z = (sums - n * mean) / math.sqrt(n * variance)
    assert abs(z.mean()) < SIGMAS / math.sqrt(size)
    assert abs(z.var() - 1) < SIGMAS * math.sqrt(2 / size)
    clean = filled(fill_sums, CLEAN[name].environment, 0, n, center, level, size=size)
    assert abs(np.mean(clean - n * mean)) > 1000 * math.sqrt(n * variance / size)


@pytest.mark.parametrize(
    ("name", "given", "n", "law"),
    [
        ("two_point", {"low": 0.0, "high": 1.0, "p": 0.3}, 10**18, stats.norm(0.3, 0.21**0.5)),
        ("gaussian", {"mean": 0.25, "sd": 2.0}, 10**15, stats.norm(0.25, 2.0)),
    ],
)
def test_enormous_blocks_are_normal(name, given, n, law):
    sums = filled(fill_sums, one(name, **given).environment, 0, n, *WHOLE, size=2000)
    z = (sums - n * law.mean()) / (math.sqrt(n) * law.std())
    assert_law(z, stats.norm(), stats.norm(0, 1.4), stats.norm(0.2))


def test_sums_of_what_is_certain_are_certain():
    certain = [two_point(0.0, 1.0, 0.0), two_point(0.0, 1.0, 1.0)]
    certain.append(discrete([1.0, 1.0, 1.0], [0.5, 0.3, 0.2]))
    env = of_arms(certain).environment
    for n in (1, 10, 10**9, 10**15):
        for a, expected in enumerate((0, n, n)):
            assert set(filled(fill_sums, env, a, n, *WHOLE, size=50)) == {expected}


def test_bins_are_closed_on_the_left():
    """Bin i is [left + i w, left + (i+1) w); all of binary fractions, so no end is rounded."""
    for x, expected in (
        (-1.0, [1, 0, 0, 0]),
        (np.nextafter(-1.0, -2), [0, 0, 0, 0]),
        (-0.75, [0, 1, 0, 0]),
        (np.nextafter(-0.75, -1), [1, 0, 0, 0]),
        (-0.125, [0, 0, 0, 1]),
        (0.0, [0, 0, 0, 0]),
        (1e300, [0, 0, 0, 0]),
        (-1e300, [0, 0, 0, 0]),
    ):
        for law in ("point_mass", "discrete", "empirical"):
            given = {"value": x} if law == "point_mass" else {"values": [x]}
            given |= {"probabilities": [1.0]} if law == "discrete" else {}
            counts = np.full(4, 2.0)
            draw_counts(one(law, **given).environment, generator(), 0, 1, 0, 1, -1.0, 0.25, counts)
            assert (counts == np.array(expected) + 2).all(), (x, law)


@pytest.mark.slow
def test_long_truncated_sums_store_nothing():
    """The peak of memory, in plain Python, of a sum and a histogram of Pareto rewards."""
    env, rng, n, counts = ALL["pareto, contaminated"].environment, generator(), 20_000, np.zeros(5)
    plans = {
        "sum": lambda: draw_sum(env, rng, 0, n, 0, 1, 0.5, 4.0),
        "histogram": lambda: draw_counts(env, rng, 0, n, 0, 1, -1.0, 0.75, counts),
        "control": lambda: sum([draw(env, rng, 0, 0) for _ in range(n)]),
    }
    peaks = {name: peak_of(plan) for name, plan in plans.items()}
    assert max(peaks["sum"], peaks["histogram"]) < 20_000 < 100_000 < peaks["control"]


@pytest.mark.slow
@pytest.mark.skipif(compiler() == "plain", reason="plain copies what a kernel calls")
def test_involved_laws_and_outliers_are_calls_in_the_machine_code_of_kernels():
    """They are declared there, not defined; a control: a plain law is inlined."""
    fill_singles(of_arms([beta(2.0, 3.0)]).environment, generator(), 0, np.zeros(1))
    (code,) = fill_singles.dispatcher.inspect_llvm().values()
    assert re.findall(r"^define .*?(draw_\w+)", code, re.MULTILINE) == []
    called = set(re.findall(r"^declare .*?laws\.(\w+):", code, re.MULTILINE))
    assert called == {"draw_apart", "draw_outlier"}
