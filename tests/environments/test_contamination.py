"""Huber contamination: the law of the rewards, and regret that is that of the inliers."""

import numpy as np
import pytest
from helpers import CONF, bernoulli, contaminated, setting

import dpbandits as dp
from dpbandits.environments.catalogue import build

STUDENT = {"law": "student", "means": [3.0, 5.0, 5.0], "scale": 0.5, "df": 3}


def outlying_values(instance):
    """The value of each arm's outliers, which are point masses."""
    rows = instance.environment.parameters[len(instance.means) :]
    assert (rows[:, 0] == rows[:, 1]).all()
    return rows[:, 1]


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


MEANS, UNSEEN = np.array(STUDENT["means"]), 0.99 * np.array([1.0, -1.0, -1.0])


@pytest.mark.parametrize(
    ("outlier", "relative", "expected"),
    [
        (7, False, [7, 7, 7]),
        (7, True, [10, 12, 12]),
        ([1, 2, -3], False, [1, 2, -3]),
        ([1, 2, -3], True, [4, 7, 2]),
        ({"law": "point_mass", "value": 2}, False, [2, 2, 2]),
        ([{"law": "point_mass", "value": x} for x in (1, 2, 3)], False, [1, 2, 3]),
        ({"law": "unseen", "k": 2}, False, 0.1**-0.5 * UNSEEN),
        ({"law": "unseen", "k": 3}, False, 0.1 ** (-1 / 3) * UNSEEN),
        ({"law": "unseen", "k": 3}, True, MEANS + 0.1 ** (-1 / 3) * UNSEEN),
    ],
)
def test_outliers(outlier, relative, expected):
    """A value or a law, for all arms or for each; of unseen ones values that pull down the best
    arms and push up the others. They are added to the means if they are relative.
    """
    instance = build(contaminated(STUDENT, 0.1, outlier, relative))
    assert outlying_values(instance) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("outlier", [3.0, {"law": "unseen", "k": 2}, [1.0, 2.0, 3.0]])
def test_without_contamination_it_is_the_clean_environment(outlier):
    """Bit for bit, so that runs can be compared."""
    clean, same = build(STUDENT), build(contaminated(STUDENT, 0, outlier))
    for x, y in zip(clean.environment, same.environment, strict=True):
        assert np.array_equal(x, y)
    assert (clean.means == same.means).all() and clean.support == same.support


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
