"""Lines of reference for labelled users: what is printed, metric=error, and what beats a line."""

import math

import numpy as np
import pandas as pd
import pytest
from commands import command
from helpers import setting
from refusals import message_of

import dpbandits as dp
from dpbandits.cli.run import _references
from dpbandits.environments.catalogue import build

ALGOS = "bpo", "lin_ucb"


def said(highs, **given):
    """What is printed of these upper ends of intervals of ALGOS."""
    settings = [setting(algo=algo, env=dp.labelled("sklearn:iris"), **given) for algo in ALGOS]
    return [*_references(settings, pd.DataFrame({"ci_high": highs}))]


def test_the_lines_are_expected_mistakes():
    rows = build({"law": "labels", "source": "sklearn:breast_cancer"})
    uniform, constant, name = rows.references(569)
    assert np.allclose([uniform, constant], [569 / 2, 212]) and name == "benign"
    assert rows.references(100)[1] == pytest.approx(21200 / 569)


def test_a_run_says_whether_something_private_beats_the_best_constant_action():
    lines = said([100.0, 40.0])  # lin_ucb, which is not private, does
    assert lines[0].startswith("labels: in 150 rounds uniform play makes 100 mistakes, and playing")
    assert "always setosa, the best constant action, 100" in lines[0]
    assert lines[1].startswith("labels: no private algorithm here is seen (with 95 %)")
    assert len(said([99.0, 40.0])) == 1
    assert len(said([99.0, 40.0], eps=math.inf)) == 1  # nothing is private


def test_error_is_mistakes_per_round(tmp_path):
    env = dp.labelled("sklearn:iris")
    given = {"algo": "best_constant", "runs": 3, "checkpoints": 2, "jobs": 1, "results": tmp_path}
    table = dp.run(env=env, **given)
    errors = dp.measured(table, "error")
    assert (errors["error"] == table["regret"] / table["t"]).all()
    assert (errors.loc[errors["t"] == 150, "error"] == 2 / 3).all()
    other = dp.run(algo="ucb", env="bernoulli_c2", horizon=100, runs=2, jobs=1, results=tmp_path)
    line = message_of(dp.measured, other, "error")
    assert line == "metric=error: a table of env=labels or env=log is needed"


def test_a_comparison_of_errors_does_not_speak_of_regret(tmp_path):
    words = "-m algo=uniform_play,supervised env=labels env.source=sklearn:iris runs=3 jobs=1"
    command("bandit-run", *words.split(), "horizon=rows", cwd=tmp_path)
    (file,) = tmp_path.glob("results/*-*.csv")
    compared = command("bandit-compare", file, "metric=error", cwd=tmp_path).stdout
    assert "mistakes per round" in compared and "regret" not in compared
    assert "final regret" in command("bandit-compare", file, cwd=tmp_path).stdout  # control


@pytest.mark.slow
def test_the_budget_that_beats_a_line(tmp_path):
    """All rows are shown, so that the best constant action makes the same mistakes in every run."""
    given = {"precision": 4, "jobs": 1, "results": tmp_path}
    env = dp.labelled("sklearn:breast_cancer")
    [row] = dp.budget("bpo", env, beats="constant", least=1, **given).to_dict("records")
    assert row["goal"] == 212 and 1 < row["low"] < row["budget"] < row["high"] < 100
    assert "regret crosses the 212 of best_constant between eps=" in row["answer"]
    few = {"least": 0.1, "most": 1}
    env = dp.labelled("sklearn:wine")
    [row] = dp.budget("square_cb", env, beats="uniform", **few, **given).to_dict("records")
    assert math.isclose(row["goal"], 178 * 2 / 3) and "uniform_play" in row["answer"]
    [row] = dp.budget("square_cb", env, beats="constant", **few, **given).to_dict("records")
    assert not row["reached"] and row["goal"] == 178 - 71
    assert row["answer"].endswith("no eps between 0.1 and 1 beats best_constant")


def test_a_line_that_is_no_line_is_refused():
    env = dp.labelled("sklearn:iris")
    line = message_of(dp.budget, "bpo", env, beats="constants")
    assert "beats=constants" in line and "constant" in line
    line = message_of(dp.budget, "dp_se", "bernoulli_c2", 100, beats="constant")
    assert "beats=constant: env=bernoulli_c2 has no lines of reference" in line
    line = message_of(dp.budget, "bpo", env, beats="constant", ratio=2)
    assert line == "beats: leave regret, ratio and baseline out"
