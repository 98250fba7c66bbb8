"""Where runs are played: on this machine, or by the workers of Dask or Ray."""

from __future__ import annotations

import importlib
import logging
import os
import queue
import socket
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

import joblib

from ..errors import BadInput, ClusterLost

SAFE = "PYTHONSAFEPATH"
PATIENCE = 15  # seconds that a cluster has to answer at first
ANSWER = 60.0  # seconds that it has to answer later, when it may be busy
FIRST = 10.0  # seconds until the first worker is there
REPLACED = 30.0  # seconds until dead workers are replaced, if all have died
QUIET = 2.0  # seconds without a result, after which the workers are counted


@dataclass(frozen=True)
class Engine:
    """What hands out the work."""

    name: str = "local"  # ``local``, ``dask`` or ``ray``
    # of a cluster that runs already; None for one of its own on this machine
    address: str | None = None

    @property
    def is_here(self) -> bool:
        """Whether the work stays in this process and its children."""
        return self.name == "local"

    def package(self, module: str) -> Any:
        """A module that only this engine needs.

        Raises:
            BadInput: it is not installed.
        """
        try:
            return importlib.import_module(module)
        except ImportError:
            extra = f"pip install 'dpbandits[{self.name}]'"
            raise BadInput(
                f"runner={self.name}: {module.partition('.')[0]} is not installed: {extra}"
            ) from None


HERE = Engine()


@contextmanager
def safe_children() -> Iterator[None]:
    """Let Python processes that are started meanwhile import nothing from the working folder.

    ``python -m`` and ``python -c``, with which libraries start workers, would find a ``random.py``
    there before that of Python. The modules of this process can be imported all the same.
    """
    before = os.environ.get(SAFE)
    os.environ[SAFE] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SAFE, None)
        else:
            os.environ[SAFE] = before


@contextmanager
def connected(engine: Engine, jobs: int) -> Iterator[tuple[int, Cluster | None]]:
    """Start or reach the workers of an engine; gives their number, and the cluster, if it is one.

    Raises:
        BadInput: the engine is not installed, or does not answer.
    """
    jobs = joblib.cpu_count() if jobs < 0 else jobs
    with safe_children():
        if engine.is_here:
            yield jobs, None
            return
        cluster: Cluster = (Dask if engine.name == "dask" else Ray)(engine, jobs)
        workers = cluster.workers(FIRST)
        if not workers:
            raise BadInput(f"runner.address={engine.address}: it has no workers")
        yield workers, cluster
        cluster.close()  # an interrupted command still waits for results: its exit closes it


class Cluster(Protocol):
    """Plays tasks elsewhere. What ``submit`` returns is a future of the cluster."""

    def submit(self, function: Callable[..., Any], *given: Any) -> Any:
        """Have a worker call a function; another one does if the worker dies."""

    def finished(self, pending: Collection[Any]) -> Sequence[Any]:
        """Wait until some of these futures are finished.

        Raises:
            ClusterLost: they never will be.
        """

    def result(self, future: Any) -> Any:
        """The result of a finished future, or the error raised in its place."""

    def workers(self, patience: float) -> int:
        """The number of workers, waiting some seconds for the first one."""

    def close(self) -> None:
        """Disconnect, and end what was started."""


class Dask:
    """A cluster of Dask."""

    def __init__(self, engine: Engine, jobs: int):
        distributed = engine.package("distributed")
        own = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
        own |= {"silence_logs": logging.CRITICAL}
        for name in [name for name in logging.root.manager.loggerDict if "distributed" in name]:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._engine = engine
        with _reached(engine):
            where = {"address": engine.address} if engine.address else own
            self._client = distributed.Client(**where, timeout=PATIENCE)
        self._news: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def submit(self, function: Callable[..., Any], *given: Any) -> Any:
        future = self._client.submit(function, *given, pure=False)
        future.add_done_callback(self._news.put)
        return future

    def finished(self, pending: Collection[Any]) -> Sequence[Any]:
        while True:
            with suppress(queue.Empty):
                future = self._news.get(timeout=QUIET)
                if future in pending:
                    return [future]
                continue
            self._check()

    def result(self, future: Any) -> Any:
        while True:
            try:
                return future.result(QUIET)
            except TimeoutError:  # the worker that had the result has died
                self._check()
            except BaseException:
                if future.cancelled():
                    raise _lost(self._engine, "the scheduler is gone") from None
                self._check()
                raise

    def _check(self) -> None:
        if not self.workers(REPLACED):
            raise _lost(self._engine, "it has no workers any more")

    def workers(self, patience: float) -> int:
        end = time.monotonic() + patience
        while True:
            try:
                found = self._client.sync(self._client.scheduler.ncores, callback_timeout=ANSWER)
            except Exception as error:
                raise _lost(self._engine, f"no answer ({_first_line(error)})") from None
            if found or time.monotonic() > end:
                return sum(found.values())
            time.sleep(0.2)

    def close(self) -> None:
        self._client.close()


class Ray:
    """A cluster of Ray."""

    def __init__(self, engine: Engine, jobs: int):
        self._ray = engine.package("ray")
        own = {"num_cpus": jobs, "include_dashboard": False}
        self._engine = engine
        with _reached(engine):
            where = {"address": engine.address} if engine.address else own
            host, _, port = (engine.address or "").rpartition(":")
            if port.isdigit() and "/" not in host:  # where nothing listens Ray waits for minutes
                socket.create_connection((host, int(port)), PATIENCE).close()
            self._ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
        self._call = self._ray.remote(_call)

    def submit(self, function: Callable[..., Any], *given: Any) -> Any:
        return self._call.remote(function, *given)

    def finished(self, pending: Collection[Any]) -> Sequence[Any]:
        while True:
            done, _ = self._ray.wait(list(pending), timeout=QUIET)
            if done:
                return done
            if not self.workers(REPLACED):
                raise _lost(self._engine, "it has no workers any more")

    def result(self, future: Any) -> Any:
        return self._ray.get(future)

    def workers(self, patience: float) -> int:
        end = time.monotonic() + patience
        while True:
            found = int(self._ray.cluster_resources().get("CPU", 0))
            if found or time.monotonic() > end:
                return found
            time.sleep(0.2)

    def close(self) -> None:
        self._ray.shutdown()


def _call(function, *given):
    return function(*given)


def _lost(engine, reason):
    where = f"runner.address={engine.address}" if engine.address else f"runner={engine.name}"
    return ClusterLost(f"{where}: {reason}")


@contextmanager
def _reached(engine):
    """What an engine that is not there raises, in one line."""
    try:
        yield
    except Exception as error:
        if engine.address is None:
            raise
        reason = f"no answer ({_first_line(error)})"
        raise BadInput(f"runner.address={engine.address}: {reason}") from None


def _first_line(error):
    return str(error).splitlines()[0] if str(error) else type(error).__name__
