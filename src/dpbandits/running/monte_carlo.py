"""Monte-Carlo runs: play the missing runs of a request, and store finished runs meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from multiprocessing import current_process
from types import MappingProxyType
from typing import Any

import joblib
import pandas as pd

from ..contracts.algorithm import Algorithm
from ..environments.data import Logged
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
from .work import Outcome, Task, Work


def run_request(request: Request) -> tuple[pd.DataFrame, int]:
    """Return the tidy table of a request, and the number of runs that were missing and played.

    The function prints which columns of a log of plays are not used.

    Raises:
        Interrupted: the call was interrupted; the message says where finished runs are stored, or
            how they can be stored.
        BadInput, RunsFailed, CannotWrite, CannotRead, WorkersLost: as in ``play_request``.
    """
    _say_limits(request.settings)
    try:
        found = play_request(request)
    except KeyboardInterrupt as stopped:
        kept = "results=DIR would keep finished runs"
        if request.results is not None:
            kept = f"finished runs are stored in {request.results}"
        raise Interrupted(kept).with_traceback(stopped.__traceback__) from None
    table = Table.of_store(found.store, request.settings, found.runs)
    return replace(table, records=request.records).frame(), found.played


def play_request(request: Request, for_pages: bool = False) -> Played:
    """Play the missing runs of a request; with ``runs=auto``, play until there are enough runs.

    If ``for_pages``, also play the additional runs for the means of a paper's experiment.

    Raises:
        BadInput: the table would be too large, or for the reasons of ``run_settings``.
        RunsFailed, CannotWrite, CannotRead, WorkersLost: for the reasons of ``run_settings``.
    """
    check_size(request)
    store: Store = Memory()
    if request.results is not None:
        _say_once(request.settings, _unfollowed)
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
        BadInput: the cluster does not answer, or NumPy or Numba draw other random numbers.
        WorkersLost: the cluster does not answer any more; finished runs are stored.
        CannotWrite: finished runs cannot be written; runs that were stored before are intact.
        CannotRead: stored runs cannot be read.
    """
    missing = {s: numbers for s in settings if (numbers := _missing(store, s, runs))}
    if not missing:
        return 0
    _say_once(missing, _kernel_hint)
    check_draws()
    broken = _compile(missing) if runner == "local" else {}
    # the missing runs, by the name of their runner and by their setting
    parts: dict[str, dict[Setting, list[int]]] = {}
    for setting, numbers in missing.items():
        if setting not in broken:
            parts.setdefault(_runner_of(setting, backend, runner), {})[setting] = numbers
    sent = parts.get("processes", {})
    renew({s.algo: s.version for s in sent if s.algorithm.file is None})
    jobs = joblib.cpu_count() if jobs < 0 else jobs
    with without_cwd_imports(), ExitStack() as stack:
        reached = [stack.enter_context(RUNNERS[name](jobs, **runner_keys)) for name in parts]
        work = [Work(part, one.jobs) for one, part in zip(reached, parts.values(), strict=True)]
        scheduler = Scheduler(missing, store)
        scheduler.play([*zip(reached, work, strict=True)], broken.values())
    if scheduler.failures:
        raise RunsFailed(scheduler.failures)
    return scheduler.played


def _say_once(settings: Iterable[Setting], note: Callable[[Algorithm], str]) -> None:
    """Print each note that is not empty, once for each algorithm in this process."""
    for algorithm in dict.fromkeys(setting.algorithm for setting in settings):
        if (said := note(algorithm)) and (note, algorithm.name) not in _said:
            _said.add((note, algorithm.name))
            print(f"{algorithm.group}={algorithm.name}: {said}", file=sys.stderr)


def _say_limits(settings: Iterable[Setting]) -> None:
    """Print once which columns of logs of plays are not used, and the limits of promises."""
    for setting in settings:
        instance = data_of(setting).instance
        lines = [f"env={setting.env}: {x}" for x in instance.notes if isinstance(instance, Logged)]
        for line in (*lines, *(f"{setting.algo}: {limit}" for limit in limits_of(setting))):
            if line not in _said:
                _said.add(line)
                print(line, file=sys.stderr)


# The notes that were printed: for algorithms, the function of the note and the name of the
# algorithm; for other notes, the line
_said: set[tuple[Callable[[Algorithm], str], str] | str] = set()


def _unfollowed(algorithm: Algorithm) -> str:
    """Return a note on objects that a user's function uses although ids of runs do not cover them;
    empty if there are none.
    """
    lost = ", ".join(algorithm.unfollowed)
    return lost and f"stored runs are used again even if this changes: {lost}"


def _kernel_hint(algorithm: Algorithm) -> str:
    """Return the hint that ``@kernel`` makes a user's function faster; empty if it does not
    apply.
    """
    if algorithm.compiled or algorithm.of_class:
        return ""
    return "runs as plain Python; the decorator @kernel makes its runs faster"


def _missing(store: Store, setting: Setting, runs: int) -> list[int]:
    """Return the numbers of the runs of a setting that are not stored."""
    try:
        finished = store.finished(setting)
    except Damaged as damage:
        print(f"damaged: {damage}; its runs are played again", file=sys.stderr)
        finished = frozenset()
    return [run for run in range(runs) if run not in finished]


def _compile(missing: Mapping[Setting, Sequence[int]]) -> dict[Setting, Outcome]:
    """Compile the loops of settings, and return an outcome for each setting that cannot be
    compiled.
    """
    compiled = [setting for setting in missing if setting.algorithm.compiled]
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
                broken[setting] = Outcome(Task.of(setting, missing[setting]), {}, trace_of(error))
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
