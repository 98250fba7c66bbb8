"""Tasks: played with the sources and data of their setting only, wherever they are played."""

import io
import pickle
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from sweeps import csv_after, own_algorithm, pulling, requested

from dpbandits.contracts.algorithm import HOMES
from dpbandits.running import worker
from dpbandits.running.failures import RunsFailed
from dpbandits.running.monte_carlo import run_request
from dpbandits.running.work import DEATH, Outcome, Task, Work
from dpbandits.running.worker import run_task


def task_of(**given):
    (setting,) = requested(**given).settings
    return Task(setting, (0,))


@pytest.mark.parametrize("here", [True, False])
def test_a_worker_with_other_sources_refuses_a_task(here):
    task = task_of(algo="dp_se", horizon=10)
    assert run_task(task, here=here).played
    object.__setattr__(task.setting, "version", "another")
    outcome = run_task(task, here=here)
    assert not outcome.played and "the worker has another version of dp_se" in outcome.trace


def test_a_worker_that_reads_other_data_refuses_a_task(tmp_path):
    file = tmp_path / "data.csv"
    file.write_text("a,b\n0,1\n")
    task = task_of(algo="ucb", env={"law": "table", "file": str(file), "rewards": None}, horizon=1)
    assert task.setting.key
    sent = pickle.dumps(task)  # without the data, which other processes read
    file.write_text("a,b\n1,0\n")
    outcome = run_task(pickle.loads(sent))
    assert not outcome.played and "the file has changed" in outcome.trace
    assert run_task(task).played  # on the data that its key was computed from
    file.write_text("a,b\n0,1\n")
    assert run_task(pickle.loads(sent)).played


def tasks_of(settings, seconds, workers=2, runs=1000):
    """The tasks of some runs, when each takes some seconds and 5 ms are lost with each task.

    The time of a task is known when all other workers have got the next one.
    """
    work, tasks = Work([Task(setting, tuple(range(runs))) for setting in settings], workers), []
    while task := work.next_task():
        tasks.append(task)
        if len(tasks) > workers:
            done = tasks[-1 - workers]
            took = 0.005 / len(done.runs) + seconds(done)
            assert work.complete(done, Outcome({}, seconds=took))
    return tasks


def test_tasks_hold_each_run_once_and_the_longest_runs_come_first():
    settings = requested(algo=["dp_ucb", "dp_se"], horizon=[1e4, 1e7]).settings
    tasks = tasks_of(settings, lambda task: task.cost / 1e8 / len(task.runs), 4, 100)
    pairs = [(task.setting, run) for task in tasks for run in task.runs]
    assert len(pairs) == len(set(pairs)) == 400
    costs = [task.cost / len(task.runs) for task in tasks]
    assert costs == sorted(costs, reverse=True) and len(tasks) >= 4 * 8


@pytest.mark.parametrize("each", [0.001, 0.1, 5.0])
def test_tasks_of_long_runs_take_half_a_second(each):
    """Except single runs that take longer. The first tasks are single runs: progress is seen."""
    (setting,) = requested(algo="dp_ucb", horizon=1e7).settings
    tasks = tasks_of([setting], lambda _: each)
    sizes = [len(task.runs) for task in tasks]
    assert sizes[:3] == [1, 1, 1] and sum(sizes) == 1000
    assert max(sizes) <= max(1, 0.5 / each)
    assert len(sizes) < 20 + 1000 * each / 0.4


def test_a_setting_whose_runs_take_ten_times_as_long_begins_with_a_short_task():
    """The time of a run is known of another setting of the algorithm only."""
    settings = requested(algo="dp_ucb", eps=[0.5, 1], horizon=1e7).settings
    slow = [None]

    def seconds(task):
        slow[0] = slow[0] or task.setting  # the first that comes is quick
        return 0.002 if task.setting == slow[0] else 0.02

    tasks = tasks_of(settings, seconds, workers=1)
    assert max(seconds(task) * len(task.runs) for task in tasks) <= 1


def test_short_runs_are_played_in_few_tasks():
    settings = requested(algo="dp_se", eps=[k / 100 for k in range(1, 101)], horizon=1e7).settings
    assert len(tasks_of(settings, lambda _: 5e-5)) <= 110


@pytest.mark.parametrize("workers", [1, 4])
def test_each_worker_gets_about_eight_tasks_if_there_is_little_work(workers):
    """Besides single runs at the beginning."""
    (setting,) = requested(algo="dp_se", horizon=1e7).settings
    sizes = [len(task.runs) for task in tasks_of([setting], lambda _: 1e-5, workers)]
    assert 8 * workers <= len(sizes) <= 11 * workers and max(sizes) <= 1000 / (8 * workers)


