"""The same bytes for any workers and any number of runs; finished runs are stored in time."""

import io
import math
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sweeps import csv_after, own_algorithm, quick, requested, stored
from tqdm.std import tqdm

from dpbandits.contracts.question import QUESTIONS, REGRET
from dpbandits.results.run_store import RunStore
from dpbandits.running import monte_carlo
from dpbandits.running.failures import RunsFailed
from dpbandits.running.monte_carlo import fulfil, run_settings
from dpbandits.running.play import Record, compile_kernel
from dpbandits.running.tasks import Outcome, cut_into_tasks

EACH_QUESTION = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)


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
    table, played = fulfil(request)
    assert played == 5 * len(request.settings) and len(before) == 2 * len(request.settings)
    assert before.items() <= stored(request).items()
    many = pd.read_csv(io.BytesIO(csv_after(request)))
    pd.testing.assert_frame_equal(few, many.query("run < 2").reset_index(drop=True))
    assert fulfil(request)[1] == 0 and len(table) == len(many)


@EACH_QUESTION
def test_stored_runs_give_the_table_that_runs_in_memory_give(tmp_path, question):
    request = quick(tmp_path, question)
    in_memory = csv_after(quick(None, question))
    assert csv_after(request) == csv_after(request) == in_memory
    assert sorted({f.suffix for f in tmp_path.rglob("*") if f.is_file()}) == ["", ".npz"]  # locks


@pytest.mark.parametrize("every", [monte_carlo.SAVE_EVERY, math.inf])
def test_finished_runs_are_stored_within_ten_seconds(tmp_path, monkeypatch, every):
    """Tasks of a setting that are finished far apart, one a second.

    The control stores a setting when all its runs are finished.
    """
    request, store, now = quick(tmp_path), RunStore(tmp_path), 0.0
    tasks = cut_into_tasks({setting: list(range(50)) for setting in request.settings}, workers=8)
    ended, longest = {}, 0.0
    monkeypatch.setattr(monte_carlo, "SAVE_EVERY", every)
    monkeypatch.setattr(monte_carlo, "time", SimpleNamespace(monotonic=lambda: now))

    def outcomes():
        nonlocal now, longest
        for task in sorted(tasks, key=lambda task: task.runs):
            now += 1.0
            record = Record(np.zeros((1, 5), int), math.nan)
            yield Outcome(task, dict.fromkeys(task.runs, record)), 1.0
            ended.update({(task.setting, run): now for run in task.runs})
            found = {(s, run) for s in request.settings for run in store.load(s).pulls}
            longest = max(longest, *(now - ended[key] for key in ended.keys() - found), 0.0)

    found = monte_carlo._store(outcomes(), tasks, store)
    assert found == (50 * len(request.settings), [])
    assert all(len(store.load(setting).pulls) == 50 for setting in request.settings)
    assert (longest > 10.0) == (every == math.inf), longest


UNLUCKY = """
from pathlib import Path
from dpbandits.game import pull, rounds_left

def unlucky(game, rng, eps):
    if Path(__file__).with_name("broken").exists() and rng.random() < 0.1:
        raise RuntimeError("no luck")
    while rounds_left(game):
        pull(game, 0)
"""


def test_runs_beside_one_that_fails_are_stored(tmp_path):
    home = own_algorithm(tmp_path / "mine", "unlucky", UNLUCKY)
    given = {"algo": "unlucky", "eps": 1, "horizon": 10, "runs": 200, "jobs": 1}
    request = requested(tmp_path / "results", folders=(str(tmp_path / "mine"),), **given)
    (home / "broken").touch()
    with pytest.raises(RunsFailed) as caught:
        fulfil(request)
    failed = {run for failure in caught.value.failures for run in failure.runs}
    assert 5 < len(failed) < 50
    assert failed == set(range(200)) - {run for _, run in stored(request)}
    assert str(caught.value) == (
        f"{len(failed)} runs failed; unlucky on bernoulli_c2, eps 1, T 10: RuntimeError: no luck"
    )
    assert RunStore(request.results).failure(request.settings[0]) == "RuntimeError: no luck"
    (home / "broken").unlink()
    assert fulfil(request)[1] == len(failed)
    assert RunStore(request.results).failure(request.settings[0]) is None


@pytest.mark.slow
def test_the_time_left_is_about_right(tmp_path, monkeypatch):
    """Half-way the bar predicts the time left, although tasks are of different length."""
    bars = []

    class Bar(tqdm):
        def __init__(self, total):
            super().__init__(total=total, disable=False, file=io.StringIO())
            self.predicted = []
            bars.append(self)

        def update(self, n):
            super().update(n)
            done = self.format_dict
            rate = done["rate"] or done["n"] / done["elapsed"]
            self.predicted.append((time.monotonic(), (done["total"] - done["n"]) / rate))

    def finish(task):
        time.sleep(task.cost / 2e6)
        return Outcome(task, {run: Record(np.zeros((2, 5), int), math.nan) for run in task.runs})

    request = requested(tmp_path, REGRET, algo=["ucb", "dp_ucb"], horizon=[1e4, 1e5, 2e5], runs=5)
    for setting in request.settings:
        compile_kernel(setting)
    monkeypatch.setattr(monte_carlo, "progress_bar", Bar)
    monkeypatch.setattr(monte_carlo, "finish", finish)
    run_settings(request.settings, request.runs, 1, "threads", RunStore(tmp_path))
    (bar,) = bars
    end = bar.predicted[-1][0]
    middle = [(end - at, left) for at, left in bar.predicted[len(bar.predicted) // 4 : -3]]
    assert len(middle) > 3
    assert all(left == pytest.approx(truth, rel=0.4, abs=0.1) for truth, left in middle), middle
