"""The scheduler gives tasks to workers, takes their outcomes, stores finished runs, and shows
progress.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import suppress

from ..errors import FileTrouble, WorkersLost
from ..results.run_store import Damaged, Runs, Store
from ..settings.setting import Setting
from .children import ignore_sigint
from .failures import Failure
from .progress import progress_bar
from .runners import Runner
from .work import Outcome, Task, Work
from .worker import run_task

AHEAD = 2  # number of tasks given out for each worker: one is played while the next waits
TICK = 0.25  # seconds between two checks for work to do, if no task ends
SAVE_EVERY = 5.0  # seconds that a finished run of an unfinished setting may wait to be written
PATIENCE = 1.0  # seconds that tasks may go on after an interruption
LOCKED = 5.0  # seconds that the scheduler then waits for folders that other processes have locked


class Scheduler:
    """Plays runs. A separate thread gives tasks to workers and stores runs, while the main thread
    waits.

    The main thread must be free to handle signals such as Ctrl-C. If the scheduler ran in the main
    thread, a kernel would delay signals, and an exception raised by a signal could lose an outcome
    or interrupt the writing of a file.

    Attributes:
        played: number of runs that were played.
        failures: runs that could not be finished.
    """

    def __init__(self, missing: Sequence[Task], store: Store):
        self.played = 0
        self.failures: list[Failure] = []
        self._failed: set[Setting] = set()
        self._store = store
        self._left = {task.setting: len(task.runs) for task in missing}
        # the finished runs that are not stored yet, and the time when the first of them came
        self._fresh: dict[Setting, tuple[Runs, float]] = {}
        self._bar = progress_bar(sum(task.cost for task in missing))
        self._stopping, self._ended = threading.Event(), threading.Event()
        self._error: BaseException | None = None

    def play(self, parts: Sequence[tuple[Runner, Work]], broken: Mapping[Task, str]) -> None:
        """Play all work; each runner plays its own part of the work. ``broken`` has the tracebacks
        of tasks that cannot be played.

        If an exception occurs in the scheduler or comes from a signal, finished runs are stored as
        far as possible before the exception is raised.
        """
        self._thread = threading.Thread(target=self._run, args=(parts, broken), daemon=True)
        try:
            try:
                self._thread.start()
            except RuntimeError as error:  # Python raises it at a limit of memory or of threads
                raise OSError(errno.EAGAIN, str(error)) from None
            self._ended.wait()
        except BaseException as stopped:
            self.stop()
            if isinstance(self._error, FileTrouble):
                stopped.add_note(f"some finished runs are not stored: {self._error}")
            raise
        finally:
            self._bar.close()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Give no more tasks to workers, wait a second for the tasks that are being played, and
        store the finished runs.
        """
        self._store.deadline = time.monotonic() + PATIENCE + LOCKED
        self._stopping.set()
        if self._thread.ident is not None:
            # the thread was started; a thread that starts after this has nothing to do
            self._ended.wait()

    def _run(self, parts: Sequence[tuple[Runner, Work]], broken: Mapping[Task, str]) -> None:
        try:
            with ignore_sigint():
                for task, trace in broken.items():
                    self._take(task, Outcome({}, trace))
                for runner, work in parts:
                    self._play(runner, work)
                self._save(0.0)
        except BaseException as error:  # the main thread raises this error
            self._error = error
            for setting in list(self._fresh):
                with suppress(FileTrouble):
                    self._store_fresh(setting)
        finally:
            self._ended.set()

    def _play(self, runner: Runner, work: Work) -> None:
        pending: dict[Future, Task] = {}
        while not self._stopping.is_set():
            while len(pending) < AHEAD * runner.jobs and (task := work.next_task()):
                stored = self._stored(task)
                pending[runner.submit(run_task, task, stored, runner.is_here)] = task
            if not pending:
                return
            self._receive(runner, work, pending, TICK)
            self._save(SAVE_EVERY)
        if runner.is_here:
            pending = {future: task for future, task in pending.items() if not future.cancel()}
        end = time.monotonic() + PATIENCE
        while pending and (patience := end - time.monotonic()) > 0:
            self._receive(runner, work, pending, patience)

    def _stored(self, task: Task) -> frozenset[int]:
        """Return which runs of a task another process has stored since the tasks were made."""
        try:
            return self._store.finished(task.setting) & frozenset(task.runs)
        except (Damaged, FileTrouble):
            return frozenset()

    def _receive(
        self, runner: Runner, work: Work, pending: dict[Future, Task], seconds: float
    ) -> None:
        """Take the outcomes that have arrived. If no outcome has arrived, wait up to ``seconds``
        for the first outcome.
        """
        done, _ = wait(pending, seconds, FIRST_COMPLETED)
        runner.check(bool(done))
        for future in done:
            task = pending.pop(future)
            try:
                outcome = future.result()
            except CancelledError:
                raise WorkersLost(
                    f"{runner.where}: the scheduler of the cluster has ended"
                ) from None
            except BaseException as error:
                # the error comes from no signal, since only the main thread handles signals
                outcome = Outcome.of_death(error)
            if work.complete(task, outcome):
                self._take(task, outcome)
        self._bar.refresh()

    def _take(self, task: Task, outcome: Outcome) -> None:
        """Add the runs and failures of a task to the results."""
        setting = task.setting
        finished = outcome.played.keys() | outcome.stored
        if lost := tuple(run for run in task.runs if run not in finished):
            self.failures.append(Failure(setting, lost, outcome.trace))
            self._failed.add(setting)
            self._store.note_failure(setting, self.failures[-1].reason)
        runs, _ = self._fresh.setdefault(setting, ({}, time.monotonic()))
        runs |= outcome.played
        self.played += len(outcome.played)
        self._left[setting] -= len(task.runs)
        self._bar.set_postfix_str(f"{setting.algo} on {setting.env}", refresh=False)
        self._bar.update(task.cost)

    def _save(self, patience: float) -> None:
        """Store the runs of finished settings, and runs that arrived at least ``patience`` seconds
        ago.
        """
        for setting, (_, since) in list(self._fresh.items()):
            if self._left[setting] == 0 or time.monotonic() - since >= patience:
                self._store_fresh(setting)

    def _store_fresh(self, setting: Setting) -> None:
        runs, _ = self._fresh[setting]
        if runs:
            self._store.save(setting, runs)
        del self._fresh[setting]
        if self._left[setting] == 0 and setting not in self._failed:
            self._store.forget_failure(setting)
