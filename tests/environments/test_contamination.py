"""Huber contamination: the law of the rewards, and regret that is that of the inliers."""

import math

import numpy as np
import pytest
from helpers import CONF, SIGMAS, bernoulli, contaminated, setting, table
from scipy import stats

import dpbandits as dp
from dpbandits.environments.blocks import draw_sum
from dpbandits.environments.catalogue import build
from dpbandits.environments.laws import draw
from dpbandits.running.play import play

STUDENT = {"law": "student", "means": [3.0, 5.0, 5.0], "scale": 0.5, "df": 3}


def draws(env, a, size, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([draw(env, rng, a, 0) for _ in range(size)])


def outlying_values(instance):
    """The value of each arm's outliers, which are point masses."""
    rows = instance.environment.parameters[len(instance.means) :]
    assert (rows[:, 0] == rows[:, 1]).all()
    return rows[:, 1]


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.01, 0.2, 0.49])
def test_the_share_of_outliers_is_alpha(alpha):
    """Whatever is drawn of either law: the shares differ by their error alone."""
    n = 20_000
    env = build(contaminated(STUDENT, alpha, [1e6, -1e6, 2e6])).environment
    for a, value in enumerate((1e6, -1e6, 2e6)):
        x = draws(env, a, n)
        out = x[np.abs(x) > 1e5]
        assert set(out) == {value}
        assert abs(len(out) - alpha * n) < SIGMAS * math.sqrt(alpha * (1 - alpha) * n)
        inliers = x[np.abs(x) < 1e5]
        assert stats.kstest(inliers, stats.t(3, STUDENT["means"][a], 0.5).cdf).pvalue > 1e-6


@pytest.mark.parametrize(
    ("outlier", "expected"),
    [
        (100.0, [stats.uniform(100.0, 1e-6)] * 3),
        ([1, 2, 300], [stats.uniform(x, 1e-6) for x in (1, 2, 300)]),
        ({"law": "gaussian", "mean": 900, "sd": 2}, [stats.norm(900, 2)] * 3),
        ([{"law": "uniform", "low": 800, "high": 900}, {"law": "pareto", "mean": 700, "shape": 3},
         {"law": "lognormal", "mean": 800, "sigma": 0.1}], [stats.uniform(800, 100),
         stats.pareto(3, scale=700 * 2 / 3), stats.lognorm(0.1, scale=800 * math.exp(-0.005))]),
    ],
    ids=["value", "list", "law", "list of laws"],
)  # fmt: skip
def test_outliers_have_their_law(outlier, expected):
    """A value or a law, for all arms or for each; values are smeared for the test's sake."""
    instance = build(contaminated(STUDENT, 0.4, outlier))
    for a, law in enumerate(expected):
        inlier = stats.t(3, STUDENT["means"][a], 0.5)
        x = draws(instance.environment, a, 4000)

        def cdf(x, inlier=inlier, law=law):
            return 0.6 * inlier.cdf(x) + 0.4 * law.cdf(x)

        x = x + 1e-6 * (x == np.round(x)) * np.random.default_rng(1).random(len(x))
        assert stats.kstest(x, cdf).pvalue > 1e-6
        assert stats.kstest(x, lambda y, cdf=cdf: cdf(1.05 * y)).pvalue < 1e-10


def test_regret_is_that_of_the_inliers():
    """Gaps, moments and u are the inliers'; the range of the rewards is not."""
    clean = build(STUDENT)
    foul = build(contaminated(STUDENT, 0.4, [1e6, -1e6, 0.0]))
    assert (foul.means == clean.means).all() and (foul.gaps == [2.0, 0.0, 0.0]).all()
    assert (foul.raw_moments(1.5) == clean.raw_moments(1.5)).all()
    assert (foul.central_moments(2.0) == clean.central_moments(2.0)).all()
    assert foul.contamination == 0.4 and clean.contamination == 0.0
    within = build(contaminated(bernoulli(0.9, 0.2), 0.1, [0.5, -2.0]))
    assert within.support == (-2.0, 1.0)
    assert build(contaminated(bernoulli(0.9, 0.2), 0.1, 0.5)).support == (0.0, 1.0)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("relative", [False, True])
def test_unseen_outliers(relative, k):
    """-.99 alpha^(-1/k) for the best arms, + for the others; added to the means if relative."""
    spec = contaminated(STUDENT, 0.1, {"law": "unseen", "k": k}, relative)
    expected = 0.99 * 0.1 ** (-1 / k) * np.array([1.0, -1.0, -1.0])
    expected = expected + (np.array(STUDENT["means"]) if relative else 0.0)
    assert outlying_values(build(spec)) == pytest.approx(expected)


