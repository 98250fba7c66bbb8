"""Workers are started safely; Dask and Ray give the bytes of one machine and lose nothing."""

import os
import re
import signal
import subprocess
import sys
import time

import joblib
import psutil
import pytest
from joblib.externals.loky import get_reusable_executor
from sweeps import COMMAND, csv_after, requested, words

from dpbandits.errors import BadInput
from dpbandits.results.run_store import RunStore
from dpbandits.running import backends
from dpbandits.running.backends import Engine

SWEEP = {"algo": ["dp_ucb", "dp_se", "adap_ucb"], "eps": [0.5, 1, 2], "horizon": 2e6, "runs": 8}


@pytest.fixture(scope="module")
def right():
    """The table of the sweep on this machine."""
    return csv_after(requested(**SWEEP))


def started(folder, *more):
    command = [*COMMAND, *words(**SWEEP), *more]
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, **pipe)


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


@pytest.mark.parametrize("safe", [True, False])
def test_workers_import_nothing_from_the_working_folder(tmp_path, monkeypatch, safe):
    if not safe:  # the control
        monkeypatch.setattr(backends, "SAFE", "NOTHING")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    get_reusable_executor().shutdown(wait=True)  # workers that were started elsewhere
    (tmp_path / "random.py").write_text(SHADOW)
    monkeypatch.setenv("SHADOW", str(tmp_path / "imported"))
    monkeypatch.chdir(tmp_path)
    with backends.connected(backends.HERE, 2):
        assert list(joblib.Parallel(2, backend="loky")(map(joblib.delayed(abs), [-1, -2]))) == [
            1,
            2,
        ]
    get_reusable_executor().shutdown(wait=True)
    assert (tmp_path / "imported").exists() != safe
    assert "PYTHONSAFEPATH" not in os.environ


@pytest.fixture
def dask_cluster():
    """The address of a scheduler, and two worker processes."""
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    scheduler = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    for line in scheduler.stderr:
        found = re.search(r"Scheduler at: +(tcp://\S+)", line)
        if found:
            break
    command = [sys.executable, "-m", "distributed.cli.dask_worker", found[1], "--no-dashboard"]
    command += ["--nthreads", "1", "--no-nanny"]
    workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(2)]
    yield found[1], workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


def complete(request):
    """When the file of each finished setting was written."""
    store, found = RunStore(request.results), {}
    for setting in request.settings:
        if len(store.load(setting).pulls) == request.runs:
            found[store.file(setting)] = store.file(setting).stat().st_mtime_ns
    return found


def table_despite_a_kill(folder, more, find_worker):
    """The bytes of the table; one worker is killed when a setting is finished."""
    request = requested(folder / "results", **SWEEP)
    process = started(folder, *more)
    while not complete(request):
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    worker = find_worker(psutil.Process(process.pid))
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
def test_a_dask_worker_killed_during_the_run_loses_nothing(tmp_path, right, dask_cluster):
    address, workers = dask_cluster
    more = ["runner=dask", f"runner.address={address}"]
    found = table_despite_a_kill(tmp_path, more, lambda _: psutil.Process(workers[0].pid))
    assert found == right
    assert workers[1].poll() is None and workers[0].wait() == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("dask", marks=pytest.mark.extra("distributed")),
        pytest.param("ray", marks=pytest.mark.extra("ray")),
    ],
)
def test_a_cluster_on_this_machine_gives_the_same_bytes(tmp_path, right, name):
    assert table_of(started(tmp_path, f"runner={name}", "jobs=2"), tmp_path) == right


@pytest.mark.slow
@pytest.mark.extra("ray")
def test_a_ray_worker_killed_during_the_run_loses_nothing(tmp_path, right):
    def actor(command):
        found = command.children(recursive=True)
        return next(p for p in found if "PoolActor" in " ".join(p.cmdline()))

    assert table_despite_a_kill(tmp_path, ["runner=ray", "jobs=2"], actor) == right


@pytest.mark.parametrize(("name", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_package_that_is_not_installed_is_reported_in_one_line(monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    line = f"runner={name}: {package} is not installed: pip install 'dpbandits[{name}]'"
    with (
        pytest.raises(BadInput, match=f"^{re.escape(line)}$"),
        backends.connected(Engine(name), 1),
    ):
        pass


def test_clusters_are_imported_only_when_they_are_used(tmp_path):
    code = """if 1:
        import sys
        from dpbandits.cli import run
        sys.argv = ["bandit-run", "algo=ucb", "horizon=10", "runs=1"]
        try: run.main()
        except SystemExit: pass
        print({"distributed", "dask", "ray", "submitit"} & set(sys.modules))"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "set()"
