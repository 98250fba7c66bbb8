"""Workers are started safely; those of Dask give the bytes of one machine and lose nothing."""

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from types import SimpleNamespace

import joblib
import psutil
import pytest
from commands import captured
from joblib.externals.loky import get_reusable_executor
from refusals import message_of
from sweeps import csv_after, requested, started, until, words

from dpbandits.errors import WorkersLost
from dpbandits.results.run_store import RunStore
from dpbandits.running import children, runners
from dpbandits.running.runners import RUNNERS

SWEEP = {"algo": ["dp_ucb", "dp_se", "adap_ucb"], "eps": [0.5, 1, 2], "horizon": 2e6, "runs": 8}


@pytest.fixture(scope="module")
def right():
    """The table of the sweep on this machine."""
    return csv_after(requested(**SWEEP))


HASTY = "from dpbandits.running import runners; runners.ABSENT = 10; "


def sweep_in(folder, *more, **options):
    return started(*words(**SWEEP), *more, cwd=folder, **options)


def table_of(process, folder):
    """The bytes of the table that a command has written."""
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return (folder / out.splitlines()[-1]).read_bytes()


SHADOW = """import os, sys
open(os.environ["SHADOW"], "w").close()
sys.path.pop(0)
del sys.modules["random"]
import random
"""


@pytest.mark.slow
@pytest.mark.parametrize("safe", [True, False])
def test_workers_import_nothing_from_the_working_folder(tmp_path, monkeypatch, safe):
    if not safe:  # the control
        monkeypatch.setattr(children, "SAFE", "NOTHING")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    get_reusable_executor().shutdown(wait=True)  # workers that were started elsewhere
    (tmp_path / "random.py").write_text(SHADOW)
    monkeypatch.setenv("SHADOW", str(tmp_path / "imported"))
    monkeypatch.chdir(tmp_path)
    with children.without_cwd_imports():
        found = joblib.Parallel(2, backend="loky")(map(joblib.delayed(abs), [-1, -2]))
    assert found == [1, 2]
    get_reusable_executor().shutdown(wait=True)
    assert (tmp_path / "imported").exists() != safe
    assert "PYTHONSAFEPATH" not in os.environ


class Servers:
    """Server processes of a test, each with its log, and a group of its own."""

    def __init__(self, folder, environment=None):
        self.folder, self.environment, self.processes = folder, environment, []

    def start(self, *command):
        log = self.folder / f"{len(self.processes)}.log"
        with open(log, "w") as file:
            to_log = {"stdout": file, "stderr": subprocess.STDOUT, "start_new_session": True}
            process = subprocess.Popen(command, env=self.environment, **to_log)
        self.processes.append(process)
        return process, log

    def stop(self):
        for process in self.processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=30)


def said(process, log, pattern):
    """What a server says when it has started."""
    return until(lambda: re.search(pattern, log.read_text()), process, 120)


