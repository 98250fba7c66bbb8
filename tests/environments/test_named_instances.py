"""The named environments: their means, laws and moments."""

import math

import numpy as np
import pytest
from helpers import P_VALUE, setting
from scipy import stats

import dpbandits as dp
from dpbandits.environments.catalogue import build
from dpbandits.environments.laws import (
    BETA,
    DISCRETE,
    GAUSSIAN,
    SIGMOID_GAUSSIAN,
    TWO_POINT,
    UNIFORM,
    draw,
)

INSTANCES = {
    "bernoulli_c1": [0.75, 0.70, 0.70, 0.70, 0.70],
    "bernoulli_c2": [0.75, 0.625, 0.5, 0.375, 0.25],
    "bernoulli_c3": [0.75, 0.53125, 0.375, 0.28125, 0.25],
    "bernoulli_c4": [0.75, 0.71875, 0.625, 0.46875, 0.25],
    "bernoulli_gap": [0.8, 0.1, 0.1, 0.1, 0.1],
    "hu_bernoulli": [0.8, 0.05, 0.05, 0.05, 0.05],
    "twopoint_heavy": [0.9, 0.7, 0.5, 0.3, 0.1],
}


@pytest.mark.parametrize("name", INSTANCES)
def test_means_of_named_instances(name):
    found = build(dp.environment(name).contents)
    assert found.means == pytest.approx(INSTANCES[name], abs=1e-15)


def test_c2_has_any_number_of_arms():
    wide = build(dp.environment("bernoulli_c2", arms=11).contents)
    assert wide.means == pytest.approx(np.linspace(0.75, 0.25, 11))


@pytest.mark.parametrize("v", [0.5, 0.9])
def test_twopoint_heavy_has_the_moment_that_it_promises(v):
    laws = build(dp.twopoint_heavy([0.9, 0.3], v).contents).environment
    moments = laws.parameters[:, 2] * laws.parameters[:, 1] ** (1 + v)
    assert moments == pytest.approx([1.0, 1 / 3])


@pytest.mark.slow
def test_the_presets_belong_to_their_classes():
    """twopoint_heavy has u = 1, wu_pareto second moments of at most 1, student_far variance 1."""
    for name, v in (("twopoint_heavy", 0.9), ("twopoint_heavy_v05", 0.5)):
        instance = setting(algo="dpr_se", env=name, v=v).instance
        assert instance.raw_moments(1 + v).max() == pytest.approx(1.0, rel=1e-12)
    wu = setting(algo="prae_r", env="wu_pareto").instance
    scale = np.arange(1, 11)  # a Pareto of shape 11 has mean 1.1 and E X^2 = 11/9 at scale 1
    assert wu.means == pytest.approx(1.1 * scale / (11 / 9 * scale**2))
    assert (wu.raw_moments(2) <= 1).all()
    far = setting(algo="prae_c", env="student_far").instance
    assert far.central_moments(2) == pytest.approx(np.ones(5), rel=1e-12)
    assert np.abs(far.means).max() <= 50


# Ren et al. 2020

REN_MEANS = [0.9] + [0.8] * 5 + [0.7] * 5 + [0.6] * 5 + [0.5] * 4


def ren(name):
    return build(dp.environment(name).contents)


@pytest.mark.parametrize(
    ("name", "laws"),
    [
        ("ren_bernoulli", [TWO_POINT] * 20),
        ("ren_gaussian", [GAUSSIAN] * 20),
        ("ren_mixed", [TWO_POINT] + [BETA] * 5 + [DISCRETE] * 5 + [TWO_POINT] * 5 + [UNIFORM] * 4),
    ],
)  # fmt: skip
def test_the_twenty_arms_of_the_paper(name, laws):
    instance = ren(name)
    assert instance.means == pytest.approx(REN_MEANS)
    assert list(instance.environment.law) == laws
    assert instance.support == ((-math.inf, math.inf) if name == "ren_gaussian" else (0, 1))


def test_the_laws_of_ren_mixed():
    env = ren("ren_mixed").environment
    assert (env.parameters[[0, *range(11, 16)]] == [[0, 1, p] for p in [0.9] + [0.6] * 5]).all()
    assert (env.parameters[1:6, :2] == [4, 1]).all()
    assert (env.parameters[16:, :2] == [0, 1]).all()
    rng = np.random.default_rng(4)
    for a in range(6, 11):
        x = np.array([draw(env, rng, a, 0) for _ in range(2000)])
        assert set(x) == {0.4, 1.0}
        assert stats.binomtest(int((x == 1).sum()), 2000, 0.5).pvalue > P_VALUE


def test_the_laws_of_ren_gaussian():
    env = ren("ren_gaussian").environment
    assert (env.parameters[:, 1] == 1).all() and list(env.parameters[:, 0]) == REN_MEANS
    squashed = build(dp.environment("ren_gaussian", sigmoid=True).contents)
    assert (squashed.environment.law == SIGMOID_GAUSSIAN).all()
    assert squashed.means == pytest.approx(REN_MEANS)
