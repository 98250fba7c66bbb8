"""What commands print of many settings, and which files of a folder they read."""

import time
from pathlib import Path

import pandas as pd
import pytest
from refusals import message_of
from sweeps import requested

import dpbandits as dp
from dpbandits.cli import run
from dpbandits.cli.command import MOST, tables_of

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


def test_summaries_among_the_files_of_a_folder_are_no_tables():
    """As the shell writes results/*.csv. The control is a summary alone, and one in a folder."""
    assert tables_of(["a.csv", "a.summary.csv"]) == [Path("a.csv")]
    expected = "a.summary.csv: the summary of a table; a.csv is needed"
    assert message_of(tables_of, ["a.summary.csv"]) == expected


@pytest.mark.parametrize("count", [MOST, MOST + 5])
def test_a_summary_has_at_most_a_screen(bandit, count):
    eps = ",".join(map(str, range(1, count + 1)))
    lines = bandit(run, f"'sweep={{algo:[dp_se],eps:[{eps}]}}' horizon=10 runs=1 jobs=1")
    assert sum(line.startswith("dp_se ") for line in lines) == MOST
    rest = [f"and 5 more rows: {Path(lines[-1]).with_suffix('.md')} has all"]
    assert [x for x in lines if "more rows" in x] == (rest if count > MOST else [])


def test_a_long_sweep_of_what_cannot_be_swept_is_refused_at_once():
    start = time.process_time()
    message = message_of(requested, algo="ucb", sweep={"runs": list(range(10_000))})
    assert (
        message.startswith("sweep.runs: runs cannot be swept") and time.process_time() - start < 1
    )


def test_names_that_are_no_formula_are_drawn_as_they_stand():
    names = "$\\frac$", "a$", "$x"
    rows = [{"algo": x, "env": x, "t": 10, "run": r, "regret": r} for x in names for r in range(3)]
    assert dp.plot(pd.DataFrame(rows))._repr_png_()