@pytest.mark.parametrize("stored", [0, 1, 3])
def test_the_time_of_a_run_is_an_equal_share_of_the_time_of_its_task(stored, monkeypatch):
    """Runs that another process has stored take no time."""
    task = replace(task_of(algo="ucb", horizon=10), runs=(0, 1, 2))
    monkeypatch.setattr(worker, "time", SimpleNamespace(perf_counter=iter([100.0, 106.0]).__next__))
    outcome = run_task(task, frozenset(range(stored)))
    assert outcome.seconds == 6.0 / max(1, 3 - stored) and len(outcome.played) == 3 - stored
    assert all(run.seconds == outcome.seconds for run in outcome.played.values())
    assert outcome.stored == frozenset(range(stored))


def killed_by(killers, runs=100, workers=2):
    """The runs that are given up if some kill their worker, and the number of deaths.

    Two tasks for each worker are handed out; if a worker dies, none of them comes back.
    """
    (setting,) = requested(algo="dp_ucb", horizon=1e7).settings
    work, lost, deaths, out = Work([Task(setting, tuple(range(runs)))], workers), [], 0, []
    while out or (task := work.next_task()):
        while len(out) < 2 * workers and (task := task or work.next_task()):
            assert not out or not task.deaths  # a suspect is alone
            out, task = [*out, task], None
        is_death = any(run in killers for task in out for run in task.runs)
        deaths += is_death
        for task in out if is_death else out[:1]:
            played = {} if is_death else dict.fromkeys(task.runs)
            outcome = Outcome(played, DEATH * is_death, seconds=0.001, died=is_death)
            lost += task.runs if work.complete(task, outcome) and is_death else ()
        out, task = [] if is_death else out[1:], None
    return sorted(lost), deaths


@pytest.mark.parametrize("killers", [[], [29], [0, 50, 99]])
def test_a_run_that_kills_its_worker_is_found(killers):
    lost, deaths = killed_by(killers)
    assert lost == killers and deaths <= 10 * len(killers)


def test_a_setting_all_of_whose_runs_kill_their_worker_is_given_up_soon():
    lost, deaths = killed_by(range(1000), runs=1000)
    assert lost == list(range(1000)) and deaths < 50


REPLACING = """
if (here / "next.csv").exists():
    (here / "next.csv").replace(here / "data.csv")
"""


def test_data_that_are_replaced_meanwhile_do_not_mix(tmp_path):
    """Runs on the old data are stored as such; later requests play on the new data."""
    home = own_algorithm(tmp_path, "replacing", pulling("replacing", REPLACING))
    old, new = "a,b\n" + "0,1\n" * 9, "a,b\n" + "1,0\n" * 9
    (home / "data.csv").write_text(old)
    (home / "next.csv").write_text(new)
    env = {"law": "table", "file": str(home / "data.csv"), "rewards": None}
    given = {"algo": "replacing", "env": env, "horizon": 9, "runs": 3, "backend": "threads"}
    given["shuffle_arms"] = False
    regrets = []
    for folder in ("first", "first", "second"):
        table = csv_after(requested(tmp_path / folder, folders=(str(tmp_path),), **given))
        regrets.append(pd.read_csv(io.BytesIO(table))["regret"].max())
        assert (home / "data.csv").read_text() == new
    assert regrets == [9, 0, 0]


@pytest.mark.slow
def test_an_algorithm_that_workers_cannot_load_is_not_taken_for_their_death(tmp_path):
    file = own_algorithm(tmp_path, "edited", pulling("edited")) / "edited.py"
    request = requested(folders=(str(tmp_path),), algo="edited", horizon=10, runs=4, jobs=2)
    file.write_text("def edited(")
    with pytest.raises(RunsFailed) as caught:
        run_request(request)
    (reason,) = {failure.reason for failure in caught.value.failures}
    assert "cannot import" in reason and "SyntaxError" in reason
    file.write_text(pulling("edited"))
    assert run_request(request)[1] == 4


def test_a_worker_loads_an_algorithm_of_the_package_from_its_own_installation(monkeypatch):
    """A worker's package may lie elsewhere; an algorithm of a user is loaded from its file."""
    load, given = task_of(algo="dp_se", horizon=10).setting.algorithm.__reduce__()
    assert given[:3] == ("algo", "dp_se", None)
    monkeypatch.setitem(HOMES, "algo", HOMES["algo"].parent / "stopping" / ".." / "algorithms")
    assert load(*given).file.parent == HOMES["algo"]
