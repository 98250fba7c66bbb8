"""Runners let workers call functions. The workers are threads, processes, or workers of Dask or
Slurm.
"""

from __future__ import annotations

import errno
import importlib
import logging
import os
import pickle
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Future
from multiprocessing.resource_tracker import ensure_running
from queue import SimpleQueue
from typing import Any

from joblib.executor import get_memmapping_executor
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.backend.reduction import dumps

from ..errors import BadInput, WorkersLost, in_a_line
from .children import ended_with_this

IDLE = 300  # seconds after which an idle process of this machine ends
# Environment variables that limit each process to one thread
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Without this variable, the order of a set of texts would differ between processes
HASHES = {"PYTHONHASHSEED": "0"}
PATIENCE = 15  # seconds within which a cluster must give its first answer
FIRST_WORKER_SECONDS = 10.0  # seconds within which a cluster's first worker must appear
QUIET = 2.0  # seconds between two counts of a cluster's workers while no result comes
ABSENT = 60.0  # a cluster counts as lost after this many seconds without a worker or an answer


class Runner:
    """A runner lets workers call functions. A runner is used in a ``with`` statement; at the end of
    the statement the workers end.

    Attributes:
        jobs: number of workers.
        is_here: whether the workers run on this machine.
        where: the keys with which a user chooses the runner.
    """

    is_here = True
    where = "runner=local"

    def __init__(self, jobs: int):
        self.jobs = jobs

    def submit(self, function: Callable[..., Any], *given: Any) -> Future:
        """Let a worker call a function, and return the future of the result.

        If the worker dies or the function raises an exception, the future raises an exception
        instead of giving a result.
        """
        raise NotImplementedError

    def check(self, came: bool) -> None:
        """Check that the workers still exist. ``came`` says whether results have come since the
        last check.

        Raises:
            WorkersLost: no more results will come.
        """

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: Any) -> None:
        """End the workers. After an error, also try to end workers that are still busy."""


class Threads(Runner):
    """Threads of this process. The process can exit without waiting for the threads."""

    def __init__(self, jobs: int):
        super().__init__(jobs)
        self._calls: SimpleQueue[tuple[Future, Callable[..., Any], tuple] | None] = SimpleQueue()
        try:
            for _ in range(jobs):
                threading.Thread(target=self._settle_all, daemon=True).start()
        except RuntimeError:  # Python raises it at a limit of memory or of threads
            self.__exit__(None)
            raise OSError(errno.EAGAIN, f"can't start {jobs} threads") from None

    def submit(self, function: Callable[..., Any], *given: Any) -> Future:
        future: Future = Future()
        self._calls.put((future, function, given))
        return future

    def __exit__(self, *_: Any) -> None:
        for _thread in range(self.jobs):
            self._calls.put(None)

    def _settle_all(self) -> None:
        while (call := self._calls.get()) is not None:
            future, function, given = call
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function(*given))
                except BaseException as error:
                    future.set_exception(error)


class Processes(Runner):
    """Processes on this machine, which joblib starts and which later requests use again.

    The processes have the environment variables and the working folder of the current request.
    """

    def submit(self, function: Callable[..., Any], *given: Any) -> Future:
        own = {name: os.environ.get(name, "1") for name in THREADS} | HASHES
        # joblib's own executor, since a later joblib.Parallel could not use loky's executor again
        processes = get_memmapping_executor(
            self.jobs, timeout=IDLE, env=own, max_nbytes=None, **ended_with_this()
        )
        try:
            payload = bytes(dumps((function, given)))
            return processes.submit(_called, {**os.environ, **own}, self._folder, payload)
        except BrokenExecutor as error:  # a process has just died; the next call starts others
            future: Future = Future()
            future.set_exception(error)
            return future

    def __enter__(self) -> Runner:
        try:
            self._folder: str | None = os.getcwd()
        except OSError:  # it was removed
            self._folder = None
        # a later start of the resource tracker would change the signal mask of another thread
        ensure_running()
        return self

    def __exit__(self, error: type[BaseException] | None, *_: Any) -> None:
        if error is not None:
            get_reusable_executor(reuse=True).shutdown(kill_workers=True)


def _called(variables: Mapping[str, str], folder: str | None, payload: bytes) -> Any:
    """Call a function in a worker process, which first imports the function if necessary."""
    os.environ.clear()
    os.environ.update(variables)
    if folder is not None:
        os.chdir(folder)
    function, given = pickle.loads(payload)
    return function(*given)


# The versions of the functions that workers may have imported, by the function's name
_sent: dict[str, str] = {}


def renew(versions: Mapping[str, str]) -> None:
    """End the worker processes of earlier requests if a user has changed one of the functions with
    these versions.

    The reason is that a process imports the module of a function only once.
    """
    if any(_sent.get(name, version) != version for name, version in versions.items()):
        get_reusable_executor(reuse=True).shutdown(kill_workers=True)
    _sent.update(versions)


