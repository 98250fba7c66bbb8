"""Each constructor of an environment or a population: what it stands for, and that it is played."""

import numpy as np
import pandas as pd
import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.contracts.question import REGRET
from dpbandits.environments.catalogue import build
from dpbandits.settings.compose import request_from

# a value, what it is in words, its configuration, and the means of its arms
VALUES = [
    (dp.bernoulli([0.9, 0.8]), "bernoulli(means=[0.9,0.8])",
     {"law": "bernoulli", "means": [0.9, 0.8]}, [0.9, 0.8]),
    (dp.bernoulli_family("c2", arms=5), "bernoulli_family(family=c2,arms=5)",
     {"law": "bernoulli_family", "family": "c2", "arms": 5}, [0.75, 0.625, 0.5, 0.375, 0.25]),
    (dp.sign(-0.5, scale=2), "sign(mean=-0.5,scale=2)", {"law": "sign", "mean": -0.5, "scale": 2},
     [-0.5]),
    (dp.gaussian([1, 0], sd=2), "gaussian(means=[1,0],sd=2,sigmoid=false)",
     {"law": "gaussian", "means": [1, 0], "sd": 2, "sigmoid": False}, [1, 0]),
    (dp.pareto([2, 1], shape=1.5), "pareto(means=[2,1],shape=1.5)",
     {"law": "pareto", "means": [2, 1], "shape": 1.5}, [2, 1]),
    (dp.student([1, 0], df=4), "student(means=[1,0],scale=1.0,df=4)",
     {"law": "student", "means": [1, 0], "scale": 1.0, "df": 4}, [1, 0]),
    (dp.lognormal([2, 1], sigma=0.5), "lognormal(means=[2,1],sigma=0.5)",
     {"law": "lognormal", "means": [2, 1], "sigma": 0.5}, [2, 1]),
    (dp.mixed([{"law": "beta", "a": 4, "b": 1}, {"law": "bernoulli", "mean": 0.5, "copies": 2}]),
     "mixed(arms=[{law:beta,a:4,b:1},{law:bernoulli,mean:0.5,copies:2}])", None, [0.8, 0.5, 0.5]),
    (dp.twopoint_heavy([0.9, 0.5], v=0.5), "twopoint_heavy(means=[0.9,0.5],v=0.5,g=null)", None,
     [0.9, 0.5]),
    (dp.contaminated(dp.bernoulli([0.9, 0.8]), 0.1, outlier={"law": "unseen", "k": 2}), None,
     {"law": "contaminated", "inlier": {"law": "bernoulli", "means": [0.9, 0.8]}, "alpha": 0.1,
     "outlier": {"law": "unseen", "k": 2}, "relative": False, "stage": "rewards"}, [0.9, 0.8]),
    (dp.contaminated("bernoulli_c2", 0.1, outlier=1.0), None, None,
     [0.75, 0.625, 0.5, 0.375, 0.25]),
    (dp.table(np.array([[1, 0], [0, 1], [1, 1]])),
     "table(rewards=[[1,0],[0,1],[1,1]],file=null,columns=null,header=null)", None,
     [2 / 3, 2 / 3]),
    (dp.environment("bernoulli_c2", arms=3), "bernoulli_c2(arms=3)",
     {"law": "bernoulli_family", "family": "c2", "arms": 3}, [0.75, 0.5, 0.25]),
]  # fmt: skip


def setting(**given):
    """The setting of a call of ``dp.run``."""
    (found,) = request_from(REGRET, {"algo": "ucb", "assume": True, **given}, {}).settings
    return found


@pytest.mark.parametrize(
    ("value", "words", "contents", "means"),
    VALUES,
    ids=[f"{v[0].name} {i}" for i, v in enumerate(VALUES)],
)
def test_values_of_environments(value, words, contents, means):
    if words is not None:
        assert repr(value).replace(", ", ",") == words
    assert contents is None or value.contents == contents
    assert build(value.contents).means == pytest.approx(means)


@pytest.mark.parametrize(
    "value",
    [
        dp.bernoulli([0.9, 0.8]),
        {"law": "bernoulli", "means": [0.9, 0.8]},
        "bernoulli",
        dp.environment("bernoulli"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_ways_to_say_the_same_environment(value):
    found = setting(env=value)
    assert found.env == "bernoulli"
    assert found.record["env_spec"] == {"law": "bernoulli", "means": [0.9, 0.8]}


def test_rewards_from_a_file(tmp_path):
    file = tmp_path / "rewards.csv"
    pd.DataFrame({"a": [1, 2, 3], "b": [0, 1, 5], "c": [4, 4, 1]}).to_csv(file, index=False)
    assert build(dp.empirical(file).contents).means == pytest.approx([2, 2, 3])
    two = dp.empirical(str(file), columns=["c", "a"])
    assert build(two.contents).means == pytest.approx([3, 2])


def test_values_of_populations():
    users = {"algo": "heldp_ucb_l", "env": "bernoulli_c2", "eps_min": 0.5}
    for value, contents in (
        (dp.levels([0.5, 2]), {"kind": "levels", "levels": [0.5, 2], "shares": None}),
        (
            dp.levels(np.array([0.5, 2]), shares=[0.25, 0.75]),
            {"kind": "levels", "levels": [0.5, 2], "shares": [0.25, 0.75]},
        ),
        (
            dp.clipped_normal(1, 0.5, high=3),
            {"kind": "clipped_normal", "mean": 1, "sd": 0.5, "low": 0.0, "high": 3},
        ),
        (dp.population("levels", levels=[0.5, 2]), None),
    ):
        found = setting(**users, population=value)
        assert contents is None or found.record["population"] == contents
        assert found.budget == found.population.largest


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: dp.environment("bernoulli_c22"), "did you mean bernoulli_c2?"),
        (lambda: dp.environment("bernoulli_c2", armz=3), "did you mean env.arms?"),
        (lambda: dp.environment("../env/bernoulli"), "env=empirical env.file=../env/bernoulli"),
        (lambda: dp.population("level"), "did you mean levels?"),
        (lambda: dp.population("levels", level=2), "did you mean population.levels?"),
        (lambda: dp.contaminated("bernoulli_c22", 0.1), "did you mean bernoulli_c2?"),
        (lambda: setting(env=dp.bernoulli([0.9, 1.5])), "env.means=[0.9,1.5]:"),
        (lambda: dp.bernoulli(0.9, 0.8), "the means are one list: dp.bernoulli([0.9,0.8])"),
        (lambda: setting(env={"law": "bernouli"}), "did you mean bernoulli?"),
        (lambda: setting(env={"means": [0.5, 0.6]}), "env.law"),
        (lambda: setting(env=dp.empirical("missing.csv")), "env.file=missing.csv:"),
    ],
)
def test_bad_values_are_refused(make, reason):
    assert reason in message_of(make)
