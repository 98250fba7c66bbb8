"""Tables as CSV, compressed CSV and Parquet: the same rows, one file, one manifest."""

import json
import sys

import pandas as pd
import pytest
from extras import require
from refusals import message_of
from tiers import first

import dpbandits as dp
from dpbandits.cli import compare, plot, results, run
from dpbandits.results import formats
from dpbandits.results.formats import bare_name, beside, csv_of, tables_in

SWEEP = {"algo": ["ucb", "dp_se"], "eps": [0.5, 1.5], "horizon": 200, "runs": 4}
LINE = "-m algo=ucb,dp_se eps=.5,1.5 horizon=200 runs=4 jobs=1"
PARQUET = pytest.param("parquet", marks=pytest.mark.extra("pyarrow"))


@pytest.fixture(scope="module")
def right():
    return dp.run(**SWEEP)


@pytest.mark.slow
@pytest.mark.parametrize("name", first(["csv.gz", "csv", PARQUET]))
def test_a_table_in_each_format(bandit, tmp_path, right, name):
    if name == "parquet":
        require("pyarrow")
    *_, path = bandit(run, f"{LINE} format={name}")
    found = dp.load(path)
    assert path.endswith(f".{name}") and csv_of(found) == csv_of(right)
    assert json.loads(found.attrs["settings"]).keys() == {
        *right["setting"]
    }  # the manifest is beside it
    assert bandit(plot, f"{path} format=svg")[0] == path.removesuffix(f".{name}") + ".svg"
    assert any("dp_se" in line for line in bandit(compare, "results"))
    assert bandit(results, "list")[2].split()[:2] == [bare_name(tmp_path / path), "3"]
    bandit(results, f"rm {bare_name(tmp_path / path)} --yes")
    assert not [*tmp_path.glob("results/sweep*")]  # nor the comparison of the table


def test_tables_of_one_name_in_two_formats_keep_their_own_records(tmp_path, right):
    """Without its records, a table of runs=auto would have too short intervals."""
    tables = {"csv": right[right["eps"] == 0.5], "csv.gz": right[right["eps"] == 1.5]}
    files = {name: dp.save(table, tmp_path / f"t.{name}") for name, table in tables.items()}
    for name, table in tables.items():
        assert json.loads(dp.load(files[name]).attrs["settings"]).keys() == {*table["setting"]}


@pytest.mark.parametrize("name", ["csv.gz", PARQUET])
def test_a_file_is_the_same_for_the_same_runs_and_is_read_piece_by_piece(
    tmp_path, right, monkeypatch, name
):
    if name == "parquet":
        require("pyarrow")
    first, second = tmp_path / f"a.{name}", tmp_path / f"b.{name}"
    dp.save(right, first)
    dp.save(dp.load(first), second)
    assert first.read_bytes() == second.read_bytes()
    written = []
    monkeypatch.setattr(formats, "write_atomically", lambda path, x: written.extend(x))
    pieces = [right[i : i + 100] for i in range(0, len(right), 100)]
    formats.write_pieces(first, pieces)
    assert len(written) > len(pieces) and all(len(piece) < 20_000 for piece in written)
    first.write_bytes(b"".join(written))
    assert csv_of(dp.load(first)) == csv_of(right)


def test_a_table_replaces_its_other_formats(bandit, tmp_path):
    for name in ("csv", "csv.gz", "csv"):
        *_, path = bandit(run, f"{LINE} format={name}")
        assert tables_in(tmp_path / "results") == [tmp_path / path]
    other = tmp_path / "results" / "mine.csv"
    other.write_text("a,b\n")
    dp.save(dp.load(path), beside(other, ".csv.gz"))  # no manifest: neither is a command's
    assert other.exists()


def test_what_is_no_format_is_refused(refused, tmp_path, monkeypatch, right):
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "x.csv.gz").write_bytes(b"no gzip")
    assert "x.csv.gz: " in refused(plot, ["x.csv.gz"])
    assert "are written" not in message_of(dp.save, right, tmp_path / "x.zip")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("dpbandits.validation.find_spec", lambda name: None)
    needed = "pyarrow is not installed: pip install 'dpbandits[data]'"
    assert f"format=parquet: {needed}" in refused(run, ["format=parquet"])
    assert f"x.parquet: {needed}" in refused(plot, ["x.parquet"])
    assert needed in message_of(dp.save, right, tmp_path / "y.parquet")


@pytest.mark.extra("pyarrow")
@pytest.mark.parametrize("content", [b"PAR1 and no more", b"", b"PAR1PAR1"])
def test_a_damaged_parquet_file_is_refused(refused, tmp_path, content):
    require("pyarrow")
    (tmp_path / "x.parquet").write_bytes(content)
    assert "x.parquet: not a readable Parquet file" in refused(plot, ["x.parquet"])


@pytest.mark.extra("pyarrow")
def test_a_parquet_file_that_is_no_table_is_refused(refused, tmp_path):
    require("pyarrow")
    pd.DataFrame({"a": [1], "b": ["x"]}).to_parquet(tmp_path / "x.parquet")
    assert "x.parquet: not a tidy table of dpbandits" in refused(plot, ["x.parquet"])
