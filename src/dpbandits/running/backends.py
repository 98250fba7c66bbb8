"""Where runs are played: on this machine, or by the workers of Dask or Ray."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import joblib

from ..errors import BadInput

SAFE = "PYTHONSAFEPATH"
PATIENCE = 15  # seconds that a cluster has to answer


@dataclass(frozen=True)
class Engine:
    """What hands out the work.

    Attributes:
        name: ``local``, ``dask`` or ``ray``.
        address: of a cluster that runs already; None for one of its own on this machine.
    """

    name: str = "local"
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
def connected(engine: Engine, jobs: int) -> Iterator[int]:
    """Let joblib hand out work through an engine; gives the number of its workers.

    Raises:
        BadInput: the engine is not installed, or does not answer.
    """
    jobs = joblib.cpu_count() if jobs < 0 else jobs
    if engine.is_here:
        with safe_children():
            yield jobs
        return
    with safe_children(), {"dask": _dask, "ray": _ray}[engine.name](engine, jobs):
        try:
            workers = joblib.effective_n_jobs(-1)
        except TimeoutError:
            raise BadInput(f"runner.address={engine.address}: it has no workers") from None
        yield workers


@contextmanager
def _dask(engine, jobs):
    distributed = engine.package("distributed")
    own = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
    own |= {"silence_logs": logging.CRITICAL}
    with _reached(engine):
        where = {"address": engine.address} if engine.address else own
        client = distributed.Client(**where, timeout=PATIENCE)
    with joblib.parallel_config(backend="dask"):
        yield
    client.close()  # after an interruption a thread still waits for results: the exit closes it


@contextmanager
def _ray(engine, jobs):
    ray = engine.package("ray")
    engine.package("ray.util.joblib").register_ray()
    own = {"num_cpus": jobs, "include_dashboard": False}
    with _reached(engine):
        where = {"address": engine.address} if engine.address else own
        ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
    with joblib.parallel_config(backend="ray", n_jobs=-1):
        yield
    ray.shutdown()  # see _dask


@contextmanager
def _reached(engine):
    """What an engine that is not there raises, in one line."""
    try:
        yield
    except Exception as error:
        if engine.address is None:
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadInput(f"runner.address={engine.address}: no answer ({reason})") from None
