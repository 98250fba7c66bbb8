"""The same bytes for any workers and any number of runs; finished runs are stored in time."""

import io
import math
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sweeps import csv_after, own_algorithm, pulling, quick, requested, stored
from tqdm.std import tqdm

from dpbandits.contracts.question import QUESTIONS, REGRET
from dpbandits.results import run_store
from dpbandits.results.run_store import Run, RunStore
from dpbandits.running import scheduler, worker
from dpbandits.running.failures import RunsFailed
from dpbandits.running.monte_carlo import run_request, run_settings
from dpbandits.running.play import compile_kernel
from dpbandits.running.work import Outcome

EACH_QUESTION = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)


@pytest.mark.slow
@EACH_QUESTION
def test_bytes_do_not_depend_on_jobs_or_backend(question):
    first = csv_after(quick(None, question, jobs=1))
    for jobs, backend in ((2, "threads"), (4, "threads"), (2, "processes"), (1, "processes")):
        assert csv_after(quick(None, question, jobs=jobs, backend=backend)) == first
    assert csv_after(quick(None, question, seed=1)) != first  # control


@EACH_QUESTION
def test_more_runs_leave_the_first_as_they_were(tmp_path, question):
    few = pd.read_csv(io.BytesIO(csv_after(quick(tmp_path, question, runs=2))))
    before = stored(quick(tmp_path, question))
    request = quick(tmp_path, question, runs=7)
    table, played = run_request(request)
    assert played == 5 * len(request.settings) and len(before) == 2 * len(request.settings)
    assert before.items() <= stored(request).items()
    many = pd.read_csv(io.BytesIO(csv_after(request)))
    pd.testing.assert_frame_equal(few, many.query("run < 2").reset_index(drop=True))
    assert run_request(request)[1] == 0 and len(table) == len(many)
    assert csv_after(request) == csv_after(quick(None, question, runs=7))  # in memory
    assert sorted({f.suffix for f in tmp_path.rglob("*") if f.is_file()}) == [".lock", ".npz"]


pytestmark = pytest.mark.usefixtures("any_runs")

RUN = Run(np.zeros((2, 5), int), math.nan, 0.0)


class Clock:
    """Seconds that pass when a task is played, or while the next one is awaited."""

    now = 0.0

    def monotonic(self):
        return self.now

    perf_counter = monotonic


@pytest.mark.slow
@pytest.mark.parametrize("every", [0.1, math.inf])
def test_runs_of_an_unfinished_setting_are_stored_after_some_seconds(tmp_path, monkeypatch, every):
    """One run is finished, and the next takes as long as it takes to store the first, or a second.

    The control stores a setting when all its runs are finished.
    """
    assert scheduler.SAVE_EVERY + scheduler.TICK < 10
    (setting,) = requested(algo="dp_ucb", horizon=1e7).settings
    store, found = RunStore(tmp_path), []
    monkeypatch.setattr(scheduler, "SAVE_EVERY", every)

    def finish(task, *_):
        end = time.monotonic() + (20 if every < math.inf else 1)
        while found == [True] and not store.finished(setting) and time.monotonic() < end:
            time.sleep(0.01)
        found.append(bool(store.finished(setting)) or not found)
        return Outcome(dict.fromkeys(task.runs, RUN))

    monkeypatch.setattr(scheduler, "run_task", finish)
    assert run_settings([setting], 2, 1, "threads", store) == 2
    assert found == [True, every < math.inf]
    assert store.finished(setting) == {0, 1}


