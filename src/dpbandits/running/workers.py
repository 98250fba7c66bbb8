"""Handing tasks to workers, which may die."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import joblib
from joblib.parallel import get_active_backend

from ..errors import FileTrouble
from ..results.run_store import Damaged, Store
from .play import Record
from .tasks import Outcome, Task

DEATHS = 20  # of workers, after which the rest of a task is given up
Timed = tuple[Outcome, float]  # an outcome, and the seconds that it took


class Workers(NamedTuple):
    """How tasks are handed to workers.

    Attributes:
        jobs: number of workers.
        backend: joblib's backend, None for the active one.
        store: where finished runs are stored.
        finish: finishes a task.
    """

    jobs: int
    backend: str | None
    store: Store
    finish: Callable[[Task], Outcome]

    def outcomes(self, tasks: list[Task]) -> Iterator[Timed]:
        """Finish tasks, in any order. What a worker was doing when it died is done again.

        The tasks that were begun are then finished one at a time: one may kill its worker.
        """
        left = dict.fromkeys(tasks)
        while left:
            try:
                for done in self._handed_out(list(left)):
                    del left[done[0].task]
                    yield done
            except Exception:
                for task in list(left)[: 2 * self.jobs]:  # they are begun in this order
                    del left[task]
                    yield self._halved(task)

    def _halved(self, task: Task) -> Timed:
        """Finish a task alone; where its worker dies, in halves, and halves of these."""
        played: dict[int, Record] = {}
        stored: frozenset[int] = frozenset()
        trace, spent, deaths = "", 0.0, 0
        pieces = [task]
        while pieces and deaths < DEATHS:
            piece = pieces.pop()
            try:
                for outcome, seconds in self._handed_out([piece]):
                    played |= outcome.played
                    stored |= outcome.stored
                    trace, spent = outcome.trace or trace, spent + seconds
            except Exception as error:
                trace, deaths = _death(error), deaths + 1
                half = len(piece.runs) // 2
                if half:
                    halves = piece.runs[half:], piece.runs[:half]
                    pieces += [replace(piece, runs=runs) for runs in halves]
        lost = set(task.runs) - played.keys() - stored
        return Outcome(task, played, trace if lost else "", stored), spent

    def _handed_out(self, tasks: list[Task]) -> Iterator[Timed]:
        if self.jobs == 1 and self.backend == "loky":  # joblib would play them in this process
            for task in tasks:
                yield from self._replace(jobs=2)._handed_out([task])
            return
        calls = (joblib.delayed(_timed)(self.finish, task, self._stored(task)) for task in tasks)
        how = {"n_jobs": self.jobs, "backend": self.backend, "batch_size": 1}
        if get_active_backend()[0].supports_return_generator:
            yield from joblib.Parallel(return_as="generator_unordered", **how)(calls)
            return
        with joblib.Parallel(**how) as parallel:  # Ray's backend returns nothing until the end
            while some := list(islice(calls, 4 * self.jobs)):
                yield from parallel(some)

    def _stored(self, task: Task) -> frozenset[int]:
        """The runs of a task that another process has stored when it is about to be handed out."""
        try:
            return self.store.finished(task.setting) & frozenset(task.runs)
        except (Damaged, FileTrouble):
            return frozenset()


def _timed(finish: Callable[[Task], Outcome], task: Task, stored: frozenset[int]) -> Timed:
    start = time.perf_counter()
    rest = replace(task, runs=tuple(run for run in task.runs if run not in stored))
    _, played, trace, _ = finish(rest) if rest.runs else Outcome(rest, {})
    return Outcome(task, played, trace, stored), time.perf_counter() - start


def _death(error: Exception) -> str:
    if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
        return "its worker died: it was killed, ran out of memory, or crashed"
    return "".join(traceback.format_exception(error))
