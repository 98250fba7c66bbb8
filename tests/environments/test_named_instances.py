"""The means of the named environments, and the moment that twopoint_heavy promises."""

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.environments.catalogue import build

INSTANCES = {
    "bernoulli_c1": [0.75, 0.70, 0.70, 0.70, 0.70],
    "bernoulli_c2": [0.75, 0.625, 0.5, 0.375, 0.25],
    "bernoulli_c3": [0.75, 0.53125, 0.375, 0.28125, 0.25],
    "bernoulli_c4": [0.75, 0.71875, 0.625, 0.46875, 0.25],
    "bernoulli_gap": [0.8, 0.1, 0.1, 0.1, 0.1],
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
