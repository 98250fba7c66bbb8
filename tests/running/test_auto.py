"""``runs=auto``: the bytes of a table depend on the runs in their order alone."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sweeps import quick, report, requested

import dpbandits as dp
from dpbandits.cli.status import preview, text_of_status
from dpbandits.contracts.question import STOPPING
from dpbandits.results.intervals import TAIL, interval_of_mean
from dpbandits.results.report import write_report
from dpbandits.results.run_store import RunStore
from dpbandits.results.summary import interval
from dpbandits.results.tables import load_finished
from dpbandits.running import auto as of_auto
from dpbandits.running import monte_carlo
from dpbandits.running.auto import (
    MINUTE,
    OF_EXPERIMENTS,
    can_be_added,
    estimated_seconds,
    within,
)
from dpbandits.running.monte_carlo import play_request

GIVEN = {"algo": ["dp_se", "adap_klucb", "dp_imed"], "eps": 0.5, "horizon": 2e4, "checkpoints": 2}
KEYS = GIVEN | {"runs": "auto", "precision": 0.05, "max_runs": 1000}


def counts(path):
    return pd.read_csv(path).groupby("algo", sort=False)["run"].nunique().to_dict()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table with ``runs=auto``, by one worker."""
    return report(requested(tmp_path_factory.mktemp("auto"), **KEYS, jobs=1))


@pytest.mark.slow
def test_settings_have_as_many_runs_as_they_need(made):
    found = counts(made)
    assert found["dp_imed"] == 1000 > found["dp_se"] >= 100
    looks = {
        own["looks"]
        for own in json.loads(made.with_suffix(".json").read_text())["settings"].values()
    }
    assert looks == {4}


@pytest.mark.slow
@pytest.mark.parametrize("before", [0, 3, 130, 700])
def test_stored_runs_and_workers_change_no_byte(made, tmp_path, before):
    """Some runs, or more than are needed, are stored before."""
    if before:
        play_request(requested(tmp_path, **GIVEN, runs=before, jobs=2))
    again = report(requested(tmp_path, **KEYS, jobs=2))
    assert again.name == made.name and again.read_bytes() == made.read_bytes()
    for suffix in (".md", ".tex"):
        assert again.with_suffix(suffix).read_bytes() == made.with_suffix(suffix).read_bytes()
    assert report(requested(tmp_path, **KEYS, jobs=1)).read_bytes() == made.read_bytes()


@pytest.mark.slow
def test_a_sweep_that_was_interrupted_goes_on(made, tmp_path, monkeypatch):
    """After the second look; the runs of the first two are stored."""
    played, run = [], monte_carlo.run_settings

    def interrupted(settings, runs, *more):
        played.append(runs)
        if len(played) == 3:
            raise KeyboardInterrupt
        return run(settings, runs, *more)

    monkeypatch.setattr(monte_carlo, "run_settings", interrupted)
    with pytest.raises(KeyboardInterrupt):
        report(requested(tmp_path, **KEYS))
    assert played == [100, 200, 500]
    assert report(requested(tmp_path, **KEYS)).read_bytes() == made.read_bytes()


@pytest.mark.slow
def test_python_has_the_same_table_and_intervals(made):
    """The intervals are those of several looks; the control is wider than that of one."""
    table = dp.run(**KEYS)
    assert counts(made) == table.groupby("algo", sort=False)["run"].nunique().to_dict()
    loaded = dp.load(made)
    for found in (dp.summary(table), dp.summary(loaded)):
        for row, (_, runs) in zip(
            found.to_dict("records"), table.groupby("algo", sort=False), strict=True
        ):
            values = runs.loc[runs["t"] == runs["horizon"], "regret"].to_numpy()[:, np.newaxis]
            low, high = interval_of_mean(values, TAIL / 4)
            assert row["ci_low"] == max(low[0], 0.0) and row["ci_high"] == high[0]
            assert row["ci_high"] > interval_of_mean(values)[1][0]
        text = made.with_suffix(".md").read_text()
        assert all(interval(row) in text for row in found.to_dict("records"))


