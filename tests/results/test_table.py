"""Tables that are opened: rows at the horizon and curves are those of the whole table, of which
only some settings are in memory at a time.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from tiers import first

import dpbandits as dp
from dpbandits.cli import run
from dpbandits.results import reading, scan
from dpbandits.results import table as table_module
from dpbandits.results.table import Table, open_tables
from dpbandits.results.varying import SETTING

RUNS = 6


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder, and the tables that were played there, by their words."""
    return tmp_path_factory.mktemp("played"), {}


@pytest.fixture
def played(bandit, files):
    """A function that plays four settings, once: their table, and its file."""
    folder, known = files

    def play(runs=RUNS, eps="0.5,1"):
        words = f"-m algo=dp_se,adap_ucb eps={eps} horizon=2000 checkpoints=7 runs={runs} jobs=1"
        if words not in known:
            printed = bandit(run, f"{words} results={folder / str(len(known))}")
            known[words] = Path(next(x for x in printed if x.endswith(".csv")))
        return dp.load(known[words]), known[words]

    return play


def written(table, file):
    dp.save(table, file)
    return file


def sorted_curves(table, **given):
    found = table.curves(**given).sort_values([SETTING, "t"], ignore_index=True)
    return found[[SETTING, "t", "mean", "middle", "low", "high"]]


def same(found, wanted):
    pd.testing.assert_frame_equal(
        found, wanted, check_dtype=False, check_column_type=False, rtol=1e-12, atol=0
    )


@pytest.fixture(params=first([10, 3, 50, 100_000]))
def pieces(request, monkeypatch):
    """Pieces of a file that end within settings, or are larger than it."""
    monkeypatch.setattr(reading, "ROWS", request.param)
    monkeypatch.setattr(scan, "MOST_KEPT", 0 if request.param < 10 else scan.MOST_KEPT)
    return request.param


PARQUET = pytest.param("ci", "parquet", marks=pytest.mark.extra("pyarrow"))


@pytest.mark.parametrize(
    ("band", "suffix"),
    first([("quantiles", "csv.gz"), ("ci", "csv"), ("std", "csv"), (None, "csv"), PARQUET]),
)
def test_a_file_has_the_curves_of_the_whole_table(tmp_path, played, pieces, band, suffix):
    """Controls: the rows of a piece are taken for a setting; a setting is left out."""
    table, file = played()
    right = sorted_curves(Table.of_frame(table), band=band)
    assert len(right) == 4 * table["t"].nunique()
    for some in (table, table.sample(frac=1.0, random_state=0)):
        found = Table.of_file(written(some, tmp_path / f"b.{suffix}"))
        same(sorted_curves(found, band=band), right)
        own = found.ends.sort_values([SETTING, "run"], ignore_index=True)
        wanted = Table.of_frame(table).ends.sort_values([SETTING, "run"], ignore_index=True)
        same(own, wanted)
    assert Table.of_file(file).records.keys() == {*table[SETTING]}


def test_a_small_table_is_read_from_its_file_once_and_a_large_one_again(played, monkeypatch):
    table, file = played()
    read, pieces_of = [], table_module.pieces_of
    monkeypatch.setattr(table_module, "pieces_of", lambda *a: read.append(a) or pieces_of(*a))
    for most, times in ((len(table), 1), (len(table) - 1, 2)):
        read.clear()
        monkeypatch.setattr(scan, "MOST_KEPT", most)
        same(sorted_curves(Table.of_file(file)), sorted_curves(Table.of_frame(table)))
        assert len(read) == times


@pytest.mark.slow
def test_few_settings_are_in_memory_at_a_time(played, monkeypatch):
    """Mutation that it catches: all pieces are held."""
    monkeypatch.setattr(reading, "ROWS", 5)
    table, file = played(runs=20)
    rows = [len(part) for part in Table.of_file(file).rows()]
    assert sum(rows) == len(table) and max(rows) <= table[SETTING].value_counts().max() + 5


