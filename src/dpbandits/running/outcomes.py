"""Outcomes of tasks: runs that are finished, runs that have failed, and the death of a worker."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor
from contextlib import nullcontext, suppress
from typing import NamedTuple

from ..compiled import compiled_code
from ..files import locked
from ..results.run_store import Run, Runs
from ..settings.setting import Setting
from .failures import trace_of
from .play import Record, compile_kernel, play, play_many
from .precompile import report_compilation
from .tasks import Task

DEATH = "its worker died: it was killed, ran out of memory, or crashed"


class Outcome(NamedTuple):
    """What has become of a task."""

    task: Task
    played: Mapping[int, Record]  # the records of the runs that were finished
    trace: str = ""  # the traceback of the first run that was not; empty if all were
    stored: frozenset[int] = frozenset()  # runs that another process had stored meanwhile
    seconds: float = 0.0  # how long the task took
    died: bool = False  # whether nothing came back, since the worker died

    @property
    def lost(self) -> tuple[int, ...]:
        """The runs that are not finished."""
        return tuple(r for r in self.task.runs if r not in self.played and r not in self.stored)

    @property
    def seconds_each(self) -> float:
        """How long each run took that was played, an equal share of the time."""
        return self.seconds / max(1, len(self.task.runs) - len(self.stored))

    def as_runs(self) -> Runs:
        """The finished runs, as they are stored."""
        return {run: Run(*record, self.seconds_each) for run, record in self.played.items()}


def died(task: Task, error: BaseException) -> Outcome:
    """The outcome of a task whose worker died, or could not load it: ``error`` came instead."""
    is_death = isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"
    trace = DEATH if is_death else trace_of(error)
    return Outcome(task, {}, trace, died=True)


def finish(task: Task, stored: frozenset[int] = frozenset(), here: bool = True) -> Outcome:
    """What a worker is called with: play the runs of a task that are not ``stored``; if one fails,
    the others are played nevertheless, whatever it raises: Ctrl-C and SIGTERM come to no worker. A
    worker that is not ``here`` compiles what it lacks.
    """
    start, setting = time.perf_counter(), task.setting
    runs = [run for run in task.runs if run not in stored]
    played: dict[int, Record] = {}
    trace = ""
    try:
        _prepare(setting, here)
        with suppress(BaseException):
            played = dict(zip(runs, play_many(setting, runs), strict=True)) if runs else {}
    except BaseException as error:
        runs, trace = [], trace_of(error)
    for run in runs if not played else []:
        try:
            played[run] = play(setting, run)
        except BaseException as error:
            trace = trace or trace_of(error)
    return Outcome(task, played, trace, stored, time.perf_counter() - start)


def _prepare(setting: Setting, here: bool) -> None:
    """Refuse to play an algorithm that was edited since, or that of another installation."""
    if setting.algorithm.version != setting.version:
        raise RuntimeError(
            f"the worker has another version of {setting.algo}, NumPy or Numba: "
            f"{setting.algorithm.version}, but {setting.version} is needed"
        )
    if not here and setting.algorithm.compiled:
        folder = compiled_code().path
        with locked(folder) if folder else nullcontext():  # once on each machine
            report_compilation([setting])
            compile_kernel(setting)
