"""The named environments: their means, laws and moments."""

import numpy as np
import pytest
from helpers import setting

import dpbandits as dp
from dpbandits.environments import arms
from dpbandits.environments.catalogue import build
from dpbandits.environments.instances import of_arms

INSTANCES = {
    "bernoulli_c1": [0.75, 0.70, 0.70, 0.70, 0.70],
    "bernoulli_c2": [0.75, 0.625, 0.5, 0.375, 0.25],
    "bernoulli_c3": [0.75, 0.53125, 0.375, 0.28125, 0.25],
    "bernoulli_c4": [0.75, 0.71875, 0.625, 0.46875, 0.25],
    "bernoulli_gap": [0.8, 0.1, 0.1, 0.1, 0.1],
    "hu_bernoulli": [0.8, 0.05, 0.05, 0.05, 0.05],
    "twopoint_heavy": [0.9, 0.7, 0.5, 0.3, 0.1],
}


def test_means_of_named_instances():
    for name, means in INSTANCES.items():
        found = build(dp.environment(name).contents)
        assert found.means == pytest.approx(means, abs=1e-15), name
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


REN_MEANS = [0.9] + [0.8] * 5 + [0.7] * 5 + [0.6] * 5 + [0.5] * 4
MIXED = [arms.bernoulli(0.9), *[arms.beta(4, 1)] * 5, *[arms.discrete([0.4, 1.0], [0.5, 0.5])] * 5]
MIXED += [arms.bernoulli(0.6)] * 5 + [arms.uniform(0, 1)] * 4


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("ren_bernoulli", {}, [arms.bernoulli(x) for x in REN_MEANS]),
        ("ren_gaussian", {}, [arms.gaussian(x, 1) for x in REN_MEANS]),
        ("ren_gaussian", {"sigmoid": True}, [arms.sigmoid_gaussian(x, 1) for x in REN_MEANS]),
        ("ren_gaussian_sigmoid", {}, [arms.sigmoid_gaussian(x, 1) for x in REN_MEANS]),
        ("ren_mixed", {}, MIXED),
    ],
)
def test_the_twenty_arms_of_ren_et_al_2020(name, given, expected):
    found = build(dp.environment(name, **given).contents)
    assert found.means == pytest.approx(REN_MEANS)
    for x, y in zip(found.environment, of_arms(expected).environment, strict=True):
        assert np.array_equal(x, y)