def test_few_checkpoints_are_the_first_the_last_and_some_between(played):
    table, file = played()
    times, few = np.unique(table["t"]), Table.of_file(file).curves(most=3)["t"].unique()
    assert len(few) == 3 < len(times) and {times[0], times[-1]} <= {*few} <= {*times}


@pytest.mark.slow
def test_runs_of_a_setting_in_several_files_are_taken_once(played, pieces):
    """Controls: a run counts twice; the runs of the second file are left out."""
    _, few = played(runs=2)
    more, file = played()
    other, third = played(eps="2")
    found = open_tables([few, file, third])
    right = Table.of_frame(pd.concat([more, other], ignore_index=True))
    same(sorted_curves(found), sorted_curves(right))
    assert len(found.runs) == 4 * RUNS + 2 * RUNS


@pytest.mark.slow
@pytest.mark.parametrize("eps", ["2", "1,2"])
def test_nash_regret_of_several_files(played, eps):
    """Mutation that it catches: rows of settings in several files lose their records."""
    files = [played()[1], played(eps=eps)[1]]
    found = open_tables(files).measured("nash")
    wanted = pd.concat([dp.measured(dp.load(file), "nash") for file in files]).drop_duplicates()
    same(sorted_curves(found), sorted_curves(Table.of_frame(wanted)))


@pytest.mark.parametrize("metric", first(["nash", "average"]))
def test_another_metric_is_that_of_the_whole_table(played, pieces, metric):
    table, file = played()
    right, found = Table.of_frame(dp.measured(table, metric)), Table.of_file(file).measured(metric)
    assert found.runs["value"].to_numpy() == pytest.approx(right.runs["value"].to_numpy())
    same(sorted_curves(found), sorted_curves(right))
    assert not sorted_curves(found).equals(sorted_curves(Table.of_file(file)))
    assert found.metric == metric and f"{metric}_regret" in found.frame()


def test_rows_that_share_an_id_but_not_a_setting_are_told_apart(tmp_path, played, pieces):
    table, _ = played()
    table.loc[table["run"] == 1, "eps"] *= 4
    found = Table.of_file(written(table, tmp_path / "b.csv"))
    assert found.runs[SETTING].nunique() == 8
    assert len(found.curves()) == 8 * table["t"].nunique()


def test_words_and_numbers_of_one_column_are_words_in_all_pieces(tmp_path, played, pieces):
    table, _ = played()
    table["c"] = np.where(table["algo"] == "dp_se", "0.10", "literal")
    found = Table.of_file(written(table, tmp_path / "b.csv"))
    assert {*found.runs["c"]} == {"0.10", "literal"} or {*found.runs["c"]} == {"0.1", "literal"}


@pytest.mark.parametrize("round_of", ["first", "last"])
def test_numbers_that_are_none_are_refused_wherever_they_are(tmp_path, played, pieces, round_of):
    table, _ = played()
    row = table.index[table["t"] == (1 if round_of == "first" else 2000)][3]
    table.loc[row, "regret"] = np.nan
    message = message_of(Table.of_file, written(table, tmp_path / "b.csv"))
    assert "b.csv: column regret holds something that is not a number" in message


def test_a_setting_that_does_not_reach_its_horizon_is_refused(tmp_path, played, pieces):
    table, _ = played()
    cut = table[(table["algo"] == "ucb") | (table["eps"] == 1) | (table["t"] < 2000)]
    message = message_of(Table.of_file, written(cut, tmp_path / "b.csv"))
    last = table.loc[table["t"] < 2000, "t"].max()
    reason = f"run 0 of dp_se ends at t = {last}, but its horizon is 2000 (column horizon)"
    assert message == f"{tmp_path}/b.csv: {reason}"
    for read in (dp.plot, dp.summary, dp.compare):
        assert message_of(read, cut) == f"the table: {reason}"
    middle = table["t"].unique()[2]
    for horizon, said in (
        (middle, f"ends at t = 2000, but its horizon is {middle}"),
        (1999, "no row is at its horizon"),
    ):
        assert said in message_of(dp.summary, table.assign(horizon=horizon))


