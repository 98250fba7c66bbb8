"""Monte-Carlo runs: play the missing runs of a request, and store each run when it is finished."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from multiprocessing import current_process
from types import MappingProxyType
from typing import Any

import joblib
import pandas as pd

from ..errors import Interrupted
from ..results.report import Played
from ..results.run_store import Damaged, Memory, RunStore, Store
from ..results.size import announce_size, check_size
from ..results.table import Table
from ..settings.request import Request, limits_of
from ..settings.setting import Setting, data_of
from .auto import means_of_experiment, play_until_enough
from .children import without_cwd_imports
from .draws import check_draws
from .failures import RunsFailed, trace_of
from .play import compile_kernel, loop_of
from .precompile import compile_elsewhere, report_compilation
from .runners import RUNNERS, renew
from .scheduler import Scheduler
from .work import Task, Work


def run_request(request: Request) -> tuple[pd.DataFrame, int]:
    """Return the tidy table of a request, and the number of runs that were missing and played.

    The function prints remarks on the data, such as unused columns, and the limits of privacy
    promises. Each line is printed once per process.

    Raises:
        Interrupted: the user interrupted the call; the message says where finished runs are stored,
            or how to store them next time.
        BadInput, RunsFailed, CannotWrite, CannotRead, WorkersLost: as in ``play_request``.
    """
    for setting in request.settings:
        for note in data_of(setting).instance.notes:
            _say_once(f"env={setting.env}: {note}")
        for limit in limits_of(setting):
            _say_once(f"{setting.algo}: {limit}")
    try:
        found = play_request(request)
    except KeyboardInterrupt as stopped:
        kept = "results=DIR would keep finished runs"
        if request.results is not None:
            kept = f"finished runs are stored in {request.results}"
        raise Interrupted(kept).with_traceback(stopped.__traceback__) from None
    table = Table.of_store(found.store, request.settings, found.runs, request.records)
    return table.frame(), found.played


def play_request(request: Request, for_pages: bool = False) -> Played:
    """Play the missing runs of a request. With ``runs=auto``, play until there are enough runs.

    If ``for_pages``, also play the additional runs for the means of a paper's experiment.

    Raises:
        BadInput: the table would be too large, or see ``run_settings``.
        RunsFailed, CannotWrite, CannotRead, WorkersLost: see ``run_settings``.
    """
    check_size(request)
    store: Store = Memory()
    if request.results is not None:
        for algorithm in (setting.algorithm for setting in request.settings):
            if lost := ", ".join(algorithm.unfollowed):
                reused = f"stored runs are used again even if this changes: {lost}"
                _say_once(f"{algorithm.group}={algorithm.name}: {reused}")
        store = RunStore(request.results)

    def play(settings: Sequence[Setting], runs: int) -> int:
        announce_size(settings, runs)
        how = request.jobs, request.backend, store, request.runner, request.runner_keys
        return run_settings(settings, runs, *how)

    if request.auto is None:
        runs, played = [request.runs] * len(request.settings), play(request.settings, request.runs)
    else:
        runs, played = play_until_enough(request, store, play)
    if not for_pages:
        return Played(store, runs, played)
    means, more = means_of_experiment(request, store, play)
    return Played(store, runs, played + more, means)


def run_settings(
    settings: Sequence[Setting],
    runs: int,
    jobs: int,
    backend: str,
    store: Store,
    runner: str = "local",
    runner_keys: Mapping[str, Any] = MappingProxyType({}),
) -> int:
    """Play the missing runs of each setting and store them; see ``Request`` for the arguments.

    The backend ``auto`` uses threads for compiled algorithms and processes for plain Python. In a
    process of ``multiprocessing.Pool``, which may not start other processes, threads play all runs.

    Returns:
        The number of runs that were played.

    Raises:
        RunsFailed: some runs could not be finished; the other runs are stored.
        BadInput: the cluster does not answer, or NumPy or Numba draw other random numbers than the
            tested versions.
        WorkersLost: the cluster does not answer any more; finished runs are stored.
        CannotWrite: finished runs cannot be written; runs that were stored before are intact.
        CannotRead: stored runs cannot be read.
    """
    every = [Task(setting, _missing(store, setting, runs)) for setting in dict.fromkeys(settings)]
    missing = [task for task in every if task.runs]
    if not missing:
        return 0
    for algorithm in (task.setting.algorithm for task in missing):
        if not (algorithm.compiled or algorithm.of_class):
            hint = "runs as plain Python; the decorator @kernel makes its runs faster"
            _say_once(f"{algorithm.group}={algorithm.name}: {hint}")
    check_draws()
    broken = _compile(task.setting for task in missing) if runner == "local" else {}
    parts: dict[str, list[Task]] = {}  # the missing runs, by the name of their runner
    for task in missing:
        if task.setting not in broken:
            parts.setdefault(_runner_of(task.setting, backend, runner), []).append(task)
    sent = [task.setting for task in parts.get("processes", ())]
    renew({s.algo: s.version for s in sent if s.algorithm.file is None})
    jobs = joblib.cpu_count() if jobs < 0 else jobs
    with without_cwd_imports(), ExitStack() as stack:
        reached = [stack.enter_context(RUNNERS[name](jobs, **runner_keys)) for name in parts]
        work = [Work(part, one.jobs) for one, part in zip(reached, parts.values(), strict=True)]
        scheduler = Scheduler(missing, store)
        lost = {task: broken[task.setting] for task in missing if task.setting in broken}
        scheduler.play([*zip(reached, work, strict=True)], lost)
    if scheduler.failures:
        raise RunsFailed(scheduler.failures)
    return scheduler.played


_said: set[str] = set()  # the lines that were printed


def _say_once(line: str) -> None:
    """Print a line, once in this process."""
    if line not in _said:
        _said.add(line)
        print(line, file=sys.stderr)


def _missing(store: Store, setting: Setting, runs: int) -> tuple[int, ...]:
    """Return the numbers of the runs of a setting that are not stored."""
    try:
        finished = store.finished(setting)
    except Damaged as damage:
        print(f"damaged: {damage}; its runs are played again", file=sys.stderr)
        finished = frozenset()
    return tuple(run for run in range(runs) if run not in finished)


def _compile(settings: Iterable[Setting]) -> dict[Setting, str]:
    """Compile the loops of settings. Return a traceback for each setting that does not compile."""
    compiled = [setting for setting in settings if setting.algorithm.compiled]
    first = {loop_of(setting.algorithm): setting for setting in reversed(compiled)}
    report_compilation(list(first.values()))
    compile_elsewhere(list(first.values()))
    broken = {}
    for setting in compiled:
        try:
            compile_kernel(setting)
        except BaseException as error:
            compiles = loop_of(setting.algorithm).is_compiled
            if isinstance(error, KeyboardInterrupt) and (error.args or not compiles):
                # from a signal: an algorithm can raise KeyboardInterrupt only after it is compiled
                raise
            if not compiles:
                broken[setting] = trace_of(error)
    return broken


def _runner_of(setting: Setting, backend: str, runner: str) -> str:
    if runner != "local":
        return runner
    if current_process().daemon:
        # this is a process of multiprocessing.Pool, which may not start processes
        return "threads"
    if backend != "auto":
        return backend
    return "threads" if setting.algorithm.compiled else "processes"