def test_relative_outliers_are_added_to_the_means():
    assert (outlying_values(build(contaminated(STUDENT, 0.1, 7, True))) == [10, 12, 12]).all()
    assert (outlying_values(build(contaminated(STUDENT, 0.1, [1, 2, -3], True))) == [4, 7, 2]).all()
    assert (outlying_values(build(contaminated(STUDENT, 0.1, [1, 2, -3]))) == [1, 2, -3]).all()


@pytest.mark.parametrize("outlier", [3.0, {"law": "unseen", "k": 2}, [1.0, 2.0, 3.0]])
def test_without_contamination_it_is_the_clean_environment(outlier):
    """Bit for bit, so that runs can be compared."""
    clean, same = build(STUDENT), build(contaminated(STUDENT, 0, outlier))
    for x, y in zip(clean.environment, same.environment, strict=True):
        assert np.array_equal(x, y)
    assert (clean.means == same.means).all() and clean.support == same.support


@pytest.mark.slow
def test_runs_without_contamination_are_those_of_the_clean_environment():
    given = {"algo": "adap_ucb", "horizon": 500}
    clean = play(setting(**given, env="bernoulli_c2"), 3).pulls
    for alpha, same in ((0, True), (0.2, False)):
        env = dp.contaminated("bernoulli_c2", alpha)
        foul = play(setting(**given, env=env, assume=True), 3).pulls
        assert np.array_equal(clean, foul) == same


def test_the_regret_of_a_run_is_that_of_the_inliers():
    """Outliers reverse the order of the arms, so that an algorithm learns to play the worse one."""
    env = dp.contaminated(dp.bernoulli([0.6, 0.4]), 0.45, [0, 1])
    table = dp.run(
        algo="adap_ucb", env=env, eps=10, horizon=20_000, runs=2, checkpoints=4, assume=True
    )
    last = table[table["t"] == 20_000]
    assert (last["regret"] > 0.2 * 15_000).all()


def test_the_contaminated_presets():
    """Inliers and outliers are those that SPEC.md gives, and the names those of its files."""
    assert {"contaminated", "wu_raw", "wu_central"} <= {f.stem for f in CONF.glob("env/*.yaml")}
    for algo, env, inlier in (
        ("prae_r", "wu_raw", "wu_pareto"),
        ("prae_c", "wu_central", "student_far"),
    ):
        instance = setting(algo=algo, env=env).instance
        clean = setting(algo=algo, env=inlier).instance
        assert (instance.means == clean.means).all()
        reach = 0.99 * 0.05**-0.5 * np.where(clean.gaps == 0, -1, 1)
        base = clean.means if inlier == "student_far" else 0.0
        assert outlying_values(instance) == pytest.approx(base + reach)


def test_shuffled_arms_keep_their_outliers():
    """Arm i of the shuffled environment draws what arm order[i] draws: inliers and outliers."""
    arms = [
        {"law": "pareto", "mean": 2, "shape": 3},
        {"law": "discrete", "values": [1, 2, 3], "probabilities": [0.2, 0.3, 0.5]},
        {"law": "gaussian", "mean": 1, "sd": 2},
    ]
    outliers = [
        {"law": "point_mass", "value": 50},
        {"law": "student", "mean": 60, "scale": 1, "df": 3},
        {"law": "discrete", "values": [70, 71], "probabilities": [0.5, 0.5]},
    ]
    instance = build(contaminated({"law": "mixed", "arms": arms}, 0.3, outliers))
    order = np.array([2, 0, 1])
    shuffled = instance.shuffled(order)
    for i, a in enumerate(order):
        assert (draws(shuffled, i, 500) == draws(instance.environment, a, 500)).all()
    table = {"law": "table", "rewards": [[1, 2, 3]] * 2, "file": None}
    instance = build(contaminated(table, 0.3, [10, 20, 30]))
    shuffled = instance.shuffled(order)
    for i, a in enumerate(order):
        assert set(draws(shuffled, i, 100)) == {a + 1.0, 10 * (a + 1.0)}


@pytest.mark.parametrize("center", [0.0, 10.3, -1e6 / 3])
@pytest.mark.parametrize("law", ["table", "bernoulli"])
def test_the_largest_outliers_count_at_any_level_around_any_center(law, center):
    """Their distance to the center is the level, also where a float cannot express their value."""
    n = 400
    inlier = table([[0.0] * 2] * n) if law == "table" else bernoulli(0.0, 0.0)
    env = build(contaminated(inlier, 0.3, {"law": "largest", "k": 2})).environment
    for level in (1.1, 2.7, 3.3, 7.9):
        total = draw_sum(env, np.random.default_rng(0), 0, n, 0, 1, center, level)
        inliers = -center if abs(center) <= level else 0.0
        out = (total - n * inliers) / (level - inliers)
        assert abs(out - 0.3 * n) < SIGMAS * math.sqrt(0.3 * 0.7 * n)