@pytest.mark.slow
def test_each_run_must_reach_its_horizon(tmp_path, played, pieces):
    """In memory and in files; also where the column of horizons is left out."""
    table, _ = played()
    last = table.index[(table["t"] == 2000) & (table["run"] == 3)]
    some = table.drop(index=last[-1])
    reason = f"run 3 of {table['algo'][last[-1]]} ends at t = {some.loc[last[-1] - 1, 't']}, but"
    for read in (dp.plot, dp.summary, dp.compare):
        assert reason in message_of(read, some)
    for suffix in ("csv", "csv.gz"):
        assert reason in message_of(Table.of_file, written(some, tmp_path / f"b.{suffix}"))
    longer = table.assign(t=np.where(table["eps"] == 1, 2 * table["t"], table["t"]))
    reason = "ends at t = 2000, but its horizon is 4000"
    assert reason in message_of(dp.summary, longer.drop(columns="horizon"))


@pytest.mark.slow
def test_a_run_has_each_round_once(tmp_path, played, pieces):
    """Also before the horizon, with another regret, and where only rows at the horizon are used."""
    table, _ = played()
    t = table["t"].iloc[2]
    some = pd.concat([table, table[table["t"] == t].assign(regret=1e6)])
    some = some.sort_values([SETTING, "run", "t"])
    reason = f"run 0 of {some['algo'].iloc[0]} has t = {t} twice"
    for read in (dp.plot, dp.summary, dp.compare):
        assert message_of(read, some) == f"the table: {reason}"
    for suffix in ("csv", "csv.gz"):
        file = written(some, tmp_path / f"b.{suffix}")
        assert message_of(Table.of_file, file) == message_of(dp.load, file) == f"{file}: {reason}"


@pytest.mark.extra("pyarrow")
def test_a_run_has_each_round_once_in_parquet(tmp_path, played):
    table, _ = played()
    some = pd.concat([table, table[table["t"] == table["t"].iloc[2]].assign(regret=1e6)])
    assert "twice" in message_of(Table.of_file, written(some, tmp_path / "b.parquet"))


def test_stopping_times_have_no_curves(tmp_path):
    table = dp.stop("nas", "sign", cap=1e5, runs=3, jobs=1)
    assert len(Table.of_file(written(table, tmp_path / "a.csv")).runs) == len(table)


def test_a_header_alone_has_no_rows(tmp_path):
    (tmp_path / "b.csv").write_text("algo,env,eps,horizon,seed,setting,run,t,regret\n")
    assert (
        message_of(Table.of_file, tmp_path / "b.csv") == f"{tmp_path}/b.csv: the table has no rows"
    )


def test_a_run_with_other_regrets_in_another_file_is_refused_though_it_ends_alike(played, tmp_path):
    table, file = played()
    table.loc[table["t"] == table["t"].min(), "regret"] += 1
    message = message_of(open_tables, [file, written(table, tmp_path / "b.csv")])
    assert "settings that look alike" in message


def test_a_single_run_of_each_setting_may_have_a_column_of_its_own(played, tmp_path):
    """The rows at the horizon differ from row to row there, and those before do not."""
    table, _ = played()
    some = table[table["eps"] == 1]
    first = some[(some["algo"] == "dp_se") & (some["run"] == 0)].assign(c=1.0)
    second = some[(some["algo"] == "adap_ucb") & (some["run"] == 1)].assign(c=2.0)
    found = Table.of_file(written(pd.concat([first, second]), tmp_path / "b.csv"))
    assert sorted(found.runs["c"]) == [1.0, 2.0] and len(found.curves()) == len(first) * 2
