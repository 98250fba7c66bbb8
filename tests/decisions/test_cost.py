"""What privacy costs a test: the sheet and the search of dp.budget and bandit-budget for rules."""

import re

import numpy as np
import pandas as pd
import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.cli import budget as command
from dpbandits.decisions.cost import ENDS, verdict

TEST = {"env": dp.bernoulli([0.3]), "mu0": 0.3, "mu1": 0.6}
LEVELS = [0.2, 1.0, 5.0]


def test_a_sheet_is_made_of_the_runs_of_stop():
    found = dp.budget(rule="dp_sprt", **TEST, eps=LEVELS[::-1], runs=60, per_week=100, weeks=50)
    runs = dp.stop("dp_sprt", **TEST, eps=[*LEVELS, np.inf], runs=60, cap=5000)
    free = runs[runs["eps"] == np.inf]
    assert found["eps"].tolist() == LEVELS and (found["cap"] == 5000).all()
    for row in found.to_dict("records"):
        own = runs[runs["eps"] == row["eps"]]
        times = own["stopping_time"]
        assert row["samples"] == pytest.approx(times.mean())
        assert row["low"] < row["samples"] < row["high"] and row["slow"] == times.quantile(0.9)
        assert row["weeks"] == pytest.approx(times.mean() / 100)
        assert row["ended"] == own["halted"].mean()
        assert row["wrong"] == (own["correct"] == 0).mean()
        agree = own["answer"].to_numpy() == free["answer"].to_numpy()
        assert row["agree"] == agree.mean()
        assert row["without_privacy"] == pytest.approx(free["stopping_time"].mean())
    assert found["answer"].nunique() == 1
    assert "at 100 users a week, eps=1 costs" in found["answer"][0]
    (ax,) = dp.plot(found).axes
    (weeks,) = ax.child_axes
    assert weeks.get_ylabel() == "weeks" and ax.get_ylabel() == "samples"


def test_a_sheet_of_two_trust_models():
    """Each rule takes the keys of its question: the hypotheses are for the rule of a server."""
    env = dp.bernoulli([0.3, 0.9])
    given = {"env": env, "per_week": 100, "weeks": 20, "runs": 20, "eps": [2.0, 8.0]}
    both = dp.budget(rule=["dp_sprt", "nprr_ab"], **given, mu0=0.3, mu1=0.6, delta=0.1)
    server = dp.budget(rule="dp_sprt", **given, mu0=0.3, mu1=0.6)
    local = dp.budget(rule="nprr_ab", **given, delta=0.1)
    pd.testing.assert_frame_equal(both, pd.concat([server, local], ignore_index=True))
    said = message_of(dp.budget, rule=["dp_sprt", "nprr_ab"], **given, rel_error=0.1)
    assert said.startswith("rel_error: no key of dp_sprt")


def row(eps, samples, ended=1.0, free=100.0, per_week=np.nan, cap=1000):
    return {
        "rule": "r", "env": "e", "eps": eps, "samples": samples, "ended": ended, "cap": cap,
        "without_privacy": free, "per_week": per_week,
    }  # fmt: skip


def test_the_verdict_on_a_sheet():
    rows = [row(0.1, 1000, 0.5), row(1.0, 300), row(10.0, 105)]
    assert verdict(rows, 0.2, 0.24) == (
        "r on e: eps=1 costs 300 samples instead of 100 samples without privacy; privacy costs "
        "less than 10 % from eps=10 on; at eps=0.2 it does not end in 1,000 samples, and at "
        "eps=0.24 it does"
    )
    weekly = [x | {"per_week": 50.0} for x in rows[1:]]
    assert verdict(weekly[:1], 0.0, 1.0) == (
        "r on e: at 50 users a week, eps=1 costs 6 weeks instead of 2 weeks without privacy"
    )
    assert verdict([*weekly, weekly[0] | {"eps": 20.0, "ended": 0.5}], 20.0, np.inf).endswith(
        "at eps=20 it does not end in 20 weeks"
    )
    none = "r on e: none of the budgets that were tried, up to eps=0.1, ends in 1,000 samples"
    assert verdict(rows[:1], 0.1, np.inf) == none
    free = row(0.1, 1000, 0.0, free=1000.0)
    assert verdict([free], 0.1, np.inf) == f"{none}, nor does the test without privacy"


def test_a_sheet_says_of_no_budget_more_than_was_measured():
    """Where the test begins to end lies between two budgets of the sheet, and is bisected."""
    given = {**TEST, "per_week": 100, "weeks": 4, "runs": 40}
    said = dp.budget(rule="dp_sprt", **given, eps=[0.2, 4.0])["answer"][0]
    low, high = map(float, re.findall(r"at eps=([\d.]+) it does", said))
    assert 0.2 < low < high < 4.0 and high <= 1.25 * low
    found = dp.budget(rule="dp_sprt", **given, eps=[low, high])
    assert (found["ended"] >= ENDS).tolist() == [False, True]


