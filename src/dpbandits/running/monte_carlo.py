"""Monte-Carlo runs: one queue of work over all settings; finished runs are stored as they come."""

from __future__ import annotations

import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pandas as pd

from ..errors import FileTrouble
from ..results.run_store import Damaged, Memory, Runs, RunStore, Store
from ..results.tables import tidy
from ..settings.request import Request
from ..settings.setting import Setting
from .backends import HERE, Engine, connected
from .failures import Failure, RunsFailed
from .play import compile_kernel, loop_of
from .precompile import compile_elsewhere
from .progress import progress_bar
from .tasks import Outcome, Task, cut_into_tasks, finish, finish_elsewhere
from .workers import Timed, Workers

SAVE_EVERY = 10.0  # seconds that a finished run of an unfinished setting may wait to be written


def fulfil(request: Request) -> tuple[pd.DataFrame, int]:
    """Run what is missing of a request.

    Returns:
        The tidy table of all its settings, and the number of runs that were played.

    Raises:
        RunsFailed: some runs could not be finished.
        BadInput, CannotWrite, CannotRead: as ``run_settings``.
    """
    store: Store = Memory() if request.results is None else RunStore(request.results)
    played, failures = run_settings(
        request.settings,
        request.runs,
        request.jobs,
        request.backend,
        store,
        Engine(request.runner, request.address),
    )
    if failures:
        raise RunsFailed(failures)
    return tidy(store, request.settings, request.runs), played


def run_settings(
    settings: Sequence[Setting],
    runs: int,
    jobs: int,
    backend: str,
    store: Store,
    engine: Engine = HERE,
) -> tuple[int, list[Failure]]:
    """Run what is missing of each setting and store it.

    Args:
        settings: the settings; each run depends on its setting, seed and number alone.
        runs: independent runs of each setting.
        jobs: workers; -1 for one a core.
        backend: ``threads``, ``processes``, or ``auto``: threads for compiled algorithms,
            processes for plain Python.
        store: where finished runs are stored.
        engine: what hands the work to workers.

    Returns:
        The number of runs played, and the failures.

    Raises:
        BadInput: the engine does not answer.
        CannotWrite: finished runs cannot be written; those stored before are intact.
        CannotRead: stored runs cannot be read.
    """
    missing = {setting: _missing(store, setting, runs) for setting in settings}
    missing = {setting: numbers for setting, numbers in missing.items() if numbers}
    if not missing:
        return 0, []
    with connected(engine, jobs) as workers:
        tasks = cut_into_tasks(missing, workers)
        return _store(_outcomes(tasks, workers, backend, engine, store), tasks, store)


def _missing(store: Store, setting: Setting, runs: int) -> list[int]:
    """The numbers of the runs of a setting that are not stored."""
    try:
        finished = store.finished(setting)
    except Damaged as damage:
        print(f"damaged: {damage}; its runs are played again", file=sys.stderr)
        finished = frozenset()
    return [run for run in range(runs) if run not in finished]


def _outcomes(
    tasks: list[Task], jobs: int, backend: str, engine: Engine, store: Store
) -> Iterator[Timed]:
    """The outcome of each task, in any order."""
    if not engine.is_here:
        yield from Workers(jobs, None, store, finish_elsewhere).outcomes(tasks)
        return
    compiled = [task for task in tasks if task.setting.algorithm.compiled]
    plain = [task for task in tasks if not task.setting.algorithm.compiled]
    first = {loop_of(task.setting.algorithm): task.setting for task in reversed(compiled)}
    compile_elsewhere(list(first.values()))
    for setting in dict.fromkeys(task.setting for task in compiled):
        try:
            compile_kernel(setting)
        except Exception:
            trace = traceback.format_exc()
            lost = [task for task in compiled if task.setting == setting]
            yield from ((Outcome(task, {}, trace), 0.0) for task in lost)
            compiled = [task for task in compiled if task.setting != setting]
    if compiled:
        how = "loky" if backend == "processes" else "threading"
        yield from Workers(jobs, how, store, finish).outcomes(compiled)
    if plain:
        how = "threading" if backend == "threads" else "loky"
        yield from Workers(jobs, how, store, finish).outcomes(plain)


def _store(outcomes: Iterator[Timed], tasks: list[Task], store: Store) -> tuple[int, list[Failure]]:
    """Store outcomes as they come; returns the number of runs played, and the failures."""
    left = Counter(task.setting for task in tasks)
    count = 0
    fresh: dict[Setting, Runs] = {}  # not stored yet
    since: dict[Setting, float] = {}  # when the first of them came
    failures: list[Failure] = []
    failed = set()
    bar = progress_bar(sum(task.cost for task in tasks))
    try:
        for outcome, seconds in outcomes:
            task, setting, now = outcome.task, outcome.task.setting, time.monotonic()
            left[setting] -= 1
            count += len(outcome.played)
            if outcome.trace:
                finished = outcome.played.keys() | outcome.stored
                lost = tuple(run for run in task.runs if run not in finished)
                failures.append(Failure(setting, lost, outcome.trace))
                failed.add(setting)
                store.note_failure(setting, failures[-1].reason)
            if outcome.played:
                fresh[setting] = fresh.get(setting, Runs()) | outcome.as_runs(seconds)
                since.setdefault(setting, now)
            for ripe in [s for s in fresh if left[s] == 0 or now - since[s] >= SAVE_EVERY]:
                store.save(ripe, fresh[ripe])
                del fresh[ripe], since[ripe]
            if left[setting] == 0 and setting not in failed:
                store.forget_failure(setting)
            bar.set_postfix_str(f"{setting.algo} on {setting.env}", refresh=False)
            bar.update(task.cost)
    finally:
        bar.close()
        for setting, runs in fresh.items():  # interrupted
            with suppress(FileTrouble):
                store.save(setting, runs)
    return count, failures
