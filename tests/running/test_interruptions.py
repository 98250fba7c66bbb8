"""Kills, full disks, and several processes on one folder: nothing finished is lost or repeated.

Each thing that kills might do has a control in which they do it.
"""

import contextlib
import errno
import json
import math
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path
from subprocess import PIPE, Popen

import faults
import numpy as np
import psutil
import pytest
from commands import captured
from sweeps import (
    QUICK,
    csv_after,
    heeding_ctrl_c,
    own_algorithm,
    pulling,
    quick,
    report,
    requested,
    started,
    stored,
    until,
    words,
)

from dpbandits import files
from dpbandits.cli.ending import STORED
from dpbandits.compiled import compiled_code
from dpbandits.errors import CannotWrite
from dpbandits.results.run_store import Memory, Run, RunStore
from dpbandits.running import scheduler
from dpbandits.running.play import compile_kernel
from dpbandits.running.work import Outcome, Task, Work

SWEEP = QUICK["regret"] | {"runs": 5, "jobs": 2}  # that of ``quick``
CACHE = str(compiled_code().path.parent)


@pytest.fixture(scope="module")
def right():
    """The table of the quick sweep."""
    return csv_after(quick(None))


def found_by(what, question, *more, cache=None):
    """What faults.py has found, by signal."""
    command = [sys.executable, faults.__file__, what, question, *map(str, more)]
    own = os.environ | ({} if cache is None else {"NUMBA_CACHE_DIR": str(cache)})
    done = captured(*command, env=own, timeout=1000)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[question]


def killed(*more, **options):
    """What kills by all signals have done."""
    return sum(map(Counter, found_by("kills", *more, **options).values()), Counter())


WRONG = "lost", "doubled", "other_bytes", "tracebacks", "hangs"


@pytest.mark.long
@pytest.mark.parametrize(("question", "count"), [("regret", 24), ("stopping", 9)])
def test_kills_lose_nothing(tmp_path, question, count):
    """Kills go on until one was in the middle of a write."""
    found = Counter()
    for seed in range(6):
        found += killed(question, tmp_path / str(seed), seed, count, "threads")
        if found["in_a_write"]:
            break
    assert found["kills"] >= count and found["in_a_write"] > 0 and found["sweeps"] > 0, found
    assert not any(found[what] for what in WRONG), found


@pytest.mark.long
@pytest.mark.parametrize(
    ("control", "what"),
    [("careless", "lost"), ("blind", "doubled"), ("deaf", "hangs"), ("loud", "tracebacks")],
)
def test_kills_have_controls(tmp_path, control, what):
    count = 18 if control == "careless" else 9
    given = ([tmp_path / str(seed), seed, count, "threads", control] for seed in range(12))
    assert any(killed("regret", *x)[what] for x in given)


@pytest.mark.slow
def test_machine_code_and_runs_that_are_damaged_are_noticed(tmp_path):
    found = found_by("damages", "regret", tmp_path / "a", 1, cache=tmp_path / "cache")
    for sort in ("stored runs", "machine code"):
        assert found[sort]["noticed"] == found[sort]["tried"] == 1, found
    assert not any(counts.get(what) for counts in found.values() for what in WRONG), found
    given = tmp_path / "b", 1, "manifests", "blind"
    control = found_by("damages", "regret", *given, cache=tmp_path / "cache")
    assert control["manifests"]["doubled"]


def in_a_group(line, ready, **environment):
    """The error output of a command and its processes that get Ctrl-C, as in a terminal."""
    process = started(*line, env=os.environ | environment, start_new_session=True)
    until(lambda: ready(psutil.Process(process.pid)), process)
    os.killpg(process.pid, signal.SIGINT)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    return error


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.1, 0.4])
@pytest.mark.parametrize(
    ("started", "word"),
    [("precompile", "-m algo=dp_se,ucb,adap_ucb"), ("LokyProcess-2", "backend=processes")],
)
def test_processes_that_have_just_been_started_leave_ctrl_c_to_the_command(
    tmp_path, started, word, wait
):
    def ready(process):
        lines = [" ".join(child.cmdline()) for child in process.children()]
        return any(started in line for line in lines) and time.sleep(wait) is None

    line = [*word.split(), "horizon=1e7", "runs=100", "jobs=2", f"results={tmp_path / 'results'}"]
    error = in_a_group(line, ready, NUMBA_CACHE_DIR=str(tmp_path) if "algo" in word else CACHE)
    assert "Traceback" not in error and "interrupted; finished runs are stored" in error