@pytest.mark.slow
@pytest.mark.parametrize("quantile", [None, 0.9])
def test_the_smallest_budget_for_a_time(quantile):
    few = {"runs": 256, "precision": 2.0, "least": 0.01, "most": 100.0}
    found = dp.budget(rule="dp_sprt", **TEST, samples=400, quantile=quantile, **few).iloc[0]
    assert found["reached"] and 0 < found["low"] <= found["budget"] <= found["high"]
    runs = dp.stop("dp_sprt", **TEST, eps=[found["low"] / 1.5, 1.5 * found["high"]], runs=2000)
    times = runs.groupby("eps")["stopping_time"]
    above, below = times.mean() if quantile is None else times.quantile(quantile)
    assert above > 400 > below
    assert "stopping time is at most 400 samples from an eps between" in found["answer"]


@pytest.mark.slow
def test_none_is_an_answer_and_says_what_would_be_reached():
    few = {"runs": 128, "precision": 2.0, "least": 0.1, "most": 10.0}
    never = dp.budget(rule="dp_sprt", **TEST, samples=5, **few).iloc[0]
    assert not never["reached"] and np.isnan(never["budget"])
    assert never["answer"].startswith("none: dp_sprt on bernoulli: the mean stopping time is above")
    assert "without privacy" in never["answer"]
    [said] = re.findall(r"; samples=(\S+) is reached at eps=10$", never["answer"])
    assert dp.budget(rule="dp_sprt", **TEST, samples=float(said), **few).iloc[0]["reached"]
    tail = dp.budget(rule="dp_sprt", **TEST, samples=5, quantile=0.9, **few).iloc[0]
    [more] = re.findall(r"; samples=(\S+) is reached at eps=10$", tail["answer"])
    given = {"samples": float(more), "quantile": 0.9}
    assert float(more) > float(said)
    assert dp.budget(rule="dp_sprt", **TEST, **given, **few).iloc[0]["reached"]
    cut = dp.budget(rule="dp_sprt", **TEST, samples=5, cap=6, **few).iloc[0]
    assert cut["answer"].startswith("none") and "is reached" not in cut["answer"]  # it is unknown
    always = dp.budget(rule="dp_sprt", **TEST, ratio=1000, **few).iloc[0]
    assert always["reached"] and "and perhaps below" in always["answer"]
    with pytest.raises(dp.BadInput, match="the answer of a search has no figure"):
        dp.plot(dp.budget(rule="dp_sprt", **TEST, ratio=1000, **few))


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({}, "either samples=N or ratio=R"),
        ({"samples": 9, "ratio": 2}, "either samples=N or ratio=R"),
        ({"samples": -1}, "samples=-1: a number above 0"),
        ({"samples": 9, "quantile": 2}, "quantile=2"),
        ({"samples": 9, "horizon": 5}, "horizon: the search for a budget of a rule takes samples"),
        ({"eps": [1], "samples": 9}, "samples: a sheet of budgets takes eps, per_week"),
        ({"eps": [0]}, "eps=0"),
        ({"eps": [1], "per_week": 0}, "per_week=0: a number above 0"),
        ({"eps": [1], "runs": 3}, "runs=3"),
        ({"ratio": 2, "least": 2, "most": 1}, "above least=2"),
    ],
)
def test_bad_values(keys, says):
    assert says in message_of(dp.budget, rule="dp_sprt", **TEST, **keys)


def test_what_goes_with_a_rule_alone():
    assert "either algo=NAME or rule=NAME" in message_of(dp.budget, env="bernoulli_c2", ratio=2)
    for key in ("samples", "quantile", "per_week", "weeks"):
        said = message_of(dp.budget, "dp_se", "bernoulli_c2", 1e3, regret=9, **{key: 0.5})
        assert said == f"{key}: this key needs rule=NAME"
    assert "a rule with a privacy budget eps" in message_of(
        dp.budget, rule="nas", env="sign", samples=100
    )


@pytest.mark.slow
def test_command(tmp_path, bandit):
    line = "rule=dp_sprt env=bernoulli env.means=[.3] mu0=.3 mu1=.6"
    printed = bandit(command, f"{line} eps=[.5,2] runs=40 results={tmp_path} out=sheet")
    assert any("eps=0.5 costs" in text or "eps=2 costs" in text for text in printed)
    assert any("slow: what nine of ten runs do not exceed" in text for text in printed)
    assert not any("e+" in text for text in printed)
    assert {"sheet.md", "sheet.pdf", "sheet.png"} <= {x.name for x in tmp_path.iterdir()}
    printed = bandit(command, f"{line} samples=400 precision=2 runs=64 results={tmp_path} out=goal")
    assert any("stopping time is" in text for text in printed)
    assert (tmp_path / "goal.md").exists()
