"""What privacy costs a test: the sheet and the search of dp.budget and bandit-budget for rules."""

import re

import numpy as np
import pandas as pd
import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.cli import budget as command
from dpbandits.decisions.cost import ENDS, of_ratio, verdict

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


@pytest.mark.slow
def test_a_sheet_of_two_trust_models():
    """Each rule takes the keys of its question: the hypotheses are for the rule of a server."""
    env = dp.bernoulli([0.3, 0.9])
    given = {"env": env, "per_week": 100, "weeks": 20, "runs": 20, "eps": [2.0, 8.0]}
    both = dp.budget(rule=["dp_sprt", "nprr_ab"], **given, mu0=0.3, mu1=0.6, delta=0.1)
    server = dp.budget(rule="dp_sprt", **given, mu0=0.3, mu1=0.6)
    local = dp.budget(rule="nprr_ab", **given, delta=0.1)
    pd.testing.assert_frame_equal(both, pd.concat([server, local], ignore_index=True))
    said = message_of(dp.budget, rule=["dp_sprt", "nprr_ab"], **given, rel_error=0.1)
    assert said.startswith("rel_error: dp_sprt takes ")


TITLE = "r on e, mu0=0.1"


def row(eps, samples, ended=1.0, free=100.0, per_week=np.nan, cap=1000, free_ended=1.0):
    return {
        "eps": eps, "samples": samples, "ended": ended, "cap": cap, "without_privacy": free,
        "free_ended": free_ended, "per_week": per_week,
    }  # fmt: skip


def test_the_verdict_on_a_sheet():
    rows = [row(0.1, 1000, 0.5), row(1.0, 300), row(10.0, 105)]
    assert verdict(TITLE, rows, 0.2, 0.24) == (
        f"{TITLE}: eps=1 costs 300 samples instead of 100 samples without privacy; privacy costs "
        "less than 10 % from eps=10 on; at eps=0.2 it does not end in 1,000 samples, and at "
        "eps=0.24 it does"
    )
    weekly = [x | {"per_week": 50.0} for x in rows[1:]]
    assert verdict(TITLE, weekly[:1], 0.0, 1.0) == (
        f"{TITLE}: at 50 users a week, eps=1 costs 6 weeks instead of 2 weeks without privacy"
    )
    assert verdict(
        TITLE, [*weekly, weekly[0] | {"eps": 20.0, "ended": 0.5}], 20.0, np.inf
    ).endswith("at eps=20 it does not end in 20 weeks")
    none = f"{TITLE}: none of the budgets that were tried, up to eps=0.1, ends in 1,000 samples"
    assert verdict(TITLE, rows[:1], 0.1, np.inf) == none
    free = row(0.1, 1000, 0.0, free=700.0, free_ended=0.63)
    nor = ", nor does the test without privacy (63 % of its runs end)"
    assert verdict(TITLE, [free], 0.1, np.inf) == f"{none}{nor}"


def test_a_mean_of_runs_that_were_cut_is_said_to_be_at_least_as_large():
    """A cut mean is no evidence that privacy is cheap, at its budget and at smaller ones."""
    said = verdict(TITLE, [row(1.0, 105), row(2.0, 105, 0.95), row(4.0, 105)], 0.0, 1.0)
    assert said.endswith("; privacy costs less than 10 % from eps=4 on")
    free = {"free": 300.0, "free_ended": 0.8}
    said = verdict(TITLE, [row(1.0, 400, 0.95, **free)], 0.0, 1.0)
    assert "eps=1 costs at least 400 samples instead of at least 300 samples without" in said
    assert said.endswith("without privacy (80 % of its runs end)")