@pytest.mark.slow
def test_a_lost_connection_leaves_no_processes(tmp_path):
    line = ["backend=processes", "horizon=1e7", "runs=1000", "jobs=2", f"results={tmp_path}"]
    process = started(*line, start_new_session=True)
    until(lambda: when_written(tmp_path), process)
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) >= 2
    os.killpg(process.pid, signal.SIGHUP)
    assert f"ended by SIGHUP; {STORED}" in process.communicate(timeout=60)[1]
    assert psutil.wait_procs(children, timeout=10)[1] == []


def when_written(results):
    """When each file of runs was written."""
    return {f: f.stat().st_mtime_ns for f in results.glob("runs/*/*.npz")}


@pytest.mark.slow
@pytest.mark.parametrize(("horizon", "stop"), [(1e7, "SIGTERM"), (1e7, "SIGHUP"), (1e10, "SIGINT")])
def test_a_signal_is_answered_at_once(tmp_path, horizon, stop):
    """Also in the middle of a run of minutes; a second signal changes nothing."""
    number, quick = getattr(signal, stop), horizon == 1e7
    given = {"algo": "dp_ucb", "horizon": horizon, "runs": 1000, "jobs": 1}
    request = requested(tmp_path, **given)
    compile_kernel(request.settings[0])
    process = started(*words(**given), f"results={tmp_path}")
    begun = time.monotonic()
    until(lambda: when_written(tmp_path) if quick else time.monotonic() - begun > 5, process)
    before, sent = stored(request), time.monotonic()
    process.send_signal(number)
    assert process.stderr.readline() == "\n"
    assert process.stderr.readline().startswith("stopping: ")
    answered = time.monotonic() - sent
    process.send_signal(number)
    last = process.stderr.read()
    ended = time.monotonic() - sent
    assert process.wait() == 128 + number
    what = "interrupted" if stop == "SIGINT" else f"ended by {stop}"
    assert last == f"bandit-run: {what}; {STORED}\n"
    assert answered < 1 and ended < 4, (answered, ended)
    assert before.items() <= stored(request).items() and bool(before) == quick
    assert not list(tmp_path.glob("*.csv"))


class Waiting:
    """A runner whose calls end when a test sets the results of their futures. If ``idles`` is
    false, no time may pass without a result.
    """

    jobs, is_here = 2, False

    def __init__(self, then, idles=False):
        self.calls, self._then, self._idles = [], then, idles

    def submit(self, function, task, stored, here):
        self.calls.append((Future(), task))
        self._then(self)
        return self.calls[-1][0]

    def check(self, came):
        assert came or self._idles


def outcome(*runs, **more):
    """The outcome of some runs, in which each of five arms is pulled once."""
    pulls = np.array([[1, 0, 0, 0, 0], [1, 1, 1, 1, 1]])
    return Outcome({run: Run(pulls, math.nan, 0.01) for run in runs}, **more)


@pytest.fixture
def tasks():
    """Tasks of two settings, of three runs each."""
    settings = requested(algo=["ucb", "dp_se"], horizon=5, checkpoints=1).settings
    return [Task(one, (0, 1, 2)) for one in settings]