class DaskCluster(Servers):
    """A scheduler and two worker processes; a worker that is silent for 10 seconds is given up."""

    def __init__(self, folder):
        super().__init__(folder, {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s"})
        module = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
        self.scheduler, log = self.start(*module, "--host", "127.0.0.1", "--port", "0")
        self.address = said(self.scheduler, log, r"Scheduler at: +(tcp://\S+)")[1]
        self.more = ["runner=dask", f"runner.address={self.address}"]
        self.workers = [self.worker(), self.worker()]

    def worker(self):
        module = [sys.executable, "-m", "distributed.cli.dask_worker", self.address]
        return self.start(*module, "--no-dashboard", "--nthreads", "1", "--no-nanny")[0]


@pytest.fixture
def dask(tmp_path_factory):
    cluster = DaskCluster(tmp_path_factory.mktemp("dask"))
    yield cluster
    cluster.stop()


def complete(request):
    """When the file of each finished setting was written."""
    store, found = RunStore(request.results), {}
    for setting in request.settings:
        if len(store.load(setting)) == request.runs:
            found[store.file(setting)] = store.file(setting).stat().st_mtime_ns
    return found


def in_the_middle(process, folder):
    """Wait until a command has finished a setting; what is complete then."""
    request = requested(folder / "results", **SWEEP)
    until(lambda: complete(request), process)
    return request


def table_despite_a_kill(folder, more, find_worker, environment=None):
    """The bytes of the table; one worker is killed when a setting is finished."""
    process = sweep_in(folder, *more, env=environment)
    request = in_the_middle(process, folder)
    worker = until(lambda: find_worker(psutil.Process(process.pid)), process)
    worker.kill()
    before = complete(request)
    assert len(before) < len(request.settings)  # in the middle
    found = table_of(process, folder)
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE
    after = complete(request)
    assert {file: after[file] for file in before} == before
    assert max(after.values()) > max(before.values())  # control: a later write has a later time
    return found


@pytest.mark.slow
@pytest.mark.extra("distributed")
def test_a_dask_worker_killed_during_the_run_loses_nothing(tmp_path, right, dask):
    worker = psutil.Process(dask.workers[0].pid)
    assert table_despite_a_kill(tmp_path, dask.more, lambda _: worker) == right
    assert dask.workers[1].poll() is None and dask.workers[0].wait() == -signal.SIGKILL


FAULTS = {
    "workers killed": ("workers", signal.SIGKILL, "the cluster has no workers any more"),
    "workers stopped": ("workers", signal.SIGSTOP, "the cluster has no workers any more"),
    "scheduler killed": ("scheduler", signal.SIGKILL, "the scheduler of the cluster has ended"),
    "scheduler stopped": ("scheduler", signal.SIGSTOP, r"the cluster does not answer \(.*\)"),
}


@pytest.mark.long
@pytest.mark.extra("distributed")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_dask_cluster_that_is_lost_is_one_line_and_the_command_resumes(
    tmp_path, right, dask, fault
):
    """A stopped process is, for the others, on the far side of a broken network."""
    who, how, reason = FAULTS[fault]
    process = sweep_in(tmp_path, *dask.more, before=HASTY)
    request = in_the_middle(process, tmp_path)
    for victim in dask.workers if who == "workers" else [dask.scheduler]:
        victim.send_signal(how)
    before = complete(request)
    out, err = process.communicate(timeout=120)
    lines = [line for line in err.splitlines() if line.startswith("bandit-run: ")]
    assert (process.returncode, out) == (1, "") and "Traceback" not in err
    assert len(lines) == 1 and re.fullmatch(
        f"bandit-run: runner.address={dask.address}: {reason}; finished runs are stored, "
        "the same command plays the missing runs",
        lines[0],
    )
    assert before.items() <= complete(request).items() and len(before) < len(request.settings)
    assert table_of(sweep_in(tmp_path), tmp_path) == right
    assert before.items() <= complete(request).items()


@pytest.mark.slow
@pytest.mark.extra("distributed")
def test_a_dask_cluster_on_this_machine_gives_the_same_bytes(tmp_path, right):
    assert table_of(sweep_in(tmp_path, "runner=dask", "jobs=2"), tmp_path) == right


def test_threads_call_functions_and_pass_on_what_they_raise():
    """Each thread takes the next call, and all end with the runner."""
    before, meet = {*threading.enumerate()}, threading.Barrier(2, timeout=20)
    with RUNNERS["threads"](2) as runner:
        both = [runner.submit(lambda x: meet.wait() * 0 + x, i) for i in (4, 5)]
        assert [future.result(20) for future in both] == [4, 5]
        assert isinstance(runner.submit(int, "x").exception(20), ValueError)
        assert isinstance(runner.submit(sys.exit, 3).exception(20), SystemExit)
        own = {*threading.enumerate()} - before
        assert runner.jobs == len(own) == 2
    for thread in own:
        thread.join(20)
        assert not thread.is_alive()


def test_processes_have_one_thread_each_unless_the_user_chose_otherwise(monkeypatch):
    """A process that dies when a function is sent to it gives the future of an error."""
    sent = []

    class Executor:
        def submit(self, function, variables, folder, payload):
            sent.append((variables, folder, pickle.loads(payload)))
            if len(sent) > 1:
                raise BrokenExecutor("died")

    given = {}
    monkeypatch.setattr(
        runners, "get_memmapping_executor", lambda jobs, **own: given.update(own) or Executor()
    )
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    runner = RUNNERS["processes"](2)
    with runner:
        runner.submit(abs, -1)
        assert isinstance(runner.submit(abs, -1).exception(), BrokenExecutor)
    variables, folder, call = sent[0]
    assert variables["OMP_NUM_THREADS"] == "1" and variables["MKL_NUM_THREADS"] == "3"
    assert variables["PYTHONHASHSEED"] == "0" and given["env"].items() <= variables.items()
    assert (folder, call) == (os.getcwd(), (abs, (-1,))) and os.environ["PATH"] == variables["PATH"]


@pytest.fixture
def cluster(monkeypatch):
    """A cluster of Dask that is only imagined: the numbers of its workers at each count, and the
    arguments with which it was reached. A count that is an error is raised.
    """
    found = SimpleNamespace(counts=[2], given=None, closed=False)

    class Client:
        scheduler = SimpleNamespace(ncores=None)

        def __init__(self, **given):
            found.given = given

        def get_executor(self, pure):
            assert not pure  # equal calls are different runs
            return SimpleNamespace(submit=lambda function, *given: function(*given))

        def sync(self, function, callback_timeout):
            count = found.counts.pop(0) if len(found.counts) > 1 else found.counts[0]
            if isinstance(count, Exception):
                raise count
            return {f"worker {i}": 1 for i in range(count)}

        def close(self):
            found.closed = True

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Client))
    monkeypatch.setattr(runners.time, "sleep", lambda seconds: None)
    return found


