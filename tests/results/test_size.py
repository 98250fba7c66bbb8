"""Requests beyond memory are refused before anything is played, large ones announced."""

import numpy as np
import pandas as pd
from refusals import message_of
from sweeps import quick, report, requested

import dpbandits as dp
from dpbandits.cli import run
from dpbandits.contracts.question import REGRET
from dpbandits.results import size
from dpbandits.results.size import announce_size, check_size, size_of
from dpbandits.results.table import Table
from dpbandits.results.tails import lines_of_tails


def test_the_key_raises_the_limit(bandit):
    given = "algo=dp_se horizon=100 runs=5 checkpoints=1"  # ten rows
    assert len(bandit(run, f"{given} max_rows=10")) > 0
    request = requested(algo="dp_se", runs=1000, checkpoints=100_000, max_rows=1e8)
    check_size(request)
    assert "max_rows=9: the table would have 10 rows" in message_of(
        dp.run, algo="dp_se", horizon=100, runs=5, checkpoints=1, max_rows=9
    )


def test_a_large_request_is_announced(capsys, monkeypatch):
    settings = requested(algo="dp_se", checkpoints=100_000).settings
    announce_size(settings, 500)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("a large table: 3.9e+07 rows, about 2.2 GB as CSV")
    monkeypatch.setattr(size, "ANNOUNCED_ROWS", 1e8)
    announce_size(settings, 500)
    assert capsys.readouterr().err == ""  # control


def test_the_estimates_are_about_the_sizes_of_the_files(tmp_path):
    """Controls: the headers of files are left out, or taken once for all files."""
    request = quick(tmp_path)
    table = report(request)
    files = [file for file in tmp_path.glob("runs/*/*") if file.is_file()]
    actual = sum(file.stat().st_size for file in files)
    found = size_of(request.settings, request.runs)
    assert found.rows == len(dp.load(table)) and len(files) >= len(request.settings) > 1
    assert actual <= found.stored < 10 * actual
    assert table.stat().st_size / 2 < found.table < 2 * table.stat().st_size


def test_settings_with_too_few_runs_are_named_and_counted():
    table = dp.run("dp_se", "bernoulli_c2", eps=[0.5, 1], horizon=1000, runs=3, jobs=1)
    summary = Table.of_frame(table).summary().drop(columns="ci_low")  # not about equal runs
    found = summary.assign(runs_needed=[50, 3])
    [line] = lines_of_tails(found, REGRET)
    assert "eps=0.5 " in line and "3 runs are too few" in line and "about 50 would do" in line
    assert "settings have too few" not in line
    both, _ = lines_of_tails(found.assign(runs_needed=[50, 70]), REGRET)
    assert "eps=1 " in both and both.endswith(" (2 of 2 settings have too few)")
    assert not list(lines_of_tails(found.assign(runs_needed=3), REGRET))


def test_settings_with_too_few_runs_are_listed():
    """Those with the fewest for their tail first, and of many a few."""
    frame = pd.DataFrame({"algo": "ucb", "env": "b", "eps": np.arange(9.0), "horizon": 9})
    found = frame.assign(mean=1.0, runs=10, runs_needed=[10, 20, 90, 30, 40, 50, 60, 70, 80])
    first, *others, rest = lines_of_tails(found, REGRET)
    assert first.startswith("algo=ucb env=b eps=2 horizon=9: 10 runs are too few for its tail")
    assert rest == "and 2 more"
    about = [(8, 80), (7, 70), (6, 60), (5, 50), (4, 40)]
    assert others == [f"also algo=ucb env=b eps={e} horizon=9: about {n}" for e, n in about]
    [line] = lines_of_tails(found[:2], REGRET)
    assert "eps=1 " in line and "about 20 would do" in line
    assert list(lines_of_tails(found[:1], REGRET)) == []


def test_the_memory_is_that_of_two_copies_of_the_runs_of_the_largest_setting():
    settings = requested(algo="dp_se", horizon=[10, 1000], checkpoints=100).settings
    largest = max(map(size.record_bytes, settings))
    assert largest > min(map(size.record_bytes, settings))
    assert size_of(settings, 7).memory == 14 * largest
