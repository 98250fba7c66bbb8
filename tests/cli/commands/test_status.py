"""bandit-status: the runs that it counts, and the time left that it reports."""

import re

import numpy as np
import pytest

from dpbandits.cli import status
from dpbandits.cli.words import read_request
from dpbandits.results.run_store import Run, RunStore

SWEEP = ["'sweep={algo:[dp_se],eps:[0.25,0.5,1,2]}'", "horizon=1e4", "runs=4", "jobs=2"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("any_runs")]


@pytest.fixture
def reported(bandit):
    """A function that returns the lines that the command prints."""
    return lambda *words: bandit(status, " ".join(words))


def finish(setting, runs, seconds):
    """Store runs of a setting as if they had been played."""
    store = RunStore(read_request([], ()).folder)
    store.save(setting, {r: Run(np.zeros((2, 5), int), 0.0, seconds) for r in range(runs)})
    return store


def test_every_state_is_counted_and_the_time_left_is_reported(reported):
    request = read_request([word.strip("'") for word in SWEEP], ())
    done, half, damaged, failed = request.settings
    finish(done, 4, 30.0)
    finish(half, 2, 60.0)
    file = finish(damaged, 4, 10.0).file(damaged)
    file.write_bytes(file.read_bytes()[:-9])
    finish(failed, 1, 90.0).note_failure(failed, "ValueError: lost")
    lines = reported(*SWEEP)
    counts = [list(map(int, re.findall(r" (\d+)(?= |$)", line)[-5:])) for line in lines[2:7]]
    assert counts == [
        [1, 4, 0, 0, 0], [1, 2, 2, 0, 0], [1, 0, 0, 4, 0], [1, 1, 0, 0, 3], [4, 7, 2, 4, 3]
    ]  # fmt: skip
    assert "BadZipFile" in lines[7] and str(file) in lines[7]
    assert lines[8].startswith("dp_se on bernoulli_c2, eps 2") and "ValueError: lost" in lines[8]
    # 2 runs of 60 s, 4 of the mean of 30, 60 and 90, 3 of 90, on two workers: 315 s, and 20 ms
    # to store them
    assert lines[9:] == ["time left: about 5.3 minutes on 2 workers, 9 runs and their table"]


def test_nothing_is_written_and_nothing_is_known_at_first(reported, tmp_path):
    lines = reported("experiment=azize2022_fig4", "jobs=2")
    # 80 runs of dp_ucb play 1e7 rounds one by one, on two workers; all others are episodic
    between = (
        "time left: between 4 s and 3.3 minutes on 2 workers, 320 runs and their table; no run"
    )
    assert lines[-1].startswith(between), lines[-1]
    assert list(tmp_path.iterdir()) == []


def test_an_algorithm_in_plain_python_takes_an_unknown_time(reported, tmp_path):
    (tmp_path / "algo").mkdir()
    code = "def lazy(game, rng, m):\n    pass\n"
    (tmp_path / "algo" / "lazy.py").write_text(code)
    (tmp_path / "algo" / "lazy.yaml").write_text("m: 1\n")
    lines = reported(f"--config-dir {tmp_path} algo=lazy")
    assert lines[-1].startswith("time left: unknown")


def test_the_time_left_counts_storing_and_the_table(reported):
    """Runs that take no time: the table of 2,000 runs at 95 checkpoints takes two seconds."""
    (setting,) = read_request(["algo=dp_se", "horizon=1e4", "runs=2000"], ()).settings
    finish(setting, 1, 0.0)
    (line,) = reported("algo=dp_se", "horizon=1e4", "runs=2000", "jobs=1")[-1:]
    assert line == "time left: about 2 s on 1 worker, 1999 runs and their table"
    (line,) = reported("algo=dp_se", "horizon=1e4", "runs=2000", "jobs=1", "checkpoints=1")[-1:]
    assert "between 1 s and" in line  # control: another setting, with two rows a run


def test_all_is_done(reported):
    (setting,) = read_request(["algo=dp_se", "horizon=100", "runs=2"], ()).settings
    finish(setting, 2, 1.0)
    assert reported("algo=dp_se", "horizon=100", "runs=2")[-1] == "nothing is left to run"
    assert "2 runs" in reported("algo=dp_se", "horizon=100", "runs=4")[-1]


def test_many_settings_are_grouped(reported):
    eps = ",".join(str(x / 10) for x in range(1, 60))
    lines = reported(f"'sweep={{algo:[dp_se,adap_ucb],eps:[{eps}]}}'", "horizon=100")
    assert [line.split()[:4] for line in lines[2:4]] == [
        ["dp_se", "on", "bernoulli_c2", "59"], ["adap_ucb", "on", "bernoulli_c2", "59"]
    ]  # fmt: skip


def test_a_multirun_and_a_rule(reported):
    lines = reported("-m", "algo=dp_se,adap_ucb", "eps=0.5,1", "horizon=100")
    assert lines[-2].split()[:3] == ["all", "4", "0"]
    assert "dp_nas on sign" in reported("rule=dp_nas")[2]
    assert "on sign" in reported("experiment=sajed2019_stopping")[2]


def test_a_setting_of_two_experiments_needs_the_larger_number_of_runs(reported):
    """They have 8 settings in common, with 100 and with 10 runs."""
    names = "azize2025", "dp_ucb_counters"
    for order in (names, names[::-1]):
        *_, every, _ = reported("-m", f"experiment={','.join(order)}")
        assert every.split() == ["all", "132", "0", str(84 * 100 + 48 * 10), "0", "0"]
