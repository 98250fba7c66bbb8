"""Environments of the catalogue: the twenty arms of Ren et al. 2020."""

import math

import numpy as np
import pytest
import yaml
from helpers import CONF, P_VALUE
from scipy import stats

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

REN_MEANS = [0.9] + [0.8] * 5 + [0.7] * 5 + [0.6] * 5 + [0.5] * 4


def ren(name):
    return build(yaml.safe_load((CONF / "env" / f"{name}.yaml").read_text()))


@pytest.mark.parametrize(
    ("name", "laws"),
    [
        ("ren_bernoulli", [TWO_POINT] * 20),
        ("ren_gaussian", [GAUSSIAN] * 20),
        (
            "ren_mixed",
            [TWO_POINT] + [BETA] * 5 + [DISCRETE] * 5 + [TWO_POINT] * 5 + [UNIFORM] * 4,
        ),
    ],
)
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
    spec = yaml.safe_load((CONF / "env" / "ren_gaussian.yaml").read_text())
    squashed = build(spec | {"sigmoid": True})
    assert (squashed.environment.law == SIGMOID_GAUSSIAN).all()
    assert squashed.means == pytest.approx(REN_MEANS)
