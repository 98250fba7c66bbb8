"""One id for each setting: a column of every table, by which its record is found."""

import json

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from report_tables import regrets, stopping_times
from sweeps import report, requested

import dpbandits as dp
from dpbandits.results.run_store import RunStore
from dpbandits.results.table import Table, join, open_tables

QUICK = {"horizon": 100, "runs": 2, "jobs": 1, "checkpoints": 4}


def ids(table):
    return list(Table.of_frame(table).settings.index)


def test_the_id_is_that_of_the_manifest_and_of_the_file_of_the_runs(tmp_path):
    request = requested(tmp_path, algo="dp_se", eps=[0.5, 1], **QUICK)
    file = report(request)
    table, found = dp.load(file), [setting.id for setting in request.settings]
    assert list(table["setting"].unique()) == found
    assert list(json.loads(file.with_suffix(".json").read_text())["settings"]) == found
    for setting in request.settings:
        stored = RunStore(tmp_path).file(setting)
        assert stored.is_file() and stored.stem == f"dp_se-bernoulli_c2-{setting.id}"
    assert list(dp.summary(table)["setting"]) == found
    assert list(dp.compare(table)["setting"]) == found


@pytest.mark.parametrize("table", [regrets(runs=2, times=3), stopping_times(runs=2)])
def test_a_table_made_by_hand_has_an_id_for_each_setting(table, tmp_path):
    """Blanks and infinite budgets are values; the ids are the same after the table was written."""
    table = table.assign(alpha=np.where(table["eps"] == 1, np.nan, 0.1 + 0.2))
    table["eps"] = table["eps"].replace(1.0, np.inf)
    found = ids(table)
    assert len(set(found)) == len(found) == 4
    assert ids(dp.load(dp.save(table, tmp_path / "t.csv"))) == found
    assert not set(ids(table.assign(seed=1))) & set(found)


def test_ids_survive_where_rows_are_sorted_filtered_or_joined():
    table = dp.run(["dp_se", "ucb"], eps=[0.5, 1], **QUICK)
    found = ids(table)
    assert set(ids(table.sort_values("regret"))) == set(found)
    assert ids(table[table["eps"] == 0.5]) == found[:1]
    other = dp.run("dp_se", eps=2, **QUICK)
    assert ids(pd.concat([table, other])) == [*found, *ids(other)]
    lacking = pd.concat([table, other.drop(columns="setting")])
    assert ids(lacking)[: len(found)] == found and len(ids(lacking)) == len(found) + 1


def test_settings_whose_values_were_edited_have_ids_of_their_own():
    """Control: the same rows unedited. Two settings of one id would be one in a summary."""
    table = dp.run("dp_se", eps=0.5, **QUICK)
    both = pd.concat([table, table.assign(algo="mine", regret=table["regret"] + 1)])
    assert len(set(ids(both))) == 2 and not set(ids(both)) & set(ids(table))
    assert len(dp.summary(both)) == 2
    assert [x["algo"] for x in Table.of_frame(table).known("x")] == ["dp_se"]
    for wrong in (table.assign(eps=2.0), table.assign(setting="0123456789abcdef")):
        assert "x needs the settings: load the table" in message_of(
            Table.of_frame(wrong).known, "x"
        )


def test_an_edited_setting_is_another_setting_in_a_list_of_tables(tmp_path):
    first = dp.run("dp_se", eps=1, horizon=100, runs=2)
    edited = first.assign(algo="mine", regret=2 * first["regret"])
    dp.save(edited, tmp_path / "edited.csv")
    for other in edited, dp.load(tmp_path / "edited.csv"), first.assign(algo="mine"):
        assert dp.summary([first, other])["algo"].tolist() == ["dp_se", "mine"]
    found = open_tables([tmp_path / "edited.csv"])
    assert found.names == ["mine"] and not found.records


def test_ids_that_look_like_numbers_are_words(tmp_path):
    """Mutation that it catches: pandas reads 12 and 1e5."""
    table = regrets(runs=2, times=3)
    table.insert(5, "setting", table["algo"].map({"adap_ucb": "0012", "dp_se": "1e5"}))
    table = table[table["eps"] == 1]
    for some in (table, table[table["algo"] == "dp_se"]):
        found = dp.load(dp.save(some, tmp_path / "t.csv"))
        assert list(found["setting"].unique()) == list(some["setting"].unique())


def test_a_setting_in_two_tables_is_one_without_their_manifests(tmp_path):
    """Control: another result of the same run."""
    files = [
        report(requested(tmp_path / str(n), algo="dp_se", eps=eps, **{**QUICK, "runs": n}))
        for n, eps in ((2, [0.5, 1]), (3, 0.5))
    ]
    for file in files:
        file.with_suffix(".json").unlink()
    table = open_tables(files)
    assert table.runs.groupby("eps")["run"].nunique().to_dict() == {0.5: 3, 1.0: 2}
    assert len(table.settings) == 2
    one = dp.load(files[0])
    edited = one.assign(regret=one["regret"] + 1)
    assert "settings that look alike" in message_of(
        join, [Table.of_frame(one), Table.of_frame(edited)]
    )


def test_a_table_in_memory_joins_with_its_own_file(tmp_path):
    """A file has 12 digits of each number. Control: a regret that differs in the tenth digit."""
    table = dp.run(["dp_se", "adap_ucb"], eps=1 / 3, **QUICK | {"horizon": 1000})
    table["regret"] += 1e-13 * np.arange(1, len(table) + 1)
    first, other = (table[table["algo"] == name] for name in ("dp_se", "adap_ucb"))
    loaded = dp.load(dp.save(table, tmp_path / "t.csv"))
    assert dp.summary([table, loaded])["runs"].tolist() == [2, 2]
    mixed = dp.compare([loaded[loaded["algo"] == "dp_se"], other])
    pd.testing.assert_frame_equal(mixed, dp.compare([first, other]))
    edited = loaded.assign(regret=loaded["regret"] * (1 + 1e-10))
    assert "settings that look alike" in message_of(dp.summary, [table, edited])
    near = dp.run("adap_ucb", eps=0.33333334, **QUICK)
    assert "show both values as 0.333333" in message_of(dp.compare, [first, near])


def test_the_rows_of_a_run_in_two_tables_are_in_order():
    """Nash regret depends on the order of the rounds."""
    table = dp.run("dp_se", **QUICK)
    parts = [table[table["t"] == table["horizon"]], table[table["run"] == 1], table]
    pd.testing.assert_frame_equal(dp.measured(parts, "nash"), dp.measured(table, "nash"))
