"""Contaminated environments on the command line: the inlier, multiruns and sweeps over both."""

import json
import math
import shlex

import pandas as pd
import pytest
from commands import command

from dpbandits.cli import run
from dpbandits.cli.config.compose import multirun_points, read_request
from dpbandits.running.play import play

SMALL = "runs=2 jobs=1 horizon=60 checkpoints=4 algo=adap_ucb assume=true"


def setting_of(*lines):
    """The only setting of a command line."""
    [found] = read_request(shlex.split(" ".join(lines)), ()).settings
    return found


@pytest.fixture
def table_of(bandit):
    """A function that runs a line and returns its table."""
    return lambda line: pd.read_csv(bandit(run, line)[-1])


def test_an_inlier_is_chosen_by_its_name():
    found = setting_of(
        "algo=prae_c env=contaminated env.inlier=student_far env.alpha=.05 env.outlier=100"
    )
    assert json.loads(found.env_spec)["inlier"]["means"] == [20, 19, 18, 17, 16]
    assert found.env == "contaminated" and found.instance.contamination == 0.05
    assert json.loads(found.env_spec)["outlier"] == 100


def test_an_inliers_parameters_can_be_set():
    line = "algo=prae_r assume=true env=contaminated env.inlier=pareto env.inlier.shape=4"
    assert json.loads(setting_of(line).env_spec)["inlier"]["shape"] == 4
    line = "algo=prae_r assume=true env=wu_raw env.inlier=twopoint_heavy env.inlier.v=.5"
    assert json.loads(setting_of(line).env_spec)["inlier"]["v"] == 0.5


@pytest.mark.slow
def test_a_multirun_over_inliers():
    line = "algo=prae_c env=contaminated env.inlier=student_far,pareto env.alpha=.05,.1 assume=true"
    found = [setting_of(*point) for point in multirun_points(shlex.split(line))]
    inliers = [json.loads(c.env_spec)["inlier"]["law"] for c in found]
    assert inliers == ["student", "student", "pareto", "pareto"]
    assert [c.instance.contamination for c in found] == [0.05, 0.1, 0.05, 0.1]


@pytest.mark.slow
def test_a_multirun_over_a_parameter_of_an_inlier(tmp_path):
    """One table for each, with the regret that each has alone."""
    line = f"env=contaminated env.outlier=1 {SMALL} env.inlier=bernoulli"
    point = "env.inlier.means=[0.9,0.1],[0.5,0.4]"
    done = command("bandit-run", *line.split(), "-m", point, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    paths = [x for x in done.stdout.split() if x.endswith(".csv")]
    *tables, whole = (pd.read_csv(tmp_path / x) for x in paths)
    assert list(whole["env.inlier.means"].unique()) == ["[0.9,0.1]", "[0.5,0.4]"]
    expected = [
        setting_of(f"{line} env.inlier.means={means}") for means in ("[0.9,0.1]", "[0.5,0.4]")
    ]
    for table, alone in zip(tables, expected, strict=True):
        last = table[table["t"] == 60]["regret"]
        pulls = [play(alone, r).pulls[-1] for r in range(2)]
        assert list(last) == pytest.approx([p @ alone.instance.gaps for p in pulls], rel=1e-11)


@pytest.mark.slow
def test_a_sweep_over_a_parameter_of_the_environment(table_of):
    """A column of its own, blank where an environment lacks it; such a one is run once."""
    table = table_of(f"{SMALL} 'sweep={{env:[contaminated,bernoulli_c2],env.alpha:[0,.2]}}'")
    assert list(table.columns[4:7]) == ["seed", "env.alpha", "run"]
    settings = table[["env", "env.alpha"]].drop_duplicates().to_numpy().tolist()
    assert settings[:2] == [["contaminated", 0.0], ["contaminated", 0.2]]
    assert settings[2][0] == "bernoulli_c2" and math.isnan(settings[2][1]) and len(settings) == 3
    last = table[table["t"] == 60].set_index(["env", "run"])["regret"]
    clean, foul = last["bernoulli_c2"], last["contaminated"].to_numpy()
    assert (foul[:2] == clean).all() and (foul[2:] != clean).any()


@pytest.mark.slow
def test_a_sweep_over_what_is_no_number(table_of):
    """Outliers may be lists and laws: the table says which, as they are typed."""
    choices = "[0,[0,1,1,1,1],{law: bernoulli, mean: .5}]"
    table = table_of(f"{SMALL} env=contaminated 'sweep={{env.outlier:{choices}}}'")
    assert list(table["env.outlier"].unique()) == ["0", "[0,1,1,1,1]", "{law:bernoulli,mean:0.5}"]
