"""Each constructor of an environment or a population: its arguments, and what it stands for."""

import inspect

import numpy as np
import pytest

import dpbandits as dp
from dpbandits import environment_values
from dpbandits.contracts.question import REGRET
from dpbandits.environments.catalogue import build
from dpbandits.settings.compose import request_from

NAMED = {"environment", "population"}  # a file of that name gives the arguments
COINS = dp.bernoulli([0.9, 0.8])


def setting(**given):
    """The setting of a call of ``dp.run``."""
    (found,) = request_from(REGRET, {"algo": "ucb", "assume": True, **given}, {}).settings
    return found


CONSTRUCTORS = [
    name
    for name, function in inspect.getmembers(environment_values, inspect.isfunction)
    if function.__module__ == environment_values.__name__ and name in {*dp.__all__} - NAMED
]


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_a_constructor_passes_each_of_its_arguments_on(name, tmp_path):
    function = getattr(dp, name)
    given = {key: f"its {key}" for key in inspect.signature(function).parameters}
    if "file" in given:
        given["file"] = str(tmp_path)
    key = "kind" if name in ("levels", "clipped_normal") else "law"
    expected = {key: name, **given}
    if name == "contaminated":
        given["inlier"], expected["inlier"] = COINS, COINS.contents
    assert function(**given).contents == expected


@pytest.mark.parametrize(
    ("value", "means"),
    [
        (dp.contaminated(COINS, 0.1, outlier={"law": "unseen", "k": 2}), [0.9, 0.8]),
        (dp.contaminated("bernoulli_c2", 0.1), [0.75, 0.625, 0.5, 0.375, 0.25]),
        (dp.table(np.array([[1, 0], [0, 1], [1, 1]])), [2 / 3, 2 / 3]),
        (dp.environment("bernoulli_c2", arms=3), [0.75, 0.5, 0.25]),
    ],
)
def test_means_of_values(value, means):
    assert build(value.contents).means == pytest.approx(means)


def test_a_value_is_shown_as_the_call_that_makes_it():
    arms = [{"law": "beta", "a": 4, "b": 1}, {"law": "bernoulli", "mean": 0.5, "copies": 2}]
    shown = "mixed(arms=[{law:beta,a:4,b:1},{law:bernoulli,mean:0.5,copies:2}])"
    assert repr(dp.mixed(arms)).replace(", ", ",") == shown
    assert repr(dp.environment("bernoulli_c2", arms=3)) == "bernoulli_c2(arms=3)"


@pytest.mark.parametrize(
    "value",
    [COINS, {"law": "bernoulli", "means": [0.9, 0.8]}, "bernoulli", dp.environment("bernoulli")],
    ids=lambda v: type(v).__name__,
)
def test_ways_to_say_the_same_environment(value):
    found = setting(env=value)
    assert found.env == "bernoulli"
    assert found.record["env_spec"] == {"law": "bernoulli", "means": [0.9, 0.8]}


@pytest.mark.parametrize("shares", [None, [0.25, 0.75]])
def test_values_of_populations(shares):
    users = {"algo": "heldp_ucb_l", "env": "bernoulli_c2", "eps_min": 0.5}
    found = setting(**users, population=dp.levels([0.5, 2], shares=shares))
    assert found.record["population"] == {"kind": "levels", "levels": [0.5, 2], "shares": shares}
    named = setting(**users, population=dp.population("levels", levels=[0.5, 2]))
    assert found.budget == named.budget == found.population.largest