def test_intervals_of_joined_tables_are_those_of_the_table_with_most_runs():
    """Whatever the order of the tables; with equally many runs, the wider intervals."""
    given = {"algo": "adap_klucb", "env": "bernoulli_c2", "horizon": 500, "jobs": 1}
    needed = dp.run(**given, runs="auto", max_runs=101, precision=0.001)
    for runs, wide in ((50, True), (101, True), (102, False)):
        fixed = dp.run(**given, runs=runs)
        expected = dp.summary(needed if wide else fixed)
        for tables in ([needed, fixed], [fixed, needed]):
            pd.testing.assert_frame_equal(dp.summary(tables), expected)


def test_the_bands_of_figures_are_the_intervals_of_the_summary():
    """The bands were those of a fixed number of runs, which are too narrow."""
    given = {"algo": "adap_klucb", "env": "bernoulli_c2", "horizon": 500, "jobs": 1}
    table = dp.run(**given, eps=[0.5, 1], runs="auto", max_runs=101, precision=0.001)
    found = dp.summary(table)
    ends = found[["ci_low", "ci_high"]].to_numpy()
    by_budget = dp.plot(table, x="eps").axes[0].collections[0].get_paths()[0].vertices
    assert {*ends.ravel()} <= {*by_budget[:, 1]}
    over_time = [ax.collections[0].get_paths()[0].vertices for ax in dp.plot(table, x="t").axes]
    for (low, high), vertices in zip(ends, over_time, strict=True):
        assert {low, high} <= {*vertices[vertices[:, 0] == 500, 1]}
    runs = table[(table["t"] == 500) & (table["eps"] == 1)]["regret"].to_numpy()
    assert ends[1, 1] > interval_of_mean(runs[:, np.newaxis])[1][0]  # of one look


@pytest.mark.slow
def test_stopping_times_have_as_many_runs_as_they_need(tmp_path):
    path = report(quick(tmp_path, STOPPING, runs="auto", precision=0.1, max_runs=200))
    sizes = pd.read_csv(path).groupby("setting").size()
    assert set(sizes) <= {100, 200}


@pytest.mark.slow
def test_runs_that_would_take_longer_than_max_time_are_not_begun(tmp_path, monkeypatch):
    """The control has the time. A setting that takes longer than others waits for none of them."""
    few = report(requested(tmp_path, **KEYS, max_time=1e-9))
    assert set(counts(few).values()) == {100}
    assert counts(report(requested(tmp_path / "b", **KEYS, max_time=1e6)))["dp_imed"] == 1000
    costs = np.array([3.0, 1.0, 1.0, 5.0])
    for left, chosen in ((1.9, ""), (2.0, "12"), (4.9, "12"), (5.0, "012"), (10.0, "0123")):
        assert "".join(map(str, np.flatnonzero(within(costs, left)))) == chosen


def test_a_dry_run_says_what_is_played_at_most(tmp_path):
    request = requested(tmp_path, **KEYS)
    text, rows = preview([request]), 1000 * sum(len(s.rounds()) for s in request.settings)
    assert "at most 1,000 runs of each setting (runs=auto):" in text
    assert f"at most {rows:.2g} rows" in text
    text = preview([requested(tmp_path, experiment="azize2022_fig8")])
    assert "further runs for the means of the summary: at most 40 s" in text
    assert "more runs" not in preview([requested(tmp_path, experiment="ren2020_fig2")])


def test_a_dry_run_says_what_is_played_within_max_time(tmp_path):
    """100,000 runs would take minutes; the first 100 are always played."""
    given = {"algo": "ucb", "horizon": 2e5, "checkpoints": 2, "runs": "auto", "jobs": 1}
    given |= {"max_runs": 100_000}
    every, within, first, fixed = (
        preview([requested(tmp_path, **given | more)])
        for more in ({}, {"max_time": 30}, {"max_time": 1e-3}, {"runs": 100, "max_runs": None})
    )
    assert "on 1 worker, 100000 runs and their table" in every and "minutes" in every
    assert "after 100, only runs that end within max_time=30 seconds:" in within
    assert re.search(r"time left: (about|between) 3\d s .*at most 100000 runs", within)
    assert "minutes" not in within
    left = [re.findall("time left: .* on 1 worker", text) for text in (first, fixed)]
    assert left[0] == left[1] and len(left[0]) == 1