def test_the_bar_moves_at_once_and_every_second(tmp_path, monkeypatch):
    """A thousand runs of an eighth of a second, played one after the other."""
    moves, stuck, ends, moved, clock = [], [], [0.0], threading.Event(), Clock()

    class Bar:
        def __init__(self, total):
            self.total = total

        def update(self, n):
            moves.append(n / self.total)
            moved.set()

        close = refresh = set_postfix_str = lambda *_, **__: None

    def finish(task, *_):
        if len(ends) > 1 and not stuck and not moved.wait(timeout=5):  # since the last task
            stuck.append(task)
        moved.clear()
        seconds = 0.125 * len(task.runs)
        clock.now += seconds
        ends.append(clock.now)
        return Outcome(dict.fromkeys(task.runs, RUN), seconds=0.125)

    (setting,) = requested(algo="dp_ucb", horizon=1e7).settings
    compile_kernel(setting)
    for module in (scheduler, worker):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(scheduler, "progress_bar", Bar)
    monkeypatch.setattr(scheduler, "run_task", finish)
    assert run_settings([setting], 1000, 1, "threads", RunStore(tmp_path)) == 1000
    assert not stuck and sum(moves) == pytest.approx(1)
    assert ends[1] == 0.125 and max(np.diff(ends)) < 1


class TimedOut(Exception):
    """As a handler of a caller's may raise at a time limit."""


@pytest.mark.slow
@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, TimedOut])
@pytest.mark.parametrize("seconds", [0, 0.2])
def test_a_signal_ends_the_runs_and_keeps_those_that_are_finished(
    tmp_path, monkeypatch, raised, seconds
):
    """What the handler of a signal raises in the main thread, of whatever kind, reaches the caller.

    The task that is played meanwhile is finished and stored, no other is begun; also where the main
    thread has not yet returned from starting the thread that plays.
    """
    begun, going, start = [], threading.Event(), threading.Thread.start
    receive, noticed = scheduler.Scheduler._receive, threading.Event()

    def start_slowly(thread):
        start(thread)
        if threading.current_thread() is threading.main_thread():
            time.sleep(seconds)

    def finish(task, *_):
        begun.extend(task.runs)
        if len(begun) > 3 and not going.is_set():
            going.set()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
            assert noticed.wait(60)
        return Outcome(dict.fromkeys(task.runs, RUN))

    def handle(*_):
        raise raised

    def receive_and_note(self, runner, work, pending, seconds):
        if seconds > scheduler.TICK:  # what is played meanwhile is all that it waits for
            noticed.set()
        receive(self, runner, work, pending, seconds)

    (setting,) = requested(algo="dp_ucb", horizon=1e5).settings
    store = RunStore(tmp_path)
    monkeypatch.setattr(scheduler, "PATIENCE", 60)
    monkeypatch.setattr(scheduler, "run_task", finish)
    monkeypatch.setattr(scheduler.Scheduler, "_receive", receive_and_note)
    monkeypatch.setattr(threading.Thread, "start", start_slowly)
    before = signal.signal(signal.SIGUSR1, handle)
    try:
        with pytest.raises(raised):
            run_settings([setting], 1000, 1, "threads", store)
    finally:
        signal.signal(signal.SIGUSR1, before)
    kept = store.finished(setting)
    assert going.is_set() and kept == set(begun) and 4 <= len(kept) < 1000
    # the same process goes on
    assert run_settings([setting], 1000, 1, "threads", store) == 1000 - len(kept)


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [scheduler.AHEAD, 1000])
def test_little_is_left_to_store_after_an_interruption_on_a_slow_disk(tmp_path, monkeypatch, ahead):
    """To store a setting takes 50 ms, to play it nothing. Nothing that is finished is lost.

    In the control all tasks are handed out at first, and stored after the interruption.
    """
    settings = requested(algo="dp_se", eps=[k / 10 for k in range(1, 61)], horizon=10).settings
    played, saved, before = [], [], []

    class Slow(RunStore):
        def save(self, setting, fresh):
            time.sleep(0.05)
            super().save(setting, fresh)
            saved.append(setting)
            if len(saved) == 8:
                before.extend(played)
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def finish(task, *_):
        played.append(task.setting)
        return Outcome(dict.fromkeys(task.runs, RUN))

    monkeypatch.setattr(scheduler, "AHEAD", ahead)
    monkeypatch.setattr(scheduler, "run_task", finish)
    with pytest.raises(KeyboardInterrupt):
        run_settings(settings, 1, 1, "threads", Slow(tmp_path))
    assert set(saved) == set(played) and len(saved) == len(played)
    assert (len(played) <= 40) == (ahead < 1000), len(played)