@pytest.mark.slow
def test_a_sheet_says_where_runs_were_cut(tmp_path, bandit):
    """As a free test that ends in some runs only: no mean without "at least", no interval."""
    line = "rule=nprr_ab env=bernoulli env.means=[.3,.6] eps=[1,20] cap=300 runs=40"
    printed = bandit(command, f"{line} results={tmp_path} out=cut.png best=tied pivot=eps")
    assert any("nor does the test without privacy (" in text for text in printed)
    assert {x.name for x in tmp_path.iterdir()} == {"cut.png", "cut.md", "cut.tex", "runs"}
    texts = [(tmp_path / f"cut{end}").read_text() for end in (".md", ".tex")]
    assert texts[0].count("at least") >= 4 and "not stopped" in texts[0]
    assert texts[1].count("at least") == 2 and "textbf" not in texts[1]
    found = dp.budget(
        rule="nprr_ab", env=dp.bernoulli([0.3, 0.6]), eps=[1, 20], cap=300, runs=40, per_week=100
    )
    assert (found["free_ended"] < ENDS).all() and (found["ended"] < 1).all()
    assert found[["low", "high"]].isna().all(axis=None)
    assert "at least" in dp.latex(found, columns="eps,without_privacy")
    note = str([x.get_text() for x in dp.plot(found).texts])
    assert "At a triangle" in note and "strip" not in note
    whole = dp.budget(rule="dp_sprt", **TEST, eps=[2.0], runs=40)
    note = str([x.get_text() for x in dp.plot(whole).texts])
    assert "strip" in note and "triangle" not in note and "bands" not in note


@pytest.mark.slow
def test_one_rule_with_two_values_has_a_column_a_sentence_and_a_line_for_each():
    two = [dp.algorithm("nprr_ab", assignment="hidden"), "nprr_ab"]
    given = {"env": dp.bernoulli([0.2, 0.9]), "eps": [2.0, 4.0], "runs": 20}
    found = dp.budget(rule=two, **given)
    assert list(found.columns[:5]) == ["rule", "assignment", "env", "delta", "eps"]
    assert found["assignment"].tolist() == ["hidden", "hidden", "open", "open"]
    for name, own in found.groupby("assignment"):
        begins = f"nprr_ab with assignment={name} on bernoulli, delta=0.05: "
        assert own["answer"].str.startswith(begins).all()
        alone = dp.budget(rule=dp.algorithm("nprr_ab", assignment=name), **given)
        assert own["samples"].tolist() == alone["samples"].tolist()
    (ax,) = dp.plot(found).axes
    lines = [x.get_label() for x in ax.lines if x.get_label().startswith("NPRR")]
    assert lines == ["NPRR-AB, hidden assignment", "NPRR-AB, open assignment"]
    table = dp.latex(found, pivot="eps", best="tied")
    assert "hidden" in table and "open" in table and "textbf" in table
    means, samples = (dp.latex(found, columns=["eps", x, "interval"]) for x in ("mean", "samples"))
    assert means == samples and "samples" in means
    twice = message_of(dp.budget, rule=["nprr_ab", "nprr_ab"], **given)
    assert twice == "rule=nprr_ab: the rule is given twice with equal parameters"


@pytest.mark.slow
def test_the_hypotheses_are_in_the_answer():
    given = {"env": dp.bernoulli([0.05]), "runs": 32}
    goal = "dp_sprt on bernoulli, mu0=0.3, mu1=0.7, alpha=0.05, beta=0.05: "
    assert dp.budget(rule="dp_sprt", **given, eps=[1])["answer"][0].startswith(goal)
    found = dp.budget(rule="dp_sprt", **given, samples=1000, precision=8)
    assert goal in found["answer"][0]


def test_a_ratio_compares_runs_of_equal_rewards():
    """The error of the time without privacy counts, and pairs of runs decide what means do not."""
    rng = np.random.default_rng(0)
    free = rng.exponential(1000.0, 256)
    times = 1.01 * free + rng.uniform(0.0, 5.0, 256)
    paired = of_ratio(times, free, 1.05, 1e5, None)
    assert paired.value == pytest.approx(times.mean() / free.mean()) and paired.high <= 1.05
    assert of_ratio(times[::-1], free, 1.05, 1e5, None).high > 1.05
    assert of_ratio(times, free, 1.005, 1e5, None).low > 1.005
    assert of_ratio(times, free, 1.05, times.max(), None).high == np.inf  # a run was cut
    assert of_ratio(times, free, 1.005, free.max(), None).low == 0.0
    tail = of_ratio(times, free, 1.05, 1e5, 0.9)
    assert tail.low < np.quantile(times, 0.9) / np.quantile(free, 0.9) < tail.high


@pytest.mark.slow
def test_errors_of_a_search_for_a_ratio_are_rare():
    """Of 200 samples of a ratio of 1.5 few exclude it, although 64 runs do not fix the goal."""
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(200):
        free, own = rng.exponential(1000.0, (2, 64))
        found = of_ratio(1.5 * own, free, 1.5, 1e6, None)
        wrong += not found.low <= 1.5 <= found.high
    assert wrong <= 2