def test_a_status_does_not_say_that_nothing_is_left_if_only_the_first_check_is_reached(tmp_path):
    """The control is the fixed number of runs."""
    fixed, auto = requested(tmp_path, **GIVEN, runs=100), requested(tmp_path, **KEYS)
    report(fixed)
    assert text_of_status([fixed]).endswith("nothing is left to run")
    assert "nothing is left" not in text_of_status([auto])
    assert "at most 1,000 runs of each setting (runs=auto):" in text_of_status([auto])


@pytest.mark.slow
def test_which_settings_of_experiments_have_means_of_more_runs():
    """Those whose next look costs less than a minute: all that play in blocks, some others."""
    for name, more in (
        ("azize2022_fig5", {"dp_se", "adap_ucb", "adap_klucb", "dp_ucb"}),
        ("sajed2019_fig1", {"dp_se"}),
        ("ren2020_fig1e", set()),
        ("private_contexts", set()),
        ("azize2025", {"dp_se", "adap_klucb", "dp_klucb", "dp_imed"}),
    ):
        request = requested(experiment=name)
        looks = OF_EXPERIMENTS.looks(request.runs)
        cheap = can_be_added(request.settings, looks)
        found = {s.algo for s, c in zip(request.settings, cheap, strict=True) if c}
        assert more <= found and (found == more or name == "azize2025"), name
        cost = sum(map(estimated_seconds, np.array(request.settings, dtype=object)[cheap]))
        assert cost * (looks[1] - looks[0]) <= MINUTE


@pytest.fixture
def small(monkeypatch):
    """An experiment of four settings, at a hundredth of its size, as if its file said so."""

    def of(results, **given):
        request = requested(results, experiment="azize2022_fig8", horizon=1e5, runs=20, **given)
        return replace(request, changed=())

    monkeypatch.setattr(of_auto, "OF_EXPERIMENTS", OF_EXPERIMENTS._replace(max_runs=1000))
    return of


@pytest.mark.slow
def test_an_experiment_has_the_runs_of_its_paper_and_means_of_more(tmp_path, small):
    """The controls: changed keys, and settings that are too expensive."""
    request = small(tmp_path)
    found = play_request(request, for_pages=True)
    path, summary = write_report(request, found, 0.0)
    table = pd.read_csv(path)
    assert (table.groupby("setting")["run"].nunique() == 20).all()
    assert (summary["runs"] > 20).all() and summary["runs"].max() <= 1000
    assert list(summary["setting"]) == [s.id for s in request.settings]
    own = table[table["t"] == table["horizon"]].groupby("setting", sort=False)["regret"]
    store, means = RunStore(tmp_path), found.means
    for row, (_, first), setting, n in zip(
        summary.to_dict("records"), own, means.settings, means.runs, strict=True
    ):
        values = load_finished(store, setting, n).final("regret")
        np.testing.assert_allclose(values[:20], first.to_numpy())
        assert row["mean"] == pytest.approx(values.mean())
        assert row["runs"] == n
    assert play_request(request, for_pages=True).played == 0
    with_two = small(tmp_path / "two", jobs=1)
    again, _ = write_report(with_two, play_request(with_two, for_pages=True), 0.0)
    assert again.read_bytes() == path.read_bytes()
    changed = replace(request, changed=("runs=20",))
    found = play_request(changed, for_pages=True)
    assert found.means is None
    assert (write_report(changed, found, 0.0)[1]["runs"] == 20).all()


@pytest.mark.slow
def test_settings_that_are_too_expensive_keep_the_runs_of_the_table(tmp_path, small, monkeypatch):
    monkeypatch.setattr(of_auto, "MINUTE", 1e-3)
    request = small(tmp_path)
    means = play_request(request, for_pages=True).means
    assert means.runs == [20] * 4 and means.looks == [1] * 4
