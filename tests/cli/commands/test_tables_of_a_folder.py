"""What commands print of many settings, and which files of a folder they read."""

import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from sweeps import requested

import dpbandits as dp
from dpbandits.cli import run as of_request
from dpbandits.cli.command import tables_of
from dpbandits.cli.lines import MAX_LINES
from dpbandits.cli.words import value_of
from dpbandits.files import package_folder
from dpbandits.running.monte_carlo import _runner_of
from dpbandits.validation import folder

RUNS = "algo,env,eps,horizon,seed,run,t,regret\nucb,e,inf,10,0,0,10,1.5\n"
FOREIGN = {
    "others.csv": b"a,b\n1,2\n",
    "empty.csv": b"",
    "bytes.csv": bytes(range(128, 256)),
    "long.csv": b"x" * 5_000_000,
}


def test_foreign_files_of_a_folder_are_left_out(tmp_path, capsys):
    ours = tmp_path / "runs.csv"
    ours.write_text(RUNS)
    for name, content in FOREIGN.items():
        (tmp_path / name).write_bytes(content)
    assert tables_of([str(tmp_path)]) == [ours]
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"left out: {tmp_path / f} is no table of runs" for f in sorted(FOREIGN)]
    ours.unlink()
    assert message_of(tables_of, [str(tmp_path)]).endswith("the folder has no tables of runs")
    assert capsys.readouterr().err == ""


def test_findings_of_other_commands_are_left_out_in_silence(tmp_path, capsys):
    """The control is a table of runs with such a name."""
    for name in ("audit", "exact"):
        shutil.copy(package_folder("conf").parent / "results" / f"{name}.csv", tmp_path)
    shutil.copy(tmp_path / "audit.csv", tmp_path / "audit-mine.csv")
    for name in ("runs.csv", "exact-runs.csv"):
        (tmp_path / name).write_text(RUNS)
    assert tables_of([str(tmp_path)]) == [tmp_path / "exact-runs.csv", tmp_path / "runs.csv"]
    assert capsys.readouterr().err == ""


def test_summaries_among_the_files_of_a_folder_are_no_tables():
    """As the shell writes results/*.csv. The control is a summary alone, and one in a folder."""
    assert tables_of(["a.csv", "a.summary.csv"]) == [Path("a.csv")]
    expected = "a.summary.csv: this file is a summary; the table a.csv is needed"
    assert message_of(tables_of, ["a.summary.csv"]) == expected


@pytest.mark.parametrize("count", [MAX_LINES, MAX_LINES + 5])
def test_a_summary_has_at_most_a_screen(tmp_path, monkeypatch, capsys, count):
    summary = pd.DataFrame({"algo": ["a"] * count, "setting": "0", "runs": 9, "runs_needed": 9})
    request = SimpleNamespace(settings=[], records={}, question=None, auto=None)
    table = tmp_path / "sweep.csv"
    played = SimpleNamespace(total=lambda _: 0, played=0)
    monkeypatch.setattr(of_request, "play_request", lambda _, for_pages: played)
    monkeypatch.setattr(of_request, "write_report", lambda *_: (table, summary))
    monkeypatch.setattr(of_request, "text_of_summary", lambda rows, *_: "row\n" * len(rows))
    monkeypatch.setattr(of_request, "unjudged", lambda _: np.array([False]))
    monkeypatch.setattr(of_request, "_default_budgets", lambda _: {})
    of_request.run(request)
    lines = capsys.readouterr().out.splitlines()
    assert lines.count("row") == MAX_LINES and lines[-1] == str(table)
    rest = [f"and 5 more rows: {table.with_suffix('.md')} has all"]
    assert [x for x in lines if "more rows" in x] == (rest if count > MAX_LINES else [])


def test_a_long_sweep_of_what_cannot_be_swept_is_refused_at_once():
    start = time.process_time()
    message = message_of(requested, algo="ucb", sweep={"runs": list(range(10_000))})
    assert (
        message.startswith("sweep.runs: runs cannot be swept") and time.process_time() - start < 1
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["$\\frac$", "a$", "$x"])
def test_names_that_are_no_formula_are_drawn_as_they_stand(name):
    rows = [{"algo": name, "env": name, "t": 10, "run": r, "regret": 1.0 + r} for r in range(3)]
    assert dp.plot(pd.DataFrame(rows))._repr_png_()


@pytest.mark.parametrize("value", [object(), True, None, "", [], {}, b"x", 2024, "x" * 5000])
def test_only_a_path_is_a_folder(value):
    message = message_of(folder, "results", value)
    assert message.startswith("results=") and "the path of a folder is needed" in message
    assert ("such as ./2024" in message) == (value == 2024)
    assert ("File name too long" in message) == (value == "x" * 5000)
    assert folder("results", "2024").name == "2024"


def test_a_daemonic_process_plays_in_itself(monkeypatch):
    setting = SimpleNamespace(algorithm=SimpleNamespace(compiled=False))
    assert _runner_of(setting, "auto", "local") == "processes"
    daemon = SimpleNamespace(daemon=True)
    monkeypatch.setattr("dpbandits.running.monte_carlo.current_process", lambda: daemon)
    assert _runner_of(setting, "auto", "local") == _runner_of(setting, "processes", "local")
    assert _runner_of(setting, "auto", "local") == "threads"


@pytest.mark.parametrize("word", ["eps=interval(0,1),[1]", "eps=range(1,3),[1]", "eps=1,2"])
def test_a_sweep_inside_a_sweep_is_refused(word):
    if word == "eps=1,2":  # the control
        assert value_of(word)[:2] == ("eps", [1, 2])
    else:
        message = message_of(value_of, word)
        assert message == f"{word}: a sweep cannot be a value of another sweep"


def test_a_folder_of_stored_runs_alone_says_how_a_table_is_written(tmp_path):
    (tmp_path / "runs").mkdir()
    said = message_of(tables_of, [str(tmp_path)])
    assert said.endswith(
        "no tables (*.csv); dp.save(TABLE, PATH) writes a table of its stored runs"
    )