@pytest.mark.slow
def test_a_ratio_that_is_reached_is_not_denied():
    """With this seed, the first 256 runs without privacy are quicker than most."""
    given = {"env": dp.bernoulli([0.3]), "mu0": 0.3, "mu1": 0.4, "seed": 36}
    found = dp.budget(rule="dp_sprt", **given, ratio=1.05, least=900.0).iloc[0]
    said = f"1.05 times that without privacy ({found['samples']:.1f} samples) at eps="
    assert found["reached"] and said in found["answer"]
    both = dp.budget(rule="dp_sprt", **TEST, ratio=3, runs=128, precision=8, per_week=9).iloc[0]
    assert " weeks) " in both["answer"]
    assert both["reached"] and both["samples"] == pytest.approx(3 * both["without_privacy"])


def test_a_search_takes_no_mean_of_cut_runs_for_the_mean():
    few = {"runs": 64, "precision": 8.0, "least": 0.1, "most": 1.0}
    found = dp.budget(rule="dp_sprt", **TEST, samples=150, cap=100, **few).iloc[0]
    assert not found["reached"] and "a larger cap helps" in found["answer"]


@pytest.mark.slow
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
    assert never["answer"].startswith("none: dp_sprt on bernoulli, mu0=0.3, mu1=0.6")
    assert "the mean stopping time is above 5 samples at every eps" in never["answer"]
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
    with pytest.raises(dp.BadInput, match="the budget for samples=N or ratio=R has no figure"):
        dp.plot(dp.budget(rule="dp_sprt", **TEST, ratio=1000, **few))


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({}, "either samples=N or ratio=R"),
        ({"samples": 9, "ratio": 2}, "samples and ratio: give only one of the two"),
        ({"rato": 2}, "unknown key or parameter 'rato': did you mean ratio?"),
        ({"ratio": 2, "run": 64}, "unknown key or parameter 'run': did you mean runs?"),
        ({"eps": [1], "m0": 0.3}, "unknown key or parameter 'm0': did you mean mu0?"),
        ({"eps": [1], "weeks": 3}, "weeks=3: this key needs per_week=M"),
        ({"eps": [1], "weeks": 3, "per_week": 9, "cap": 5}, "cap and weeks: give only one"),
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
    both = message_of(dp.budget, "dp_se", env="bernoulli_c2", rule="dp_sprt", ratio=2)
    assert both == "algo and rule: give only one of the two"
    assert message_of(dp.budget, rule="dp_sprt", eps=[1]) == "env=NAME is needed"
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
    assert {"sheet.md", "sheet.tex", "sheet.pdf", "sheet.png"} <= {
        x.name for x in tmp_path.iterdir()
    }
    printed = bandit(command, f"{line} samples=400 precision=2 runs=64 results={tmp_path} out=goal")
    assert any("stopping time is" in text for text in printed)
    assert (tmp_path / "goal.md").exists()


def sheet(mean=0.3, **keys):
    test = {"env": dp.bernoulli([mean]), "mu0": 0.3, "mu1": 0.7, "eps": [1.0, 2.0], "runs": 20}
    return dp.budget(rule="dp_sprt", jobs=1, **{**test, **keys})


@pytest.mark.parametrize(
    "keys, name",
    [
        ({"mean": 0.35}, "without_privacy"), ({"alpha": 0.2}, "alpha"), ({"runs": 40}, "runs"),
        ({"per_week": 10.0}, "per_week"), ({"eps": [1.0]}, "two answers"),
    ],
)  # fmt: skip
def test_joined_sheets_that_one_figure_cannot_tell_apart_are_refused(keys, name):
    """Mutation that it catches: one line through the points of two tests."""
    joined = pd.concat([sheet(), sheet(**keys)])
    message = message_of(dp.plot, joined)
    assert name in message and message.endswith("; draw each answer by itself")


def test_joined_sheets_of_several_budgets_are_one_line():
    joined = pd.concat([sheet(), sheet(eps=[4.0])])
    (ax,) = dp.plot(joined).axes
    assert ax.lines[0].get_xdata().tolist() == [1.0, 2.0, 4.0]
    assert dp.latex(joined).count(r"\\") == 4


