"""Average and Nash regret of a table, against slow formulas on every round."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from scipy.stats import norm

import dpbandits as dp
from dpbandits.cli import compare, plot, report, run
from dpbandits.results.metrics import nash, resolution
from dpbandits.results.table import open_tables

MEANS = [0.9, 0.5, 0.1]
ENV = dp.bernoulli(MEANS)


def drawn_arms(rng, runs, T):
    """Arms that become better with time, int array (runs, T)."""
    chance = np.linspace(0.2, 0.95, T)
    return np.where(rng.random((runs, T)) < chance, 0, rng.integers(1, 3, (runs, T)))


def slow_nash(means, t):
    """The best mean minus the geometric mean over t rounds of the mean over runs."""
    logs = [math.log(sum(run[s] for run in means) / len(means)) for s in range(t)]
    return max(MEANS) - math.exp(sum(logs) / t)


def of_arms(arms, t):
    """The pseudo-regret at checkpoints."""
    return (max(MEANS) - np.array(MEANS)[arms]).cumsum(axis=1)[:, t - 1]


def test_nash_regret_of_every_round_is_the_formula():
    arms = drawn_arms(np.random.default_rng(0), 7, 60)
    t = np.arange(1, 61)
    values = nash(of_arms(arms, t), t, 0.9)
    wanted = [slow_nash(np.array(MEANS)[arms], s) for s in t]
    assert values.mean(axis=0) == pytest.approx(wanted, abs=1e-12)
    assert resolution(of_arms(arms, t), t, 0.9, 0.1) == pytest.approx(0.0, abs=1e-12)


def test_checkpoints_make_it_smaller_by_at_most_the_resolution():
    rng = np.random.default_rng(1)
    for _ in range(50):
        T = int(rng.integers(5, 80))
        arms = drawn_arms(rng, int(rng.integers(1, 6)), T)
        t = np.unique(np.append(rng.integers(1, T + 1, 4), T))
        every = slow_nash(np.array(MEANS)[arms], T)
        regret = of_arms(arms, t)
        estimate = nash(regret, t, 0.9).mean(axis=0)[-1]
        assert estimate <= every + 1e-12
        assert every <= estimate + resolution(regret, t, 0.9, 0.1) + 1e-12


def test_its_standard_error_is_that_of_samples():
    """Of 400 samples of 50 runs the standard deviation of the estimate is the mean of the standard
    errors; half of it is told apart."""
    rng, t = np.random.default_rng(2), np.array([10, 20, 50, 100])
    found = [nash(of_arms(drawn_arms(rng, 50, 100), t), t, 0.9)[:, -1] for _ in range(400)]
    errors = np.std(found, axis=1, ddof=1) / math.sqrt(50)
    spread = np.std([x.mean() for x in found], ddof=1)
    sure = norm.isf(1e-6) / math.sqrt(2 * 400)
    assert spread == pytest.approx(errors.mean(), rel=sure)
    assert spread != pytest.approx(errors.mean() / 2, rel=2 * sure)


def test_a_run_of_more_regret_has_a_larger_value():
    """Mutation that it catches: the influence of a run has the other sign, and its law the other
    skewness; the mean and the standard error are the same."""
    t = np.array([10, 20, 50, 100])
    regret = of_arms(drawn_arms(np.random.default_rng(3), 50, 100), t)
    values = nash(regret, t, 0.9)
    assert np.corrcoef(values[:, -1], regret[:, -1])[0, 1] > 0.8


def test_an_arm_of_mean_zero_makes_all_of_it():
    t = np.array([1, 2, 3])
    regret = np.array([[0.5, 0.5, 0.5]] * 2)  # the first round has the mean 0
    assert nash(regret, t, 0.5) == pytest.approx(np.full((2, 3), 0.5))


@pytest.mark.slow
def test_summaries_and_figures_show_it(tmp_path, bandit):
    table = dp.run(algo=["dp_se", "ucb"], env=ENV, eps=[1, 2], horizon=2000, runs=6, jobs=1)
    regret, average, of_nash = (dp.summary(table, metric=m) for m in ("regret", "average", "nash"))
    assert average["mean"].to_numpy() == pytest.approx(regret["mean"].to_numpy() / 2000)
    assert (of_nash["mean"] > average["mean"]).all() and (of_nash["resolution"] > 0).all()
    again = dp.summary(dp.measured(table, "nash"))
    assert again["mean"].tolist() == of_nash["mean"].tolist()
    mixed = table.sample(frac=1.0, random_state=0)  # rows in another order
    mixed = mixed.sort_values(["algo", "eps"], kind="stable")
    mixed.attrs = table.attrs
    assert set(dp.summary(mixed, metric="nash")["mean"].round(12)) == set(of_nash["mean"].round(12))
    figure = dp.plot(table, metric="nash")
    assert {ax.get_ylabel() for ax in figure.axes} >= {"Nash regret"}
    file = bandit(run, "algo=ucb env=bernoulli_c2 horizon=200 runs=3 jobs=1 results=r")[-1]
    bandit(plot, f"{file} metric=nash out=nash.png")
    assert (tmp_path / "nash.png").is_file()
    table.to_csv("a.csv", index=False)
    assert "metric=nash needs the settings: the .json file" in message_of(
        open_tables([Path("a.csv")]).measured, "nash"
    )


@pytest.mark.slow
def test_each_setting_keeps_its_means_in_tables_that_are_sorted_or_filtered():
    """Mutation that it catches: the records of the settings are taken in their first order."""
    envs = [ENV, dp.bernoulli([0.5, 0.3, 0.2])]
    table = dp.run("dp_se", envs, eps=[1, 2], horizon=2000, runs=3, jobs=1)
    found = dp.summary(table, metric="nash")
    columns = ["env.means", "eps", "mean", "resolution"]
    for some in (table.iloc[::-1], table[table["eps"] == 2], table[table["env.means"] != "x"]):
        own = dp.summary(some, metric="nash")[columns]
        both = own.merge(found, on=["env.means", "eps"])
        assert len(both) == len(own) and (both["resolution_x"] == both["resolution_y"]).all()
        assert both["mean_x"].to_numpy() == pytest.approx(both["mean_y"].to_numpy(), rel=1e-12)
    curves = {
        len(some): {line.get_label() for ax in dp.plot(some, bounds=True).axes for line in ax.lines}
        for some in (table, table[table["eps"] == 2])
    }
    assert all(any("lower bound" in str(x) for x in labels) for labels in curves.values())
    lacking = table.drop(table.index[5])
    assert "a run lacks checkpoints" in message_of(dp.measured, lacking, metric="nash")
    strange = table.assign(eps=table["eps"] + 1)
    needed = "metric=nash needs the settings: load the table of a command with dp.load"
    assert needed in message_of(dp.measured, strange, metric="nash")


def test_a_measured_table_knows_its_metric():
    table = dp.measured(dp.run("ucb", ENV, horizon=200, runs=3, jobs=1), "average")
    summary = dp.summary(table)
    assert dp.summary(table, metric="average").equals(summary)
    assert dp.plot(table).axes[0].get_ylabel() == "average regret"
    assert "bounds apply only to pseudo-regret" in message_of(dp.plot, table, bounds=True)
    assert "but this table holds average" in message_of(dp.compare, table, metric="nash")


@pytest.mark.slow
@pytest.mark.extra("jinja2", "vl_convert")
def test_the_report_of_a_measured_table_is_of_its_metric(tmp_path):
    """Its numbers were called pseudo-regret, with the theorems beside them."""
    regret = dp.run("ucb", ENV, horizon=200, runs=3, jobs=1)
    average = dp.measured(regret, "average")
    for tables, metric, is_average in [
        (average, "regret", True), (average, "average", True), (regret, "average", True),
        (regret, "regret", False),
    ]:  # fmt: skip
        page = dp.report(tables, tmp_path / "page.html", metric=metric).read_text()
        assert (" (average regret)" in page) == is_average
        assert ("pseudo-regret" not in page) == is_average
    both = dp.report([average, regret], tmp_path / "page.html").read_text()
    assert both.count(" (average regret)</h2>") == 1 and "<h2>Table 2: " in both
    refusal = message_of(dp.report, average, tmp_path / "page.html", metric="nash")
    assert "but this table holds average" in refusal


def test_a_file_that_lacks_a_row_has_none(bandit, refused):
    file = Path(bandit(run, "algo=ucb env=bernoulli_c2 horizon=200 runs=3 jobs=1 results=r")[-1])
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:3] + lines[4:]))
    for module in (plot, compare):
        assert "a run lacks checkpoints" in refused(module, [str(file), "metric=nash"])


def test_contexts_have_none(bandit, refused):
    given = "algo=rs_oful env=contextual horizon=50 runs=2 jobs=1 results=r"
    file = bandit(run, given)[-1]
    words = "metric=nash: env=contextual: arms with contexts have no means"
    for module in (plot, compare):
        assert words in refused(module, [file, "metric=nash"])
    for measure in (dp.measured, dp.summary, dp.plot, dp.compare):
        assert message_of(measure, dp.load(file), metric="nash") == words


@pytest.mark.slow
def test_reports_show_it_without_theorems(bandit, refused):
    pytest.importorskip("jinja2")
    bandit(run, "algo=rs_oful env=contextual horizon=50 runs=2 jobs=1 results=c")
    assert "arms with contexts have no means" in refused(report, ["results=c", "metric=nash"])
    stored = bandit(run, "algo=ucb env=bernoulli_c2 horizon=200 runs=3 jobs=1 results=r")[-1]
    table = dp.load(stored)
    mean = dp.summary(table, metric="nash")["mean"][0]
    bandit(report, "results=r metric=nash out=folder.html")
    pages = dp.report(table, "table.html", metric="nash"), Path("folder.html")
    for page in pages:
        text = page.read_text()
        assert "(Nash regret)" in text and "final Nash regret" in text
        assert f"{mean:.3g}" in text and 'id="map"' not in text
    times = dp.stop(rule="dp_nas", env=ENV, eps=1, rel_error=0.5, cap=1000, runs=2, jobs=1)
    assert "metric=nash: a table of regret is needed" in message_of(
        dp.report, times, "times.html", metric="nash"
    )
    text = dp.report([table, times], "both.html", metric="average").read_text()
    assert "Left out" in text and "average regret" in text


@pytest.fixture
def regret():
    return dp.run(algo="ucb", env=ENV, horizon=100, runs=2, jobs=1)


@pytest.mark.parametrize("metric", ["nash", "average"])
def test_what_has_none_is_refused(regret, metric):
    times = dp.stop(rule="dp_nas", env=ENV, eps=1, rel_error=0.5, cap=1000, runs=2, jobs=1)
    assert f"metric={metric}: a table of regret is needed" in message_of(dp.measured, times, metric)
    message = message_of(dp.plot, regret, metric=metric, bounds=True)
    assert f"metric={metric}: bounds apply only to pseudo-regret" in message


def test_nash_regret_needs_means(regret):
    assert "nahs" in message_of(dp.measured, regret, "nahs")
    regret = regret.assign(setting="unknown")
    regret.attrs = {}
    message = message_of(dp.summary, regret, metric="nash")
    assert "metric=nash needs the settings: load the table of a command with dp.load" in message
    below = dp.environment("ren_gaussian", means=[0.5, -0.5])
    table = dp.run(algo="heldp_ucb_ls", env=below, eps=1, horizon=50, runs=2, jobs=1)
    assert "an arm has a mean below 0" in message_of(dp.summary, table, metric="nash")


def test_nash_regret_of_several_tables():
    """Mutation that it catches: the advice is to load what was loaded."""
    tables = [dp.run(algo=name, env=ENV, horizon=50, runs=2, jobs=1) for name in ("ucb", "etc")]
    joined = pd.concat(tables)
    message = message_of(dp.measured, joined, "nash")
    assert "for several tables give a list, since pd.concat drops their settings" in message
    assert dp.measured(tables, "nash")["algo"].tolist() == joined["algo"].tolist()


def test_tables_of_different_metrics_are_not_joined(tmp_path, refused):
    """Mutation that it catches: the metric of the first table is taken for all (nan is written)."""
    regret = dp.run("ucb", env=ENV, horizon=50, runs=3, jobs=1)
    average = dp.measured(dp.run("ucb", env=ENV, horizon=60, runs=3, jobs=1), "average")
    for tables in ([regret, average], [average, regret]):
        for function in (dp.summary, dp.compare, dp.latex, dp.plot):
            message = message_of(function, tables)
            assert message == ("the tables hold different metrics: average regret, pseudo-regret")
    dp.save(regret, tmp_path / "one.csv")
    dp.save(average, tmp_path / "two.csv")
    assert "different metrics" in refused(compare, [str(tmp_path)])  # it leaves none out


def test_a_stored_average_is_called_so(tmp_path, bandit):
    table = dp.run(["ucb", "dp_se"], env=ENV, eps=1, horizon=50, runs=3, jobs=1)
    dp.save(dp.measured(table, "average"), tmp_path / "average.csv")
    said = "\n".join(bandit(compare, str(tmp_path / "average.csv")))
    assert "final average regret" in said and "final regret" not in said