@pytest.mark.parametrize("late", [False, True])
def test_what_ends_soon_after_an_interruption_is_stored(tasks, monkeypatch, late):
    """The scheduler waits a little for the tasks that are being played, but not for long."""
    monkeypatch.setattr(scheduler, "PATIENCE", 0.02 if late else 20.0)
    store, stopped = Memory(), []
    plays = scheduler.Scheduler(tasks, store)

    def then(runner):
        if len(runner.calls) == 4:  # of each worker, one is played while the next waits
            plays._stopping.set()
            stopped.append(True)
            for future, task in runner.calls:
                if not late:
                    future.set_result(outcome(*task.runs))

    runner = Waiting(then, idles=late)
    plays.play([(runner, Work(tasks, 2))], {})
    finished = sum(len(store.finished(task.setting)) for task in tasks)
    assert stopped and len(runner.calls) == 4
    assert finished == plays.played == (0 if late else sum(len(t.runs) for _, t in runner.calls))


def test_runs_of_an_unfinished_setting_are_stored_after_a_while(tasks, tmp_path):
    """Those of a finished setting are stored at once. The last reason of a failure is kept until
    the setting is finished.
    """
    (one, other), store = tasks, RunStore(tmp_path)
    plays = scheduler.Scheduler(tasks, store)
    plays._take(replace(one, runs=(0,)), outcome(0))
    plays._take(other, outcome(0, 2, trace="it failed"))
    plays._save(100.0)
    assert store.finished(other.setting) == {0, 2} and not store.finished(one.setting)
    plays._save(0.0)
    assert store.finished(one.setting) == {0}
    plays._take(replace(one, runs=(1,)), outcome(trace="and this one"))
    assert store.failure(other.setting) == "it failed"
    assert store.failure(one.setting) == "and this one"
    assert [(f.setting, f.runs) for f in plays.failures] == [
        (other.setting, (1,)),
        (one.setting, (1,)),
    ]
    assert plays.played == 3
    plays._bar.close()
    again = scheduler.Scheduler([replace(other, runs=(1,))], store)
    again._take(replace(other, runs=(1,)), outcome(1))
    again._save(100.0)
    again._bar.close()
    assert store.failure(other.setting) is None and len(store.finished(other.setting)) == 3


def test_a_task_waits_for_each_worker_and_finished_runs_are_not_played_again(tasks):
    """Runs that another process has stored meanwhile are named to the worker."""
    store, given = Memory(), []
    store.save(tasks[0].setting, outcome(1).played)

    def then(runner):
        waiting = [(future, task) for future, task in runner.calls if not future.done()]
        given.append(len(waiting))
        if len(waiting) == 4 or len(runner.calls) == 6:
            for future, task in waiting:
                done = store.finished(task.setting) & {*task.runs}
                future.set_result(outcome(*({*task.runs} - done), stored=frozenset(done)))

    plays = scheduler.Scheduler(tasks, store)
    plays.play([(Waiting(then), Work(tasks, 2))], {})
    assert max(given) == 4 and plays.played == 5 and not plays.failures
    assert all(len(store.finished(task.setting)) == 3 for task in tasks)


SLOW = """
(here / f"{os.getpid()}.begun").touch()
while len(list(here.glob("*.begun"))) < 2:  # the other process has not begun
    time.sleep(0.01)
with open(here / "played", "a") as log:
    log.write(f"{eps}\\n")
time.sleep(0.1)
"""
BLIND = "from dpbandits.running.scheduler import Scheduler as s; s._stored = lambda *_: set(); "


@pytest.mark.long
@pytest.mark.parametrize("blind", [False, True])
def test_two_processes_share_the_work(tmp_path, blind):
    """Runs that one has stored the other does not play; the control does not look for them."""
    source = pulling("slow", SLOW, "eps", "rng.integers(5)")
    home = own_algorithm(tmp_path / "mine", "slow", source)
    eps = list(range(1, 31))
    given = {"algo": "slow", "eps": eps, "horizon": 5, "runs": 1, "jobs": 1, "backend": "threads"}
    line = [*words(**given), f"results={tmp_path}", f"--config-dir={tmp_path / 'mine'}"]
    both = [started(*line, before=BLIND if blind else "") for _ in range(2)]
    (path,) = {process.communicate()[0].splitlines()[-1] for process in both}
    assert [process.returncode for process in both] == [0, 0]
    played = (home / "played").read_text().split()
    alone = requested(folders=(str(tmp_path / "mine"),), **given)
    assert Path(path).read_bytes() == csv_after(alone)
    assert set(played) == {f"{x:.1f}" for x in eps}
    assert len(played) == 60 if blind else len(played) < 45