@pytest.mark.parametrize(
    "key, value",
    [("eps", 1), ("env", "bernoulli"), ("x", "t"), ("hue", "eps"), ("col", "eps"),
     ("kind", "tail"), ("metric", "nash"), ("band", "std"), ("bounds", True), ("marks", True)],
)  # fmt: skip
def test_a_figure_of_a_sheet_refuses_what_it_does_not_take(key, value):
    message = message_of(dp.plot, sheet(), **{key: value})
    assert message.startswith(f"{key}=")
    assert message.endswith(f"a figure of dp.budget takes no {key}")


def test_what_is_not_known_is_blank():
    """Of estimates no share agrees, and between two hypotheses no answer is wrong."""
    estimated = dp.budget(
        rule="dp_nas", env=dp.sign(-0.5), rel_error=0.5, eps=[1.0], runs=20, jobs=1
    )  # fmt: skip
    between = sheet(mean=0.5)
    assert estimated["agree"].isna().all() and estimated["wrong"].notna().all()
    assert between["agree"].notna().all() and between["wrong"].isna().all()


def test_budgets_that_look_alike_are_refused():
    assert "eps=[1.0,1.000000000001]" in message_of(sheet, eps=[1, 1 + 1e-12])


SCHEDULE = {"env": dp.bernoulli([0.1, 0.9]), "delta": 0.1, "precision": 8.0}  # equal runs
SAID = re.compile(r"; samples=(\S+) is reached at eps=1000$")


def test_runs_that_are_all_equal_decide_a_ratio():
    """If enough of them are: other runs, up to the cap, could lie above the goal. The controls: few
    runs, and a goal that all runs equal, which no number of runs decides.
    """
    times = np.full(512, 1300.0)
    assert of_ratio(times, times, 2.0, 26_000, None).high <= 2.0
    assert of_ratio(times, times, 0.5, 13_000, None).low > 0.5
    few = of_ratio(times[:64], times[:64], 2.0, 26_000, None)
    assert few.low < 1.0 < 2.0 < few.high < np.inf
    assert of_ratio(times, times, 2.0, 1e7, None).high > 2.0  # a large cap allows rare long runs
    assert of_ratio(times, times, 2.0, 1300, None).high == np.inf  # cut runs


def test_times_that_all_are_those_without_privacy_do_not_decide_a_ratio_near_1():
    """In one run of fifty, the next time could be another one, which 64 runs often do not show."""
    times = np.random.default_rng(0).geometric(0.1, 64).astype(float)
    near = of_ratio(times, times, 1.001, 1000, None)
    assert near.low < 1.0 < 1.001 < near.high < np.inf
    many = np.tile(times, 64)
    assert of_ratio(many, many, 1.5, 100, None).high <= 1.5  # the control


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "given"),
    [
        ("dp_se_bai", SCHEDULE),
        ("nprr_ab", SCHEDULE),
        ("dp_sprt", {**TEST, "precision": 8.0}),
    ],
)
@pytest.mark.parametrize("quantile", [None, 0.9])
def test_what_is_said_to_be_reached_is_reached(rule, given, quantile):
    """Also by a schedule, whose runs are all equal: the cap of the search grows with its goal."""
    few = {**given, "rule": rule, "quantile": quantile, "runs": 128, "least": 10.0}
    never = dp.budget(**few, samples=5).iloc[0]
    [said] = SAID.findall(never["answer"])
    assert dp.budget(**few, samples=float(said)).iloc[0]["reached"]
    assert float(said) <= 3 * never["without_privacy"]
    assert dp.budget(**{**few, "runs": 512}, ratio=2).iloc[0]["reached"]


@pytest.mark.slow
def test_an_undecided_schedule_says_whether_more_runs_help():
    few = {**SCHEDULE, "rule": "dp_se_bai", "least": 100.0, "runs": 64}
    assert dp.budget(**few, ratio=2)["answer"][0].endswith("; more runs help")
    equal = dp.budget(**few, ratio=1).iloc[0]
    assert not equal["reached"] and equal["answer"].endswith(
        "; all runs are equal to the goal, so that more runs do not help"
    )


@pytest.mark.slow
def test_runs_without_privacy_that_never_end_are_cut():
    """Two equal arms: no rule can name the better one, with privacy or without."""
    given = {"samples": 20, "runs": 64, "delta": 0.05, "jobs": 1}
    found = dp.budget(rule="ctb_tt", env=dp.bernoulli([0.5, 0.5]), **given).iloc[0]
    assert not found["reached"] and found["free_ended"] < 1
    assert "at least 20,000 without privacy" in found["answer"]
