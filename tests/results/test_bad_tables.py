"""Tables that are damaged, or not ours, are refused with the reason."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.cli import plot
from dpbandits.results import reading
from dpbandits.results.table import Table

HEADER = "algo,env,eps,horizon,seed,run,t,regret\n"
ROW = "ucb,bernoulli_c2,inf,100,0,0,100,5\n"
TIMES = "rule,env,arm,true_mean,eps,rel_error,beta,R,cap,seed,run,"
TIMES += "stopping_time,estimate,halted,correct\n"
TIME = "nas,sign,0,.5,inf,.1,.1,1,100,0,0,50,.5,1,1\n"

# the content of a table, and parts of the message
CORRUPT = {
    "garbage": (bytes(range(256)) * 20, "not a readable CSV"),
    "empty": (b"", "not a readable CSV"),
    "text for regret": (HEADER + ROW.replace(",5", ",much"), "column regret"),
    "endless regret": (HEADER + ROW.replace(",5", ",inf"), "column regret"),
    "endless horizon": (HEADER + ROW.replace("100,0,0,100", "inf,0,0,inf"), "column horizon"),
    "missing columns": ("algo,env,eps\nucb,x,1\n", "no column horizon, seed, run, t, regret"),
    "header only": (HEADER, "no rows"),
    "blank regret": (HEADER + ROW.replace(",5", ","), "column regret"),
    "blank algo": (HEADER + ROW.replace("ucb", ""), "column algo"),
    "cut short": (HEADER + ROW + "ucb,bern", "column eps"),
    "horizon below 0": (HEADER + ROW.replace("100,0,0,100", "-1,0,0,-1"), "horizon holds -1"),
    "eps of 0": (HEADER + ROW.replace("inf", "0"), "column eps holds 0; it must be above 0"),
    "huge regret": (HEADER + ROW.replace(",5", ",1e308"), "column regret holds 1e+308"),
    "ragged": (HEADER + ROW + "1,2,3,4,5,6,7,8,9,10\n", "not a readable CSV"),
    "horizon not reached": (HEADER + ROW.replace("100,5", "99,5"), "no row is at its"),
    "text for a time": (TIMES + TIME.replace(",50,", ",soon,"), "column stopping_time"),
    "halted twice": (TIMES + TIME.replace(",1,1\n", ",2,1\n"), "column halted holds a number that"),
    "times without columns": ("rule,env\nnas,sign\n", "no column arm, true_mean, eps"),
}


def write(file: Path, content: str | bytes) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


@pytest.mark.parametrize("corrupt", CORRUPT)
def test_a_corrupt_table_is_refused(tmp_path, corrupt):
    content, reason = CORRUPT[corrupt]
    file = write(tmp_path / "table.csv", content)
    message = message_of(dp.load, file)
    assert message.startswith(f"{file}: ") and reason in message
    assert message_of(dp.load, file) == message


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "flipped"])
@pytest.mark.parametrize("rows", [1, 30_000])
def test_a_damaged_compressed_file_is_refused(tmp_path, damage, rows):
    """Tables, also those of many pieces, and the rewards of an environment."""
    lines = (ROW.replace("0,0,100", f"0,{i},100") for i in range(rows))
    whole = bytearray(gzip.compress((HEADER + "".join(lines)).encode()))
    if damage == "cut":
        del whole[len(whole) // 2 :]
    else:
        whole[10] ^= 255
    file = write(tmp_path / "t.csv.gz", bytes(whole))
    for read in (dp.load, Table.of_file):
        message = message_of(read, file)
        assert message.startswith(f"{file}: not a readable CSV (")
    message = message_of(lambda: dp.run("ucb", dp.empirical(file)))
    assert message.startswith(f"env.file={file}: not a CSV of numbers (")


TWO = [HEADER + ROW, ROW.replace("0,0,100", "0,1,100")]
ROWS_TWICE = {
    "a run twice": "".join([*TWO, ROW]),
    "an index": "".join([",".join(["i", HEADER]), *(f"{i},{x}" for i, x in enumerate([
        ROW, ROW.replace("0,0,100", "0,1,100")]))]),
    "a measurement": "".join([
        "measured," + HEADER, "1," + ROW.replace("0,100,5", "0,50,3"), "2," + ROW,
        "2," + ROW.replace("0,0,100", "0,1,100"), "1," + ROW.replace("0,0,100,5", "0,1,50,5"),
    ]),
    "a time twice": TIMES + TIME + TIME,
    "a round twice": HEADER + 2 * ROW.replace("0,100,5", "0,50,3") + ROW,
}  # fmt: skip


@pytest.mark.parametrize("wrong", ROWS_TWICE)
def test_rows_that_would_be_counted_wrongly_are_refused(tmp_path, wrong):
    message = message_of(dp.load, write(tmp_path / "table.csv", ROWS_TWICE[wrong]))
    twice = (
        "run 0 of ucb appears twice", "run 0 of nas appears twice", "run 0 of ucb has t = 50 twice",
    )  # fmt: skip
    column = "column i differs from row to row", "column measured differs from row to row"
    assert any(reason in message for reason in (twice if "twice" in wrong else column))


@pytest.mark.slow
def test_a_measurement_beside_a_parameter_that_varies_is_refused(tmp_path):
    table = dp.run(algo="adap_ucb", alpha=[2, 3], horizon=500, runs=3, jobs=1)
    more = table.assign(avg=(table["regret"] / table["t"]).round(3))
    dp.save(more, tmp_path / "t.csv")
    for message in (
        *(message_of(read, more) for read in (dp.summary, dp.compare)),
        message_of(dp.load, tmp_path / "t.csv"),
    ):
        assert "column avg differs from row to row: leave it out" in message
    copies = pd.concat([table.assign(c=1), table.assign(c=2)])
    assert len(dp.summary(copies)) == 4  # control: settings that share their ids


def test_settings_that_differ_in_a_column_are_read(tmp_path):
    """Control: a parameter, of one run each, and of several."""
    runs = [ROW, ROW.replace("0,0,100", "0,1,100")]
    for some in (runs[:1], runs):
        rows = [f"{m},{row}" for m in (1, 2) for row in some]
        table = dp.load(write(tmp_path / "table.csv", "m," + HEADER + "".join(rows)))
        assert len(dp.summary(table)) == 2


def test_rows_without_run_numbers_are_runs(tmp_path):
    table = pd.DataFrame({"algo": ["a", "b"] * 3, "t": 9, "regret": range(6)})
    summary = dp.summary(table)
    assert summary["runs"].tolist() == [3, 3] and summary["mean"].tolist() == [2, 3]


def test_what_is_right_is_read(tmp_path):
    """Control; blanks stand for the estimates of runs that reached their cap."""
    for content in (HEADER + ROW, TIMES + TIME, TIMES + TIME.replace(".5,1,1", ",0,")):
        assert len(dp.load(write(tmp_path / "table.csv", content))) == 1


@pytest.mark.parametrize("line", ["table.csv", "good.csv table.csv", "experiment=azize2022_fig8"])
def test_bandit_plot_refuses_a_corrupt_table(refused, line):
    content, reason = CORRUPT["text for regret"]
    file = Path("results/azize2022_fig8.csv" if "experiment" in line else "table.csv")
    write(file, content)
    write(Path("good.csv"), HEADER + ROW)
    message = refused(plot, line.split())
    assert message.startswith(f"{file}: ") and reason in message


@pytest.mark.parametrize("function", [dp.plot, dp.summary])
def test_a_frame_that_is_no_table_is_refused(function):
    for frame in (pd.DataFrame({"a": [1]}), pd.DataFrame(), pd.DataFrame({"rule": ["nas"]})):
        assert "not a tidy table of dpbandits: no column" in message_of(function, frame)


RESULTS = ["value", "mean", "std", "runs", "tied", "interval", "against"]
TWO_RUNS = pd.DataFrame(
    {"algo": ["ucb"] * 2, "env": "x", "eps": np.inf, "horizon": 9, "seed": 0, "run": [0, 1],
     "t": 9, "regret": [1.0, 3.0]}
)  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("function", [dp.plot, dp.summary, dp.compare, dp.latex])
def test_an_own_column_with_the_name_of_a_result_is_refused(function, name):
    """Mutation that it catches: a column ``value`` replaces the regret in a summary."""
    message = message_of(function, TWO_RUNS.assign(**{name: 5.0}))
    assert f"results have a column {name}; rename yours" in message


@pytest.mark.extra("jinja2", "vl_convert")
def test_a_report_of_a_column_with_the_name_of_a_result_is_refused():
    assert "results have a column mean; rename yours" in message_of(
        dp.report, TWO_RUNS.assign(mean=5.0)
    )


def test_an_own_column_with_another_name_is_taken():
    assert dp.summary(TWO_RUNS.assign(own=5.0))["mean"].tolist() == [2.0]


@pytest.mark.slow
def test_words_in_a_column_that_usually_has_numbers_are_printed():
    table = dp.run(algo=["dp_se", "ucb"], horizon=9, runs=4, jobs=1)
    for name in ("beta", "delta", "cap"):
        assert "word" in dp.latex(table.assign(**{name: "word"}), columns=["algo", name, "mean"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["2024", "NA", "nan", "null", "1e400", "True"])
def test_names_are_text_whatever_they_look_like(tmp_path, name, monkeypatch):
    """In whole tables, in pieces, beside a parameter of words and numbers, and in Parquet."""
    table = dp.run(algo=["ucb", "adap_ucb"], horizon=100, runs=2, jobs=1)
    table = table.assign(env=name, algo=table["algo"].replace("ucb", name))
    words = table.assign(c=np.where(table["algo"] == name, "1", "a"))
    for some in (table, table.drop(columns="setting"), words):
        file = dp.save(some, tmp_path / "t.csv")
        for rows in (7, 100_000):
            monkeypatch.setattr(reading, "ROWS", rows)
            assert {*Table.of_file(file).runs["algo"]} == {name, "adap_ucb"}
            found = dp.load(file)
            assert {*found["env"]} == {name} and {*found["algo"]} == {name, "adap_ucb"}
            assert {*dp.compare(found)["env"]} == {name}
    dp.plot(found)


@pytest.mark.parametrize(
    ("word", "read"),
    [("01", "1"), ("NA", "a blank"), ("1e5", "100000.0"), ("true", "True"), (" a", "'a'")],
)
def test_a_word_that_a_csv_file_cannot_hold_is_refused_when_it_is_saved(tmp_path, word, read):
    """In CSV, two settings could not be told apart afterwards, or one would lose its word."""
    rows = {"algo": "a", "t": 1, "regret": [1.0, 2.0], "run": [0, 1]}
    message = message_of(dp.save, pd.DataFrame(rows | {"mode": word}), tmp_path / "t.csv")
    said = f"column mode: a CSV file cannot hold the word {word!r}, which would be read as {read};"
    assert said in message and not (tmp_path / "t.csv").exists()
    apart = pd.DataFrame(rows | {"mode": ["1", "1.0"]})
    assert "the word '1.0', which would be read as 1.0" in message_of(dp.save, apart, "t.csv")
    plain = pd.DataFrame(rows | {"mode": "1"})
    assert dp.load(dp.save(plain, tmp_path / "t.csv"))["mode"].tolist() == [1, 1]


@pytest.mark.extra("pyarrow")
def test_names_in_parquet_are_text(tmp_path):
    table = dp.run("ucb", horizon=100, runs=2, jobs=1).assign(env="NA", algo="2024")
    assert {*Table.of_file(dp.save(table, tmp_path / "t.parquet")).runs["env"]} == {"NA"}
    file = dp.save(table.assign(env=2024), tmp_path / "t.parquet")
    assert message_of(Table.of_file, file) == f"{file}: column env holds something that is not text"


@pytest.mark.extra("pyarrow")
def test_parquet_of_other_types_keeps_them_and_its_words(tmp_path):
    file = tmp_path / "t.parquet"
    table = dp.run(["ucb", "dp_se"], horizon=100, runs=2, jobs=1)
    later = table[table["algo"] == "dp_se"]  # its index does not begin with 0
    later.assign(when=pd.Timestamp("2026-01-01")).astype({"run": "Int64"}).to_parquet(file)
    found = dp.load(file)
    assert found["algo"].dtype == found["env"].dtype == object
    assert {*found["algo"]} == {"dp_se"} and found["run"].dtype == "Int64"
    arrow = pytest.importorskip("pyarrow")
    twice = arrow.Table.from_pandas(table).append_column("run", arrow.array(table["run"]))
    arrow.parquet.write_table(twice, file)
    line = f"{file}: each column of a tidy table needs a unique name"
    assert message_of(dp.load, file) == line


@pytest.mark.parametrize("column", ["env", "algo"])
@pytest.mark.parametrize("name", [2024, 1.5, True, ("a",)])
def test_names_in_a_frame_are_text(column, name):
    table = dp.run("ucb", horizon=100, runs=2, jobs=1)
    table[column] = [name] * len(table)
    for read in (dp.plot, dp.summary, dp.compare):
        line = f"the table: column {column} holds something that is not text"
        assert message_of(read, table) == line


def test_a_column_that_tells_runs_apart_is_refused():
    """Mutation that it catches: each run is a setting, and nothing differs from anything."""
    table = dp.run(["ucb", "dp_se"], eps=[0.5, 1], horizon=60, runs=8, jobs=1)
    seconds = table.assign(wall=table["run"] * 0.1)
    rounded = table.assign(wall=np.minimum(table["run"], 6))
    for frame in (seconds, rounded, seconds.drop(columns="setting")):
        for function in (dp.summary, dp.compare, dp.plot):
            assert "column wall differs from run to run" in message_of(function, frame)
    halves = table.assign(batch=np.where(table["run"] < 4, "a", "b"))
    assert len(dp.summary(halves)) == 2 * len(dp.summary(table))


def test_a_horizon_of_floats_is_printed_as_a_number_of_rounds():
    table = dp.run("ucb", horizon=2500, runs=3, jobs=1).astype({"horizon": float})
    assert "2500" in dp.latex(table) and "2500.0" not in dp.latex(table)
