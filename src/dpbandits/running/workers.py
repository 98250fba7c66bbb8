"""Handing tasks to workers, which may die."""

from __future__ import annotations

import math
import os
import queue
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import islice
from multiprocessing.resource_tracker import ensure_running
from typing import Any, NamedTuple

import joblib
from joblib.externals.loky import get_reusable_executor

from ..errors import ClusterLost, FileTrouble
from ..results.run_store import Damaged, Store
from .backends import Cluster
from .play import Record
from .tasks import Outcome, Task, Work

DEATHS = 20  # of workers, after which the rest of a task is given up
TICK = 0.25  # seconds between two looks at what is finished, if no task is
DIED = ("KilledWorker", "NodeDiedError", "OutOfMemoryError", "WorkerCrashedError")  # Dask, Ray
Timed = tuple[Outcome, float]  # an outcome, and the seconds that it took


class Background:
    """A thread that receives the outcomes of workers while the main thread only waits.

    Signals are handled by the main thread: there, a kernel would delay them, and what their
    handlers raise could lose an outcome.
    """

    def __init__(self, parts: Sequence[Workers], receive: Callable[[Outcome, float], None]):
        self._parts = parts
        self._receive = receive
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._ended = True
        self._error: BaseException | None = None

    def start(self) -> None:
        """Start the thread."""
        self._ended = False
        threading.Thread(target=self._gather, daemon=True).start()

    def _gather(self) -> None:
        try:
            if any(part.backend == "loky" for part in self._parts):
                # Processes that this thread starts are deaf to Ctrl-C from their beginning
                ensure_running()  # later it would change the mask
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            for part in self._parts:
                for outcome, seconds in part.outcomes():
                    self._receive(outcome, seconds)
                    self._news.put(None)
        except BaseException as error:  # raised in the main thread
            self._error = error
        self._ended = True
        self._news.put(None)

    def wait(self, seconds: float = math.inf) -> Iterator[None]:
        """Wait for all outcomes; yields after each of them, and several times a second."""
        end = time.monotonic() + seconds
        while not self._ended and time.monotonic() < end:
            with suppress(queue.Empty):
                self._news.get(timeout=TICK)
            yield
        if self._error is not None:
            raise self._error

    def stop(self, patience: float) -> None:
        """Begin no more tasks, and wait some seconds for those that are played.

        Threads that play longer end with their task; processes are killed.
        """
        for part in self._parts:
            part.work.give_up()
        try:
            with suppress(Exception):
                for _ in self.wait(patience):
                    pass
        finally:
            if any(part.backend == "loky" for part in self._parts):
                processes = get_reusable_executor(reuse=True)  # those of joblib
                getattr(processes, "terminate", processes.shutdown)(kill_workers=True)


class Workers(NamedTuple):
    """How tasks are handed to workers."""

    work: Work  # what is to be played
    jobs: int  # number of workers
    backend: str  # the name of joblib's backend
    store: Store  # where finished runs are stored
    finish: Callable[[Task], Outcome]  # finishes a task
    cluster: Cluster | None = None  # plays the tasks in the place of a backend

    def outcomes(self) -> Iterator[Timed]:
        """Finish all tasks, in any order. What a worker was doing when it died is done again.

        The tasks that were begun are then finished one at a time: one may kill its worker.
        """
        begun: dict[Task, None] = {}
        while self.work or begun:
            try:
                for done in self._handed_out(self._noted(begun)):
                    del begun[done[0].task]
                    self.work.learn(*done)
                    yield done
            except ClusterLost:
                raise
            except Exception:
                if not begun:
                    begun.update(dict.fromkeys(islice(self.work, 1)))
            for task in list(begun):
                if self.work.given_up:
                    return
                del begun[task]
                yield self._halved(task)

    def _noted(self, begun: dict[Task, None]) -> Iterator[Task]:
        """The tasks of the work, each noted when it is handed out."""
        for task in self.work:
            begun[task] = None
            yield task

    def _halved(self, task: Task) -> Timed:
        """Finish a task alone; where its worker dies, in halves, and halves of these."""
        played: dict[int, Record] = {}
        stored: frozenset[int] = frozenset()
        trace, spent, deaths = "", 0.0, 0
        pieces = [task]
        while pieces and deaths < DEATHS and not self.work.given_up:
            piece = pieces.pop()
            try:
                for outcome, seconds in self._handed_out([piece]):
                    played |= outcome.played
                    stored |= outcome.stored
                    trace, spent = outcome.trace or trace, spent + seconds
            except ClusterLost:
                raise
            except Exception as error:
                trace, deaths = _death(error), deaths + 1
                half = len(piece.runs) // 2
                if half or deaths == 1:  # a run whose worker has died twice is given up
                    halves = piece.runs[half:], piece.runs[:half]
                    pieces += [replace(piece, runs=runs) for runs in halves if runs]
        lost = set(task.runs) - played.keys() - stored
        return Outcome(task, played, trace if lost else "", stored), spent

    def _handed_out(self, tasks: Iterable[Task]) -> Iterator[Timed]:
        if self.cluster is not None:
            yield from self._sent(tasks, self.cluster)
            return
        loky = self.backend == "loky"
        calls = (
            joblib.delayed(_timed)(self.finish, task, self._stored(task), os.getpid() * loky)
            for task in tasks
        )
        how = {"n_jobs": self.jobs, "backend": self.backend, "batch_size": 1}
        if loky and self.jobs == 1:  # joblib would play them in this process
            how |= {"n_jobs": 2, "pre_dispatch": 1}
        yield from joblib.Parallel(return_as="generator_unordered", **how)(calls)

    def _sent(self, tasks: Iterable[Task], cluster: Cluster) -> Iterator[Timed]:
        """Give a cluster twice as many tasks as it has workers; an error is raised at the end."""
        rest = iter(tasks)
        pending: set[Any] = set()
        errors: list[Exception] = []
        while True:
            for task in islice(rest, 0 if errors else 2 * self.jobs - len(pending)):
                pending.add(cluster.submit(_timed, self.finish, task, self._stored(task), 0))
            if not pending:
                break
            for future in cluster.finished(pending):
                pending.remove(future)
                try:
                    done = cluster.result(future)
                except Exception as error:
                    errors.append(error)
                else:
                    yield done
        if errors:
            raise errors[0]

    def _stored(self, task: Task) -> frozenset[int]:
        """The runs of a task that another process has stored when it is about to be handed out."""
        try:
            return self.store.finished(task.setting) & frozenset(task.runs)
        except (Damaged, FileTrouble):
            return frozenset()


def _timed(
    finish: Callable[[Task], Outcome], task: Task, stored: frozenset[int], parent: int
) -> Timed:
    if parent:
        follow(parent)
    start = time.perf_counter()
    rest = replace(task, runs=tuple(run for run in task.runs if run not in stored))
    _, played, trace, _ = finish(rest) if rest.runs else Outcome(rest, {})
    return Outcome(task, played, trace, stored), time.perf_counter() - start


@cache
def follow(parent: int) -> None:
    """In a process: end soon after its parent, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _death(error: Exception) -> str:
    if isinstance(error, BrokenExecutor) or type(error).__name__ in DIED:
        return "its worker died: it was killed, ran out of memory, or crashed"
    return "".join(traceback.format_exception(error))