@pytest.mark.slow
def test_an_interruption_does_not_break_into_a_write(tmp_path, monkeypatch):
    """In the main thread it did: the write was begun again, or NumPy's error was raised."""
    settings = requested(algo="dp_se", eps=[0.5, 1, 2], horizon=10).settings
    writes = []

    def interrupted(*given):
        writes.append(given)
        if len(writes) == 2:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            time.sleep(0.3)
        return packed(*given)

    packed = run_store.packed
    monkeypatch.setattr(run_store, "packed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_settings(settings, 1, 1, "threads", RunStore(tmp_path))
    stored_now = [s for s in settings if RunStore(tmp_path).finished(s)]
    assert len(writes) == len(stored_now) >= 2


UNLUCKY = """
if (here / "broken").exists() and rng.random() < 0.1:
    raise RuntimeError("no luck")
"""


@pytest.mark.slow
def test_runs_beside_one_that_fails_are_stored(tmp_path):
    home = own_algorithm(tmp_path / "mine", "unlucky", pulling("unlucky", UNLUCKY, "eps"))
    given = {"algo": "unlucky", "eps": 1, "horizon": 10, "runs": 200, "jobs": 1}
    request = requested(tmp_path / "results", folders=(str(tmp_path / "mine"),), **given)
    (home / "broken").touch()
    with pytest.raises(RunsFailed) as caught:
        run_request(request)
    failed = {run for failure in caught.value.failures for run in failure.runs}
    assert 5 < len(failed) < 50
    assert failed == set(range(200)) - {run for _, run in stored(request)}
    assert str(caught.value) == (
        f"{len(failed)} runs failed; unlucky on bernoulli_c2, eps 1, T 10: RuntimeError: no luck "
        "(line 10 of unlucky.py)"
    )
    reason = RunStore(request.results).failure(request.settings[0])
    assert reason == "RuntimeError: no luck (line 10 of unlucky.py)"
    (home / "broken").unlink()
    assert run_request(request)[1] == len(failed)
    assert RunStore(request.results).failure(request.settings[0]) is None


@pytest.mark.slow
def test_the_time_left_is_about_right(tmp_path, monkeypatch):
    """Half-way the bar predicts the time left, although tasks are of different length."""
    bars, clock = [], Clock()

    class Bar(tqdm):
        def __init__(self, total):
            super().__init__(total=total, disable=False, file=io.StringIO())
            self._time, self.start_t, self.predicted = clock.monotonic, 0.0, []
            bars.append(self)

        def update(self, n):
            super().update(n)
            done = self.format_dict
            rate = done["rate"] or done["n"] / done["elapsed"]
            self.predicted.append((clock.now, (done["total"] - done["n"]) / rate))

    def finish(task, *_):
        clock.now += task.cost / 2e6
        return Outcome(dict.fromkeys(task.runs, RUN))

    request = requested(tmp_path, REGRET, algo=["ucb", "dp_ucb"], horizon=[1e4, 1e5, 2e5], runs=5)
    for setting in request.settings:
        compile_kernel(setting)
    monkeypatch.setattr(scheduler, "AHEAD", 1)  # no task is played before the last one is taken
    monkeypatch.setattr(scheduler, "progress_bar", Bar)
    monkeypatch.setattr(scheduler, "run_task", finish)
    run_settings(request.settings, request.runs, 1, "threads", RunStore(tmp_path))
    (bar,) = bars
    end = bar.predicted[-1][0]
    middle = [(end - at, left) for at, left in bar.predicted[len(bar.predicted) // 4 : -3]]
    assert len(middle) > 3
    assert all(left == pytest.approx(truth, rel=0.4, abs=0.1) for truth, left in middle), middle
