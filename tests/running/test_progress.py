"""The progress bar, the status of settings, and the estimated time that is left."""

import io
import math
import subprocess
import sys

import pytest
from helpers import setting
from sweeps import report, requested

from dpbandits.results.run_store import RunStore
from dpbandits.running.progress import announce_imports, progress_bar
from dpbandits.running.status import Status, seconds_left, status_of


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_without_an_error_stream_there_is_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with progress_bar(2) as bar:
        bar.update(1)
    assert bar.disable


def test_imports_are_announced_where_a_bar_would_be_shown(monkeypatch):
    """Controls: a file instead of a terminal, no error stream, and Numba is already imported."""
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "numba")
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file, None):
        monkeypatch.setattr(sys, "stderr", stream)
        announce_imports()
    assert terminal.getvalue().startswith("importing Numba and pandas") and not file.getvalue()
    monkeypatch.setitem(sys.modules, "numba", sys)
    monkeypatch.setattr(sys, "stderr", again := Terminal())
    announce_imports()
    assert not again.getvalue()


FIRST_LINE = """
import os, sys
import dpbandits as dp
class Stream:
    def write(self, text):
        print({"numba", "pandas", "omegaconf"} & {*sys.modules} or "none", flush=True)
        os._exit(0)
    def flush(self): ...
sys.modules["ipykernel"], sys.stderr = os, Stream()
dp.run("ucb", horizon=100, runs=2, jobs=1)
"""


@pytest.mark.slow
def test_the_first_line_in_a_notebook_comes_before_slow_imports():
    """The control prints nothing before the progress bar."""
    nothing = "import dpbandits.running.progress as p; p.announce_imports = lambda: None\nclass"
    for code, early in ((FIRST_LINE, True), (FIRST_LINE.replace("class", nothing, 1), False)):
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (ended.stdout.strip() == "none") == early and ended.stdout, ended.stderr


def test_a_setting_has_failed_only_if_runs_are_left(tmp_path):
    """The reason of an earlier failure does not count if all runs were played since."""
    request = requested(tmp_path, algo="ucb", horizon=100, runs=3, jobs=1)
    (one,) = request.settings
    assert (status_of(tmp_path, one, 3).state, status_of(tmp_path, one, 3).left) == ("missing", 3)
    report(request)
    store = RunStore(tmp_path)
    store.note_failure(one, "it failed")
    found, more = (status_of(tmp_path, one, runs) for runs in (3, 5))
    assert (found.done, found.left, found.state, found.reason) == (3, 0, "missing", "")
    assert (more.done, more.left, more.state, more.reason) == (3, 2, "failed", "it failed")
    assert more.seconds == found.seconds == sum(r.seconds for r in store.load(one).values()) / 3
    store.file(one).write_bytes(b"damaged")
    damaged = status_of(tmp_path, one, 3)
    assert (damaged.done, damaged.left, damaged.state) == (0, 3, "damaged") and damaged.reason


def plain(game, rng):
    """An algorithm in plain Python."""


UCB = setting(algo="ucb", horizon=1e4, checkpoints=10)
ROWS = len(UCB.rounds())


@pytest.mark.parametrize(
    ("found", "given", "least", "most"),
    [
        ([Status(UCB, 10, 30, seconds=2.0)], {}, 30.0, 30.0),
        ([Status(UCB, 10, 30, seconds=2.0)], {"longest": 5.0}, 5.0, 5.0),
        ([Status(UCB, 10, 30, seconds=2.0)], {"longest": 5.0, "first": 20}, 10.0, 10.0),
        ([Status(UCB, 10, 30, seconds=2.0)], {"longest": 5.0, "first": 5}, 5.0, 5.0),
        ([Status(UCB, 40, 0, seconds=2.0)], {}, 0.0, 0.0),
        ([Status(UCB, 5, 0, seconds=4.0), Status(UCB, 0, 10)], {}, 20.0, 20.0),
        ([Status(UCB, 0, 2 * 10**5)], {}, 10.0, 500.0),
        ([Status(UCB, 10**6, 0, seconds=2.0)], {}, 10.0 * ROWS, 10.0 * ROWS),
        ([Status(UCB, 0, 0)] * 1000, {}, 5.0, 5.0),
    ],
)
def test_the_time_left_is_that_of_unfinished_runs_and_of_the_table(found, given, least, most):
    """Two workers play. A setting without finished runs is like others of its algorithm."""
    times = seconds_left(found, 2, **given)
    rows = sum(one.left for one in found) * ROWS * 1e-5
    assert least <= times[0] <= times[1] <= most + rows + 0.05
    assert times[0] <= least + rows + 0.05


def test_the_time_of_an_algorithm_in_plain_python_is_unknown():
    one = setting(algo=plain, horizon=10)
    assert all(map(math.isnan, seconds_left([Status(one, 0, 5)], 2)))
    assert seconds_left([Status(one, 0, 5), Status(one, 5, 0, seconds=1.0)], 1)[1] < 6.0
