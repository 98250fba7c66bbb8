"""Workers are started safely; those of Dask give the bytes of one machine and lose nothing."""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress

import joblib
import psutil
import pytest
from commands import captured
from joblib.externals.loky import get_reusable_executor
from refusals import message_of
from sweeps import csv_after, requested, started, until, words

from dpbandits.results.run_store import RunStore
from dpbandits.running import children
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