class Dask(Runner):
    """Workers of a cluster of Dask. The workers and the scheduler of the cluster may end at any
    time.

    Raises:
        BadInput: a package is not installed, or the cluster does not answer.
    """

    is_here = False
    where = "runner=dask"

    def __init__(self, jobs: int, address: str | None = None):
        distributed = _imported("distributed", "dask")
        self.where = f"runner.address={address}" if address else "runner=dask"
        own = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
        own |= {"silence_logs": logging.CRITICAL}
        where = {"address": address} if address else own
        try:
            client = distributed.Client(**where, timeout=PATIENCE)
        except Exception as error:
            if address is None:
                raise
            raise BadInput(
                f"{self.where}: the cluster does not answer ({_first_line(error)})"
            ) from None
        self._reach(client)

    def _reach(self, client: Any) -> None:
        """Connect to the workers of a client's cluster."""
        for name in [name for name in logging.root.manager.loggerDict if "distributed" in name]:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._client, self._executor = client, client.get_executor(pure=False)
        end = time.monotonic() + FIRST_WORKER_SECONDS
        while not (found := self._workers()) and time.monotonic() < end:
            time.sleep(0.2)
        if not found:
            raise BadInput(f"{self.where}: the cluster has no workers")
        super().__init__(found)
        # the time when workers were last seen, and the time when they were last counted
        self._seen = self._counted = time.monotonic()

    def submit(self, function: Callable[..., Any], *given: Any) -> Future:
        return self._executor.submit(function, *given)

    def _workers(self) -> int:
        """Return the number of workers."""
        scheduler = self._client.scheduler
        return sum(self._client.sync(scheduler.ncores, callback_timeout=QUIET).values())

    def check(self, came: bool) -> None:
        now = time.monotonic()
        if came:
            self._seen = now
        elif now - self._counted > QUIET:
            self._counted, reason = now, "the cluster has no workers any more"
            try:
                self._seen = now if self._workers() else self._seen
            except Exception as error:
                reason = f"the cluster does not answer ({_first_line(error)})"
            if now - self._seen > ABSENT:
                raise WorkersLost(f"{self.where}: {reason}")

    def __exit__(self, error: type[BaseException] | None, *_: Any) -> None:
        if error is None:
            # after an interruption, results may still arrive; then Python's exit closes the client
            self._client.close()


class Slurm(Dask):
    """Jobs of Slurm, one for each worker, which dask-jobqueue submits and cancels."""

    where = "runner=slurm"

    def __init__(self, jobs: int, **keys: Any):
        usual = signal.getsignal(signal.SIGINT)
        jobqueue, distributed = (_imported(x, "slurm") for x in ("dask_jobqueue", "distributed"))
        # dask_jobqueue 0.9 replaces the handler when it is imported
        signal.signal(signal.SIGINT, usual)
        given = {"ntasks": 1, "job-name": "bandit-run", "output": "/dev/null"} | {
            name.replace("_", "-"): value for name, value in keys.items() if value is not None
        }
        own = {"cores": keys["cpus_per_task"], "memory": "1GB", "processes": 1}
        own |= {"job_directives_skip": ["#SBATCH"], "silence_logs": logging.CRITICAL}
        own |= {"job_extra_directives": [f"--{name}={value}" for name, value in given.items()]}
        # the memory limit of Slurm is used, not that of Dask
        own |= {"worker_extra_args": ["--memory-limit", "0"]}
        own |= {"scheduler_options": {"dashboard": False, "dashboard_address": ":0"}}
        self._jobs = jobqueue.SLURMCluster(n_workers=0, **own)
        try:
            self._refuse_bad_jobs()
        except BaseException:
            self._jobs.close()
            raise
        self._jobs.scale(jobs=jobs)
        self._threads = keys["cpus_per_task"]
        self._reach(distributed.Client(self._jobs, timeout=PATIENCE))

    def _refuse_bad_jobs(self) -> None:
        """Ask Slurm whether it would accept a job. Without this check, a refusal by Slurm would
        only appear in the log of Dask.
        """
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
            script.write(self._jobs.job_script())
            script.flush()
            ask = ["sbatch", "--test-only", script.name]
            try:
                tried = subprocess.run(ask, capture_output=True, text=True, timeout=PATIENCE)
                said = tried.stderr if tried.returncode else ""
            except (OSError, subprocess.TimeoutExpired) as error:
                said = f"sbatch: error: {_first_line(error)}"
        if said:
            reason = in_a_line(next((x for x in said.splitlines() if "error" in x), said))
            raise BadInput(f"{self.where}: the jobs cannot be submitted ({reason})")

    def _workers(self) -> int:
        """Return the number of threads in the jobs that run or wait."""
        names = [job.job_id for job in self._jobs.workers.values()]
        ask = ["squeue", "--noheader", "--format=%i", f"--jobs={','.join(names)}"]
        found = subprocess.run(ask, capture_output=True, text=True, timeout=PATIENCE).stdout.split()
        return sum(name in found for name in names) * self._threads

    def __exit__(self, *_: Any) -> None:
        self._client.close()
        self._jobs.close()


def _imported(package: str, runner: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        install = "pip install 'dpbandits[cluster]'"
        raise BadInput(f"runner={runner}: {package} is not installed: {install}") from None


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


RUNNERS: dict[str, Callable[..., Runner]] = {
    "threads": Threads,
    "processes": Processes,
    "dask": Dask,
    "slurm": Slurm,
}
