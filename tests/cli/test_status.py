"""bandit-status: what it counts, and the time left that it tells."""

import re
import sys

import numpy as np
import pytest

from dpbandits.cli import status
from dpbandits.cli.config.compose import read_request
from dpbandits.results.run_store import Kept, cell_file, note_failure, save_runs

SWEEP = ["sweep={algo:[dp_se],eps:[0.25,0.5,1,2]}", "horizon=1e4", "runs=4", "jobs=2"]


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """What the command prints in the test's folder, and its exit code."""
    monkeypatch.chdir(tmp_path)

    def command(*words):
        monkeypatch.setattr(sys, "argv", ["bandit-status", *words])
        with pytest.raises(SystemExit) as stopped:
            status.main()
        printed = capsys.readouterr()
        return stopped.value.code, (printed.out or printed.err).splitlines()

    return command


def keep(cell, runs, seconds):
    outcomes = {r: np.zeros((2, 5)) for r in range(runs)}
    save_runs(
        read_request(SWEEP, ()).results, cell, Kept(outcomes, dict.fromkeys(outcomes, seconds))
    )


def test_every_state_is_counted_and_the_time_left_told(told, tmp_path):
    request = read_request(SWEEP, ())
    done, half, damaged, failed = request.cells
    keep(done, 4, 30.0)
    keep(half, 2, 60.0)
    keep(damaged, 4, 10.0)
    file = cell_file(request.results, damaged)
    file.write_bytes(file.read_bytes()[:-9])
    keep(failed, 1, 90.0)
    note_failure(request.results, failed, "ValueError: lost")
    code, lines = told(*SWEEP)
    counts = [list(map(int, re.findall(r" (\d+)(?= |$)", line)[-5:])) for line in lines[2:7]]
    assert counts == [
        [1, 4, 0, 0, 0], [1, 2, 2, 0, 0], [1, 0, 0, 4, 0], [1, 1, 0, 0, 3], [4, 7, 2, 4, 3]
    ]  # fmt: skip
    assert "BadZipFile" in lines[7] and str(file) in lines[7]
    assert lines[8].startswith("dp_se on bernoulli_c2, eps 2") and "ValueError: lost" in lines[8]
    # 2 runs of 60 s, 4 of the mean of 30, 60 and 90, 3 of 90, on two workers: 315 s
    assert lines[9:] == ["time left: about 5.2 minutes on 2 workers, 9 runs"]
    assert code == 0


def test_nothing_is_written_and_nothing_is_known_at_first(told, tmp_path):
    code, lines = told("experiment=azize2022_fig4")
    assert code == 0 and lines[-1].startswith("time left: not known yet")
    assert list(tmp_path.iterdir()) == []


def test_all_is_done(told):
    (cell,) = read_request(["algo=dp_se", "horizon=100", "runs=2"], ()).cells
    keep(cell, 2, 1.0)
    assert told("algo=dp_se", "horizon=100", "runs=2")[1][-1] == "nothing is left to run"
    assert "2 runs" in told("algo=dp_se", "horizon=100", "runs=4")[1][-1]


def test_many_settings_are_grouped(told):
    eps = ",".join(str(x / 10) for x in range(1, 60))
    _, lines = told(f"sweep={{algo:[dp_se,adap_ucb],eps:[{eps}]}}", "horizon=100")
    assert [line.split()[:4] for line in lines[2:4]] == [
        ["dp_se", "on", "bernoulli_c2", "59"], ["adap_ucb", "on", "bernoulli_c2", "59"]
    ]  # fmt: skip


def test_a_multirun_and_a_rule(told):
    _, lines = told("-m", "algo=dp_se,adap_ucb", "eps=0.5,1", "horizon=100")
    assert lines[-2].split()[:3] == ["all", "4", "0"]
    assert "dp_nas on sign" in told("rule=dp_nas")[1][2]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("experiment=azize2022_fig", "unknown experiment"),
        ("algo=dp_see", "did you mean dp_se?"),
        ("algo=dp_se,ucb", "add -m"),
        ("--config-dir=nowhere", "there is no such folder"),
        ("--rubbish", "bandit-status --help"),
    ],
)
def test_bad_input_is_told_in_one_line(told, words, reason):
    code, (line,) = told(*words.split())
    assert code == 2 and line.startswith("bandit-status: ") and reason in line


def test_help_explains_every_state(told):
    text = " ".join(told("--help")[1])
    assert all(state in text for state in status.STATES)
