"""Sweeps over parameters of environments and over horizons."""

import pytest
from helpers import settings


def test_a_parameter_of_the_inlier_is_set_where_an_environment_has_it():
    sweep = {"env": ["contaminated", "ren_bernoulli"], "env.inlier.family": ["c1", "c3"]}
    found = settings(sweep=sweep, assume=True)
    assert [s.columns.get("env.inlier.family") for s in found] == ["c1", "c3", None]
    assert found[0].instance.means[1] == 0.7 and found[1].instance.means[1] == 0.53125


@pytest.mark.parametrize(("given", "other"), [({}, 10_000_000), ({"horizon": 300}, 300)])
def test_a_horizon_of_one_grid_leaves_the_other_alone(given, other):
    sweep = [{"algo": ["adap_ucb"], "horizon": [100, 200]}, {"algo": ["ucb"]}]
    found = [(s.algo, s.horizon, s.columns) for s in settings(sweep=sweep, **given)]
    assert found == [("adap_ucb", 100, {}), ("adap_ucb", 200, {}), ("ucb", other, {})]


def test_what_depends_on_the_horizon_follows_a_swept_one():
    """Such as delta = 1/horizon, and the checkpoints."""
    found = settings(algo="prae_r", env="wu_raw", horizon=[100, 1000])
    assert [s.parameters["delta"] for s in found] == [0.01, 0.001]
    assert [s.rounds()[-1] for s in found] == [100, 1000]


@pytest.mark.parametrize(
    ("env", "key", "equal"),
    [
        ("bernoulli_c2", "arms", [11, 11.0, "11", "1.1e1"]),
        ("bernoulli", "means", [[1, 0], [1.0, 0.0], ["1", "-0.0"]]),
        ("bernoulli", "means", [[0.5, 0.4], [".5", "4e-1"]]),
        ("contaminated", "inlier.arms", [11, 11.0]),
        ("mixed", "arms", [[{"law": "beta", "a": a, "b": 1}] * 2 for a in (3, 3.0)]),
    ],
)
def test_equal_numbers_are_one_setting_however_they_are_written(env, key, equal):
    apart = [settings(env=env, assume=True, sweep={f"env.{key}": [x]})[0] for x in equal]
    assert len({setting.id for setting in apart}) == 1
    assert len(settings(env=env, assume=True, sweep={f"env.{key}": equal})) == 1