def test_a_cluster_on_this_machine_has_a_worker_of_one_thread_for_each_job(cluster):
    cluster.counts = [0, 0, 3]  # they appear one after the other
    with RUNNERS["dask"](3) as runner:
        assert (cluster.given["n_workers"], cluster.given["threads_per_worker"]) == (3, 1)
        assert runner.jobs == 3 and runner.where == "runner=dask" and not cluster.closed
        assert runner.submit(abs, -1) == 1 and not runner.is_here
    assert cluster.closed
    with RUNNERS["dask"](3, "tcp://there:1") as runner:
        assert cluster.given["address"] == "tcp://there:1" and "n_workers" not in cluster.given
        assert runner.where == "runner.address=tcp://there:1"


def test_a_cluster_without_workers_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(runners, "FIRST_WORKER_SECONDS", 0.0)
    cluster.counts = [0]
    assert message_of(RUNNERS["dask"], 1) == "runner=dask: the cluster has no workers"


@pytest.mark.parametrize(
    ("count", "reason"),
    [(0, "the cluster has no workers any more"), (OSError("off\nnow"), r"not answer \(off\)$")],
)
def test_a_cluster_is_lost_after_a_minute_without_workers(cluster, monkeypatch, count, reason):
    """A result, or a worker that is seen, begins another minute. Workers are seldom counted."""
    now = [0.0]
    monkeypatch.setattr(runners.time, "monotonic", lambda: now[0])
    runner = RUNNERS["dask"](2)
    for at, counts, came in (
        (1.0, [AssertionError("counted too soon")], False),
        (50.0, [count], False),
        (55.0, [2], False),
        (100.0, [count], False),
        (110.0, [count], True),
        (165.0, [count], False),
    ):
        now[0], cluster.counts = at, counts
        runner.check(came)
    now[0] = 171.0
    with pytest.raises(WorkersLost, match=reason):
        runner.check(False)


@pytest.mark.parametrize("error", [ValueError("one\ntwo"), ValueError("one"), ValueError()])
def test_errors_of_clusters_are_told_in_one_line(error):
    assert runners._first_line(error) == ("one" if error.args else "ValueError")


@pytest.mark.parametrize("change", [-1, 1])
def test_a_process_ends_when_its_parent_is_another_process(monkeypatch, change):
    """Its parent is watched once, however often this is asked for."""
    parent, ends, handlers = os.getpid() + 10**7 * change, [], {}
    parents = iter([parent, parent, parent + change])
    monkeypatch.setattr(children.os, "getppid", lambda: next(parents))
    monkeypatch.setattr(children.os, "_exit", ends.append)
    monkeypatch.setattr(children.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(children.signal, "signal", handlers.__setitem__)
    run_here = lambda target, daemon: SimpleNamespace(start=target)  # noqa: E731
    monkeypatch.setattr(children.threading, "Thread", run_here)
    for _ in range(2):
        children.exit_with_parent(parent)
    assert ends == [1] and set(handlers.values()) == {signal.SIG_IGN}
    assert signal.SIGINT in handlers and signal.SIGTERM not in handlers


@pytest.mark.parametrize("before", [None, "0"])
def test_the_imports_of_children_are_restricted_until_the_last_thread_has_started_them(
    monkeypatch, before
):
    if before is None:
        monkeypatch.delenv(children.SAFE, raising=False)
    else:
        monkeypatch.setenv(children.SAFE, before)
    first, second = children.without_cwd_imports(), children.without_cwd_imports()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert os.environ[children.SAFE] == "1"
    second.__exit__(None, None, None)
    assert os.environ.get(children.SAFE) == before


@pytest.mark.parametrize(("name", "package"), [("dask", "distributed"), ("slurm", "dask_jobqueue")])
def test_a_package_that_is_not_installed_is_reported_in_one_line(monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    line = f"runner={name}: {package} is not installed: pip install 'dpbandits[cluster]'"
    assert message_of(RUNNERS[name], 1) == line


@pytest.mark.slow
def test_clusters_are_imported_only_when_they_are_used(tmp_path):
    code = """if 1:
        import sys
        from dpbandits.cli import run
        sys.argv = ["bandit-run", "algo=ucb", "horizon=10", "runs=1"]
        try: run.main()
        except SystemExit: pass
        print({"distributed", "dask"} & set(sys.modules))"""
    done = captured(sys.executable, "-c", code, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "set()"
