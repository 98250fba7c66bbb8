"""The laws: single draws have them, and blocks have the law of as many single draws."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import P_VALUE, SIGMAS, contaminated, peak_of
from in_law import assert_law
from scipy import stats
from scipy.special import expit

from dpbandits.compiled import compiler, kernel
from dpbandits.environments import arms, blocks
from dpbandits.environments.blocks import draw_counts, draw_sum
from dpbandits.environments.catalogue import build
from dpbandits.environments.instances import contaminate, of_arms
from dpbandits.environments.laws import DISCRETE, EMPIRICAL, draw

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


def pareto(mean, shape):
    return stats.pareto(shape, scale=mean * (shape - 1) / shape)


def lognormal(mean, sigma):
    return stats.lognorm(sigma, scale=mean * math.exp(-(sigma**2) / 2))


def blend(inlier, outlier, alpha):
    """The law of rewards of which a share ``alpha`` are outliers."""
    if isinstance(inlier, dict):
        shares = ((1 - alpha, inlier), (alpha, outlier))
        return {x: sum(p * y.get(x, 0) for p, y in shares) for x in {**inlier, **outlier}}
    return SimpleNamespace(cdf=lambda x: (1 - alpha) * inlier.cdf(x) + alpha * outlier.cdf(x))


def one(arm, *laws):
    """The row of an arm alone."""
    return of_arms([arm]), 0, *laws


SCALES = 1.0, 0.8, 1.2
COLUMN = [0.0, 0.25, 0.25, 1.0, 6.0]  # of data: few values are drawn as a discrete law
LONG = [6.0, *(i / 4 for i in range(-4, 35))]
THRESHOLD = blocks.ONE_BY_ONE * len(LONG)  # rewards from which on a column's values are counted
POINTS, PAIR = {-2.0: 0.1, 0.5: 0.55, 1.0: 0.3, 8.0: 0.05}, {-6.0: 0.5, 9.0: 0.5}


def points(law):
    return arms.discrete([*law], [*law.values()])


# By name: an instance, one of its arms, the law of that, and other laws as controls. A law is given
# by SciPy, or by the chance of each value
LAWS = {
    "two_point": one(arms.two_point(-0.5, 4.0, 0.3), *({-0.5: 1 - p, 4.0: p} for p in (0.3, 0.27))),
    "point_mass": one(arms.point_mass(0.75), {0.75: 1.0}, {0.5: 1.0}),
    "discrete": one(points(POINTS), POINTS, POINTS | {0.5: 0.52, 1.0: 0.33}),
    "column": one(arms.empirical(COLUMN), {0.0: 0.2, 0.25: 0.4, 1.0: 0.2, 6.0: 0.2},
     dict.fromkeys(COLUMN, 0.25)),
    "long column": one(arms.empirical(LONG), {x: LONG.count(x) / len(LONG) for x in LONG},
     dict.fromkeys(LONG, 1 / len({*LONG}))),
    "gaussian": one(arms.gaussian(0.9, 1.5), *(stats.norm(0.9, 1.5 * x) for x in SCALES)),
    "sigmoid_gaussian": one(arms.sigmoid_gaussian(0.5, 2.0), stats.johnsonsb(-0.25, 0.5),
     stats.johnsonsb(-0.25, 0.55)),
    "beta": one(arms.beta(2.0, 1.5), stats.beta(2.0, 1.5), stats.beta(2.0, 1.7)),
    "beta, b = 1": one(arms.beta(4.0, 1.0), stats.beta(4, 1), stats.beta(3.6, 1)),
    "uniform": one(arms.uniform(0.2, 0.9), stats.uniform(0.2, 0.7), stats.uniform(0.2, 0.65)),
    "pareto": one(arms.pareto(0.9, 1.55), *(pareto(0.9 * x, 1.55) for x in SCALES)),
    "light pareto": one(arms.pareto(2.0, 11.0), *(pareto(2.0, 11.0 * x) for x in SCALES)),
    "student": one(arms.student(-0.5, 2.0, 3.0), *(stats.t(3, -0.5, 2 * x) for x in SCALES)),
    "lognormal": one(arms.lognormal(0.9, 0.7), *(lognormal(0.9, 0.7 * x) for x in SCALES)),
}  # fmt: skip
for i in range(3):  # a value of probability 0 never comes
    chances = {x: 0.5 * (j != i) for j, x in enumerate((0.0, 1.0, 7.0))}
    LAWS[f"probability 0, {i}"] = one(points(chances), chances)
for name in ("two_point", "discrete", "long column", "gaussian", "pareto"):
    clean, _, law, *_ = LAWS[name]
    outlier, outlying = arms.student(9.0, 2.0, 3.0), stats.t(3, 9, 2)
    if isinstance(law, dict):
        outlier, outlying = arms.empirical([*PAIR]), PAIR
    found = (blend(law, outlying, alpha) for alpha in (0.1, 0.13))
    LAWS[f"{name}, contaminated"] = contaminate(clean, 0.1, [outlier]), 0, *found
LAWS["points, foul column"] = (
    contaminate(LAWS["discrete"][0], 0.1, [arms.empirical(LONG)]), 0,
    blend(POINTS, LAWS["long column"][2], 0.1), blend(POINTS, LAWS["long column"][2], 0.15),
)  # fmt: skip
# Arms of different laws, whose outliers have different laws
INLIERS = [arms.pareto(2.0, 3.0), points({1.0: 0.2, 2.0: 0.3, 3.0: 0.5}), arms.gaussian(1.0, 2.0)]
OUTLIERS = [arms.gaussian(50.0, 3.0), arms.empirical([70.0, 71.0]), arms.student(60.0, 1.0, 3.0)]
THREE = contaminate(of_arms(INLIERS), 0.3, OUTLIERS)
LAWS["first of three"] = THREE, 0, blend(pareto(2, 3), stats.norm(50, 3), 0.3)
LAWS["second of three"] = THREE, 1, {1.0: 0.14, 2.0: 0.21, 3.0: 0.35, 70.0: 0.15, 71.0: 0.15}
LAWS["last of three"] = THREE, 2, blend(stats.norm(1, 2), stats.t(3, 60), 0.3)


@pytest.mark.parametrize("name", LAWS)
def test_draws_have_their_law(name):
    instance, a, *laws = LAWS[name]
    assert_law(singles(instance.environment, a, 20_000), *laws)
    if not instance.outliers:
        [arm], law = instance.arms, laws[0]
        points = isinstance(law, dict)
        mean = sum(x * p for x, p in law.items()) if points else law.mean()
        support = (min(law), max(law)) if points else law.support()
        assert arm.reward_mean == pytest.approx(mean, rel=1e-9)
        assert (arm.low, arm.high) == pytest.approx(support, rel=1e-12)


def test_columns_of_many_values_have_a_law_of_their_own():
    kinds = [LAWS[name][0].environment.law[0] for name in ("column", "long column")]
    assert kinds == [DISCRETE, EMPIRICAL]


def test_a_sigmoid_changes_rewards_and_not_the_means_of_the_regret():
    spec = {"law": "gaussian", "means": [0.5, -1.0], "sd": 2.0}
    squashed, bare = build(spec | {"sigmoid": True}), build(spec | {"sigmoid": False})
    assert list(squashed.means) == list(bare.means) == [0.5, -1.0]
    x, y = (singles(instance.environment, 1, 1000) for instance in (squashed, bare))
    assert x == pytest.approx(expit(y))


@pytest.mark.parametrize("order", [[2, 0, 1], [1, 2, 0]])
def test_shuffled_arms_keep_their_outliers(order):
    """Arm i of the shuffled environment draws what arm order[i] draws: inliers and outliers."""
    table = {"law": "table", "rewards": [[1, 2, 3]] * 500, "file": None}
    for instance in (THREE, build(contaminated(table, 0.3, [4, 5, 6]))):
        shuffled = instance.shuffled(np.array(order))
        for i, a in enumerate(order):
            assert (singles(shuffled, i, 500) == singles(instance.environment, a, 500)).all()


@pytest.mark.parametrize("name", LAWS)
def test_plain_and_compiled_draws_are_the_same_bits(name):
    instance, a, *_ = LAWS[name]
    env, rng = instance.environment, generator()
    assert (singles(env, a, 1000) == [draw(env, rng, a, i) for i in range(1000)]).all()
    for n in (1, THRESHOLD, THRESHOLD + 1):
        for center, level in (WHOLE, (0.25, 4.0)):
            rng = generator()
            sums = filled(fill_sums, env, a, n, center, level, size=5)
            assert (sums == [draw_sum(env, rng, a, n, 0, 1, center, level) for _ in sums]).all()
        rng, plain = generator(), np.zeros((5, 5))
        for counts in plain:
            draw_counts(env, rng, a, n, 0, 1, -1.0, 0.75, counts)
        assert (filled(fill_counts, env, a, n, -1.0, 0.75, size=(5, 5)) == plain).all()


def homogeneity(x, y):
    """The p-value of two samples to have one law: chi-square over some 20 pooled quantiles."""
    x, y = np.round(x, 9), np.round(y, 9)
    edges = np.unique(np.quantile(np.concatenate([x, y]), np.linspace(0, 1, 21)[1:-1]))
    table = np.array([np.bincount(np.searchsorted(edges, s), minlength=21) for s in (x, y)])
    table = table[:, table.sum(axis=0) > 0]
    return stats.chi2_contingency(table).pvalue if table.shape[1] > 1 else 1.0


def sizes(name):
    """Numbers of rewards: where points are counted, or values drawn one by one, and where not."""
    return (1, 5, 40, THRESHOLD + 60 if name.startswith("long") else 100)


@pytest.mark.parametrize(("center", "level"), [WHOLE, (0.25, 4.0)])
@pytest.mark.parametrize("name", LAWS)
def test_sums_have_the_law_of_sums_of_single_draws(name, center, level):
    """Whether points are counted or values drawn one by one; twice as many rewards are noticed."""
    instance, a, *_ = LAWS[name]
    env = instance.environment
    for n in sizes(name):
        sums = filled(fill_sums, env, a, n, center, level, size=1000)
        drawn = singles(env, a, 2 * n * 1000, seed=1).reshape(1000, 2 * n) - center
        drawn[np.abs(drawn) > level] = 0.0
        assert homogeneity(sums, drawn[:, :n].sum(axis=1)) > P_VALUE
        assert n < 40 or homogeneity(sums, drawn.sum(axis=1)) < 1e-10


BINS = (-1.0, 0.75, 5)  # left end of the first, width, number
SEPARATE = np.sqrt([2, 3, 5, 7, 11])


@pytest.mark.parametrize("name", LAWS)
def test_histograms_have_the_law_of_counted_single_draws(name):
    """The count of each bin, and a sum of all five that no two histograms share; those of half as
    many rewards are told apart.
    """
    (instance, a, *_), size, (left, width, bins) = LAWS[name], 1000, BINS
    env = instance.environment
    edges = left + width * np.arange(bins + 1)

    def counted(drawn):
        return -np.diff([(drawn >= x).sum(axis=1) for x in edges], axis=0).T

    for n in sizes(name):
        counts = filled(fill_counts, env, a, n, left, width, size=(size, bins))
        drawn = singles(env, a, n * size, seed=1).reshape(size, n)
        other = counted(drawn)
        for i in range(bins):
            assert homogeneity(counts[:, i], other[:, i]) > P_VALUE
        assert homogeneity(counts @ SEPARATE, other @ SEPARATE) > P_VALUE
        half = counted(drawn[:, : n // 2])
        assert n < 40 or homogeneity(counts @ SEPARATE, half @ SEPARATE) < 1e-10


OF_POINTS = ["two_point", "discrete", "long column"]


@pytest.mark.parametrize("n", [40, THRESHOLD + 60, 10**15])
@pytest.mark.parametrize("name", OF_POINTS)
def test_a_histogram_loses_no_reward(name, n):
    """Of points with outliers at 100, all within its bins."""
    instance, _, law, *_ = LAWS[name]
    env = contaminate(instance, 0.1, [arms.point_mass(100.0)]).environment
    counts = filled(fill_counts, env, 0, n, -2.0, 0.25, size=(200, 412))
    assert (counts.sum(axis=1) == n).all() and (counts == np.rint(counts)).all()
    assert {*(-2.0 + 0.25 * np.flatnonzero(counts.any(axis=0)))} == {*law, 100.0}


@pytest.mark.parametrize("name", ["discrete", "gaussian", "pareto"])
def test_the_number_of_outliers_is_binomial(name):
    env = contaminate(LAWS[name][0], 0.05, [arms.point_mass(-1e6)]).environment
    out = filled(fill_counts, env, 0, 200, -2e6, 1.5e6, size=(20_000, 1)).ravel()
    assert_law(out, stats.binom(200, 0.05), stats.binom(200, 0.0525))


@pytest.mark.parametrize(("center", "level"), [WHOLE, (0.25, 3.0), (-1.0, 2.0)])
@pytest.mark.parametrize("name", OF_POINTS)
def test_enormous_blocks_of_points(name, center, level):
    """At n = 1e15 contaminated, truncated sums are normal, with the mean and variance of n rewards;
    those of inliers alone have another mean.
    """
    n, (instance, _, law, *_) = 10**15, LAWS[name]
    outliers = contaminate(instance, 0.05, [arms.two_point(2.5, 70.0, 0.5)])
    x, p = np.array([*blend(law, {2.5: 0.5, 70.0: 0.5}, 0.05).items()]).T
    kept = np.where(np.abs(x - center) <= level, x - center, 0.0)
    mean = p @ kept
    deviation = math.sqrt(n * (p @ (kept - mean) ** 2))
    sums, clean = (
        filled(fill_sums, each.environment, 0, n, center, level, size=2000)
        for each in (outliers, instance)
    )
    z = (sums - n * mean) / deviation
    assert_law(z, stats.norm(), stats.norm(0, 1.5), stats.norm(0.3))
    assert abs(z.var() - 1) < SIGMAS * math.sqrt(2 / len(z))
    assert abs(np.mean(clean - n * mean)) > 25 * deviation


@pytest.mark.parametrize(
    ("name", "given", "n", "law"),
    [
        ("two_point", {"low": 0.0, "high": 1.0, "p": 0.3}, 10**18, stats.norm(0.3, 0.21**0.5)),
        ("gaussian", {"mean": 0.25, "sd": 2.0}, 10**15, stats.norm(0.25, 2.0)),
    ],
)
def test_enormous_blocks_are_normal(name, given, n, law):
    env = of_arms([getattr(arms, name)(**given)]).environment
    sums = filled(fill_sums, env, 0, n, *WHOLE, size=2000)
    z = (sums - n * law.mean()) / (math.sqrt(n) * law.std())
    assert_law(z, stats.norm(), stats.norm(0, 1.4), stats.norm(0.2))


def test_sums_of_what_is_certain_are_certain():
    certain = [arms.two_point(0.0, 1.0, 0.0), arms.two_point(0.0, 1.0, 1.0)]
    certain.append(arms.discrete([1.0, 1.0, 1.0], [0.5, 0.3, 0.2]))
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
        for arm in (arms.point_mass(x), points({x: 1.0}), arms.empirical([x])):
            counts, env = np.full(4, 2.0), of_arms([arm]).environment
            draw_counts(env, generator(), 0, 1, 0, 1, -1.0, 0.25, counts)
            assert (counts == np.array(expected) + 2).all(), (x, arm)


@pytest.mark.slow
def test_long_truncated_sums_store_nothing():
    """The peak of memory, in plain Python, of a sum and a histogram of Pareto rewards."""
    env = LAWS["pareto, contaminated"][0].environment
    rng, n, counts = generator(), 20_000, np.zeros(5)
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
    fill_singles(of_arms([arms.beta(2.0, 3.0)]).environment, generator(), 0, np.zeros(1))
    (code,) = fill_singles.dispatcher.inspect_llvm().values()
    assert re.findall(r"^define .*?(draw_\w+)", code, re.MULTILINE) == []
    called = set(re.findall(r"^declare .*?laws\.(\w+):", code, re.MULTILINE))
    assert called == {"draw_apart", "draw_outlier"}
