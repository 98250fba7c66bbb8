"""Assumptions of algorithms on the rewards: checked, waived, or met by an automatic parameter."""

import math

import numpy as np
import pytest
from helpers import setting
from refusals import message_of
from scipy import stats
from scipy.integrate import quad

import dpbandits as dp
from dpbandits.errors import BadInput

WAIVED = [
    {"algo": "dpr_se", "env": "pareto_v05", "v": 0.9, "u": 2},
    {"algo": "dpr_ucb", "env": "pareto", "u": 0.5},
    {"algo": "ldpr_se", "env": "contaminated"},
    {"algo": "robust_ucb", "env": dp.contaminated("bernoulli_c2", 0.3, 1e9)},
    {"algo": "prae_r", "env": "student_far"},
    {"algo": "prae_r", "env": "pareto_v05"},
    {"algo": "prae_r", "env": "wu_raw", "alpha1": 0.01},
    {"algo": "prae_c", "env": "wu_central", "alpha1": 0.01},
    {"algo": "prae_c", "env": "student_far", "D": 10},
    {"algo": "prae_c", "env": "student"},
]


@pytest.mark.parametrize("given", WAIVED, ids=lambda x: f"{x['algo']} on {x['env']}")
def test_an_assumption_that_only_the_regret_needs_can_be_waived(given):
    assert "anyway" in message_of(setting, **given)
    assert setting(**given, assume=True)


@pytest.mark.parametrize(
    ("algo", "env"),
    [
        ("adap_ucb", dp.contaminated("bernoulli_c2", 0.05, 2)),
        ("adap_klucb",
         dp.contaminated("bernoulli_c2", 0.05, {"law": "gaussian", "mean": 0, "sd": 1})),
        ("dp_se", "pareto_v05"),
        ("heldp_ucb_b", dp.contaminated("bernoulli_c2", 0.05, [0, 0, 0, -0.01, 0])),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("assume", [False, True])
def test_an_assumption_that_privacy_needs_cannot_be_waived(algo, env, assume):
    with pytest.raises(BadInput, match=r"rewards in \[0, 1\]") as refused:
        setting(algo=algo, env=env, assume=assume)
    assert "assume=true" not in str(refused.value)


def test_outliers_within_the_range_do_not_affect_privacy():
    assert setting(algo="adap_ucb", env=dp.contaminated("bernoulli_c2", 0.05, 1), assume=True)


@pytest.mark.parametrize("assume", [False, True])
def test_an_infinite_u_is_refused_whatever_is_assumed(assume):
    assert "algo.u=auto: the value is infinite for env=pareto_v05" in message_of(
        setting, algo="dpr_se", env="pareto_v05", v=0.9, assume=assume
    )


# Automatic parameters


def pareto_moment(q, mean, shape):
    return shape * (mean * (shape - 1) / shape) ** q / (shape - q)


def integral(law, q):
    """E|X|^q, by the integral of P(|X| > x)."""
    return q * quad(lambda x: x ** (q - 1) * (law.cdf(-x) + law.sf(x)), 0, np.inf, limit=500)[0]


@pytest.mark.parametrize(
    ("env", "v", "expected"),
    [
        ("pareto_v05", 0.5, pareto_moment(1.5, 0.9, 1.55)),
        ("pareto_v09", 0.9, pareto_moment(1.9, 0.9, 1.95)),
        ("pareto_v09", 0.5, pareto_moment(1.5, 0.9, 1.95)),
        (dp.pareto([0.2, 0.5], 3), 1, pareto_moment(2, 0.5, 3)),
        ("wu_pareto", 1, pareto_moment(2, 0.9, 11)),
        ("twopoint_heavy", 0.9, 1.0),
        ("twopoint_heavy_v05", 0.5, 1.0),
        (dp.environment("twopoint_heavy", g=0.5), 0.5, 0.9 * 2**0.5),
        ("lognormal", 0.5, 0.9**1.5 * math.exp(0.5 * 1.5 * 0.5)),
        ("student", 1, 3 + 0.9**2),
        ("student", 0.5, integral(stats.t(3, 0.9), 1.5)),
        ("ren_gaussian", 0.5, integral(stats.norm(0.9, 1), 1.5)),
        ("bernoulli_c2", 0.3, 0.75),
        ("ren_mixed", 1, 0.9),
        (dp.table([[1, 3], [0, -2]]), 1, 6.5),
        (dp.contaminated("pareto_v05", 0.05, 1e6), 0.5, pareto_moment(1.5, 0.9, 1.55)),
    ],
    ids=str,
)
def test_u_is_the_largest_moment_of_the_arms(env, v, expected):
    """u=auto is E|X|^(1+v) of the worst arm, of the inliers under contamination."""
    found = setting(algo="dpr_se", env=env, v=v, assume=True, horizon=2)
    assert found.parameters["u"] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("algo", ["dpr_ucb", "ldpr_se", "robust_ucb"])
def test_u_is_computed_from_the_environment_unless_it_is_given(algo):
    automatic, given = (setting(algo=algo, env="pareto_v05", **u) for u in ({}, {"u": 7}))
    assert automatic.parameters["u"] == pytest.approx(pareto_moment(1.5, 0.9, 1.55))
    assert given.parameters["u"] == 7


def test_the_automatic_u_is_the_smallest_that_is_accepted():
    """u=auto passes its own check, to the last digit."""
    for env, v in (("pareto_v09", 0.9), ("twopoint_heavy", 0.9), ("student", 0.5)):
        u = setting(algo="dpr_se", env=env, v=v).parameters["u"]
        assert setting(algo="dpr_se", env=env, v=v, u=u)
        assert "assumes at most u" in message_of(setting, algo="dpr_se", env=env, v=v, u=0.999 * u)


def alpha1(algo, env, alpha, **given):
    chosen = dp.environment(env, alpha=alpha)
    return setting(algo=algo, env=chosen, **given).parameters["alpha1"]


@pytest.mark.parametrize("alpha", [0, 0.02, 0.13, 0.3])
def test_alpha1_is_the_contamination(alpha):
    assert alpha1("prae_r", "wu_raw", alpha) == alpha
    if alpha < 0.133:
        assert alpha1("prae_c", "wu_central", alpha) == alpha
    else:
        with pytest.raises(
            BadInput, match=r"alpha1=auto: auto is 0\.3 for env=wu_central, but a number in"
        ):
            alpha1("prae_c", "wu_central", alpha)
    assert alpha1("prae_r", "wu_raw", alpha, alpha1=0.4) == 0.4
    assert setting(algo="prae_r", env="wu_pareto").parameters["alpha1"] == 0.0
