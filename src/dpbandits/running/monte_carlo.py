"""Monte-Carlo runs: one queue of work over all settings; finished runs are stored as they come."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from operator import or_

import pandas as pd

from ..errors import FileTrouble
from ..results.run_store import Damaged, Memory, Runs, RunStore, Store
from ..results.size import announce_size, check_size
from ..results.tables import tidy
from ..settings.request import Request
from ..settings.setting import Setting
from .backends import HERE, Cluster, Engine, connected
from .failures import Failure, RunsFailed
from .play import compile_kernel, loop_of
from .precompile import compile_elsewhere, report_compilation
from .progress import progress_bar
from .tasks import Outcome, Work, finish, finish_elsewhere, whole
from .workers import TICK, Background, Workers

SAVE_EVERY = 5.0  # seconds that a finished run of an unfinished setting may wait to be written
BACKLOG = 1.0  # seconds that writing finished settings may take; then no task is handed out
UNKNOWN = 0.1  # seconds that writing a setting is assumed to take before it is measured
PATIENCE = 1.0  # seconds that tasks may go on after an interruption


def fulfil(request: Request) -> tuple[pd.DataFrame, int]:
    """The tidy table of a request, and the number of runs that were missing and played; raises what
    ``play_missing`` raises.
    """
    store, played = play_missing(request)
    return tidy(store, request.settings, request.runs), played


def play_missing(request: Request) -> tuple[Store, int]:
    """Run what is missing of a request.

    Returns:
        The store that has all its runs, and the number of runs that were played.

    Raises:
        RunsFailed: some runs could not be finished.
        BadInput: the table would be too large; or as ``run_settings``.
        CannotWrite, CannotRead: as ``run_settings``.
    """
    check_size(request)
    announce_size(request)
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
    return store, played


def run_settings(
    settings: Sequence[Setting],
    runs: int,
    jobs: int,
    backend: str,
    store: Store,
    engine: Engine = HERE,
) -> tuple[int, list[Failure]]:
    """Run what is missing of each setting and store it; see ``Request`` for the arguments.

    The backend ``auto`` is threads for compiled algorithms, processes for plain Python.

    Returns:
        The number of runs played, and the failures.

    Raises:
        BadInput: the engine does not answer.
        ClusterLost: it does not answer any more; finished runs are stored.
        CannotWrite: finished runs cannot be written; those stored before are intact.
        CannotRead: stored runs cannot be read.
    """
    missing = {setting: _missing(store, setting, runs) for setting in settings}
    missing = {setting: numbers for setting, numbers in missing.items() if numbers}
    if not missing:
        return 0, []
    with connected(engine, jobs) as (workers, cluster):
        broken = _compile(missing) if engine.is_here else {}
        playable = {s: numbers for s, numbers in missing.items() if s not in broken}
        collector = _Collector(missing, store)
        parts = _parts(playable, workers, backend, cluster, store, collector.is_behind)
        background = Background(parts, collector.receive)
        try:
            for setting, trace in broken.items():
                collector.receive(Outcome(whole(setting, missing[setting]), {}, trace), 0.0)
            collector.start()
            background.start()
            for _ in background.wait():
                collector.check()
            collector.close()
        except BaseException:  # raised by the handler of a signal, or because a disk is full
            background.stop(PATIENCE)
            raise
        finally:
            collector.close()  # again: the first time may have been interrupted
        collector.check()
        return collector.played, collector.failures


def _missing(store: Store, setting: Setting, runs: int) -> list[int]:
    """The numbers of the runs of a setting that are not stored."""
    try:
        finished = store.finished(setting)
    except Damaged as damage:
        print(f"damaged: {damage}; its runs are played again", file=sys.stderr)
        finished = frozenset()
    return [run for run in range(runs) if run not in finished]


def _compile(settings: Iterable[Setting]) -> dict[Setting, str]:
    """Compile the loops of settings; returns the tracebacks of those that cannot be compiled."""
    compiled = [setting for setting in settings if setting.algorithm.compiled]
    first = {loop_of(setting.algorithm): setting for setting in reversed(compiled)}
    report_compilation(list(first.values()))
    compile_elsewhere(list(first.values()))
    broken = {}
    for setting in compiled:
        try:
            compile_kernel(setting)
        except Exception:
            broken[setting] = traceback.format_exc()
    return broken


def _parts(
    missing: Mapping[Setting, list[int]],
    jobs: int,
    backend: str,
    cluster: Cluster | None,
    store: Store,
    held: Callable[[], bool],
) -> list[Workers]:
    """The work, and the workers of each part of it."""
    if cluster is not None:
        work = Work(missing, jobs, held)
        return [Workers(work, jobs, "", store, finish_elsewhere, cluster)]
    parts: dict[str, dict[Setting, list[int]]] = {}
    for setting, runs in missing.items():
        threads = setting.algorithm.compiled if backend == "auto" else backend == "threads"
        parts.setdefault("threading" if threads else "loky", {})[setting] = runs
    return [
        Workers(Work(part, jobs, held), jobs, how, store, finish) for how, part in parts.items()
    ]


class _Collector:
    """Receives outcomes, and shows and stores them in a thread of its own.

    The main thread stores nothing: what a signal's handler raises there could break into a write.
    """

    def __init__(self, missing: Mapping[Setting, list[int]], store: Store):
        self.played = 0  # runs
        self.failures: list[Failure] = []
        self._failed: set[Setting] = set()
        self._store = store
        self._left = {setting: len(runs) for setting, runs in missing.items()}
        self._fresh: dict[Setting, list[Runs]] = {setting: [] for setting in missing}  # not stored
        self._since: dict[Setting, float] = {}  # when the first of them came
        self._done, self._shown = 0.0, 0.0
        self._bar = progress_bar(sum(whole(s, runs).cost for s, runs in missing.items()))
        self._finished, self._stored = 0, 0  # settings
        self._each = UNKNOWN  # seconds to store a setting, when last measured
        self._news = threading.Event()
        self._closing = False
        self._error: BaseException | None = None
        self._ended = threading.Event()
        self._ended.set()

    def receive(self, outcome: Outcome, seconds: float) -> None:
        """Take an outcome."""
        task, setting = outcome.task, outcome.task.setting
        if outcome.trace:
            finished = outcome.played.keys() | outcome.stored
            lost = tuple(run for run in task.runs if run not in finished)
            self.failures.append(Failure(setting, lost, outcome.trace))
            self._failed.add(setting)
            self._store.note_failure(setting, self.failures[-1].reason)
        if outcome.played:
            self._fresh[setting].append(outcome.as_runs(seconds))
        self.played += len(outcome.played)
        self._left[setting] -= len(task.runs)
        self._finished += self._left[setting] == 0
        self._since.setdefault(setting, time.monotonic())  # last: now it may be stored
        self._done += task.cost
        self._bar.set_postfix_str(f"{setting.algo} on {setting.env}", refresh=False)
        self._news.set()

    def is_behind(self) -> bool:
        """Whether it would take too long to store the settings that are finished."""
        return (self._finished - self._stored) * self._each > BACKLOG

    def start(self) -> None:
        """Begin to show and to store."""
        self._ended.clear()
        threading.Thread(target=self._keep_storing, daemon=True).start()

    def check(self) -> None:
        """Raise the error that has ended the storing, if any."""
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Store what is left, after an error as far as possible."""
        self._closing = True
        self._news.set()
        self._ended.wait()  # Thread.join would not wait again after an interruption
        self._bar.close()

    def _keep_storing(self) -> None:
        try:
            while not self._closing:
                self._news.wait(TICK)
                self._news.clear()
                self._save(SAVE_EVERY)
            self._save(0.0)
        except BaseException as error:  # raised in the main thread
            self._error = error
            for setting in self._fresh:
                with suppress(FileTrouble):
                    self._store_fresh(setting)
        finally:
            self._ended.set()

    def _save(self, patience: float) -> None:
        """Show the progress; store finished settings, and runs that came some seconds ago."""
        new = self._done - self._shown
        self._shown += new
        self._bar.update(new) if new else self._bar.refresh()
        for setting, since in list(self._since.items()):
            begun = time.monotonic()
            finished = self._left[setting] == 0
            if finished or begun - since >= patience:
                del self._since[setting]
                self._store_fresh(setting)
                if finished and setting not in self._failed:
                    self._store.forget_failure(setting)
                self._stored += finished
                self._each = time.monotonic() - begun

    def _store_fresh(self, setting: Setting) -> None:
        fresh = self._fresh[setting]
        if count := len(fresh):  # more may come meanwhile
            self._store.save(setting, reduce(or_, fresh[:count]))
            del fresh[:count]