@pytest.mark.long
@pytest.mark.parametrize("times", [1, 2, 3])
def test_ctrl_c_at_every_tenth_of_the_life_of_a_command(tmp_path, times):
    """Whatever it does then, it ends in one line, and stores what is finished."""
    line = [sys.executable, "-c", faults.ENTRY.format("run"), *words(**SWEEP)]
    own = {"start_new_session": True, "stderr": PIPE, "text": True}
    before, codes = time.monotonic(), []
    assert Popen([*line, f"results={tmp_path}"], **own).wait() == 0
    life = time.monotonic() - before
    for tenth in range(10):
        shutil.rmtree(tmp_path, ignore_errors=True)
        process = Popen([*line, f"results={tmp_path}"], preexec_fn=heeding_ctrl_c, **own)
        time.sleep(life * tenth / 10)
        for _ in range(times):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.05)
        _, err = process.communicate(timeout=60)
        assert "Traceback" not in err, err
        codes.append(process.returncode)
    assert {*codes} <= {0, 130, -signal.SIGINT} and 130 in codes, codes  # the last before Python


class Failing:
    """A file on a disk that fills at random moments, in the middle of a write."""

    def __init__(self, chance, *given, **more):
        self.chance, self.file = chance, open(*given, **more)  # noqa: SIM115
        self.is_full = chance.random() < 0.5  # before its end; a table has many pieces

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, content):
        if self.is_full and self.chance.random() < 0.5:
            self.file.write(content[: self.chance.randrange(len(content))])
            self.file.flush()
            raise OSError(self.chance.choice(ERRORS), "the disk says no")
        self.file.write(content)


ERRORS = (errno.ENOSPC, errno.EROFS, errno.EIO, errno.EDQUOT)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* tasks have been successfully executed:UserWarning")
def test_a_disk_that_fills_at_random_moments(tmp_path, monkeypatch, right):
    chance, refused = random.Random(0), 0
    monkeypatch.setattr(scheduler, "SAVE_EVERY", 0.0)
    for sweep in range(8):
        request, path, before = quick(tmp_path / str(sweep)), None, {}
        while path is None:
            with monkeypatch.context() as patch:
                patch.setattr(files, "open", partial(Failing, chance), raising=False)
                try:
                    path = report(request)
                except CannotWrite as error:
                    refused += 1
                    assert "the disk says no" in str(error)
            after = stored(request)
            assert before.items() <= after.items()
            assert not list(request.results.rglob("*.part"))
            before = after
        assert path.read_bytes() == right
    assert refused > 25


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1800, 1800))


@pytest.mark.slow
def test_a_disk_that_is_really_full(tmp_path, right):
    """No file may exceed some bytes, so that a part of the runs fits: one line, exit code 1."""
    for setting in quick(None).settings:
        compile_kernel(setting)
    process = started(*words(**SWEEP), f"results={tmp_path}", preexec_fn=limited)
    (line,) = process.communicate()[1].splitlines()
    assert process.returncode == 1
    assert line.startswith(f"bandit-run: cannot write {tmp_path}") and "File too large" in line
    assert line.endswith("; files that were stored before are intact")
    assert not list(tmp_path.rglob("*.part"))
    request, store = quick(tmp_path), RunStore(tmp_path)
    before, when = stored(request), when_written(tmp_path)
    whole = [store.file(s) for s in request.settings if len(store.load(s)) == request.runs]
    assert csv_after(request) == right
    assert all(file.stat().st_mtime_ns == when[file] for file in whole)  # others are completed
    assert before.items() <= stored(request).items()
