"""Work: the runs that must be played, the tasks into which they are divided, and the outcomes of
tasks.

``Work.complete`` decides what happens after the death of a worker.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from ..environments.blocks import has_no_blocks
from ..results.run_store import Runs
from ..settings.setting import Setting
from .failures import trace_of

# A generator of its own, since the global generator of ``random`` belongs to the user
_rng = random.Random()
EPISODIC = 10_000  # an episodic run takes about as long as this many rounds that are played singly
# seconds that the first task of a setting should take, and that each later task should take
FIRST_TASK_SECONDS, LATER_TASK_SECONDS = 0.1, 0.5
DEATHS = 20  # a setting is given up if this many workers die without a finished run in between
DEATH = "its worker died: it was killed, ran out of memory, or crashed"


@dataclass(frozen=True)
class Task:
    """Some runs of a setting, played one after the other by one worker."""

    setting: Setting
    runs: tuple[int, ...]  # the numbers of the runs
    deaths: int = 0  # the number of workers that have died while they played these runs

    @cached_property
    def cost(self) -> float:
        """The approximate time of the task, in units of a round that is played singly."""
        rounds = self.setting.horizon if is_played_singly(self.setting) else EPISODIC
        return float(len(self.runs) * min(rounds, self.setting.horizon))


def is_played_singly(setting: Setting) -> bool:
    """Return whether rounds are played one by one, so that the time of a run grows with the
    horizon.
    """
    return setting.algorithm.round_by_round or has_no_blocks(setting.instance.environment)


class Outcome(NamedTuple):
    """The result of a task: the finished runs, and the reason why other runs are not finished.

    An outcome does not contain its task, since the task may contain a class of the user's notebook
    or script. Unpickling this class in the main process would replace its methods by copies, which
    would not see later changes of the notebook.
    """

    played: Runs  # the runs that were finished
    trace: str = ""  # the traceback of the first run that failed; empty if no run failed
    stored: frozenset[int] = frozenset()  # runs that another process had stored meanwhile
    seconds: float = 0.0  # the time of each run that was played: an equal share of the task's time
    died: bool = False  # whether the task has no result because the worker died

    @classmethod
    def of_death(cls, error: BaseException) -> Outcome:
        """Return the outcome of a task whose worker died or could not load the task. ``error`` is
        the exception that the runner raised.
        """
        is_death = isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"
        return cls({}, DEATH if is_death else trace_of(error), died=True)


class Work:
    """Runs that are still to be played.

    Settings with the longest runs come first. A task should take about half a second. The first
    task of an algorithm is therefore a single run, and its measured time determines the number of
    runs of later tasks. If there is little work, each worker gets about eight tasks.

    Several processes may play the same request at once. Such processes rarely play the same runs,
    because settings of equal cost are shuffled and each setting begins with a random run.

    If a worker dies, each task that workers had at this time may be the cause. Each of these tasks
    is played once more, while no other task is played. If the worker of such a task dies again, the
    task is divided into halves, which are played in the same way, until the run that kills its
    worker is found. A task with a single run is played three times in total.
    """

    def __init__(self, missing: Iterable[Task], workers: int):
        tasks = []
        for task in missing:
            start = _rng.randrange(len(task.runs))
            tasks.append(replace(task, runs=task.runs[start:] + task.runs[:start]))
        self._share = sum(task.cost for task in tasks) / (8 * workers)
        self._left = sorted(tasks, key=lambda task: (task.cost / len(task.runs), _rng.random()))
        self._suspects: list[Task] = []
        self._handed_out: set[Task] = set()
        # the latest measured seconds of a run, by setting and by (algorithm, horizon)
        self._seconds: dict[Setting | tuple[str, int], float] = {}
        # deaths of workers that played a task alone, since the last finished run of the setting
        self._deaths: Counter[Setting] = Counter()

    def next_task(self) -> Task | None:
        """Return the next task, or None if no task is left or an outcome must arrive first."""
        if self._suspects or any(task.deaths for task in self._handed_out):
            if self._handed_out:
                return None
            task = self._suspects.pop()
        elif self._left:
            rest = self._left.pop()
            size = self._size(rest)
            if size < len(rest.runs):
                self._left.append(replace(rest, runs=rest.runs[size:]))
            task = replace(rest, runs=rest.runs[:size])
        else:
            return None
        self._handed_out.add(task)
        return task

    def _size(self, rest: Task) -> int:
        """Return the number of runs in the next task of a setting."""
        setting, first = rest.setting, FIRST_TASK_SECONDS
        if self._deaths[setting] >= DEATHS:
            return len(rest.runs)
        if setting in self._seconds:
            in_time = LATER_TASK_SECONDS / self._seconds[setting]
        else:
            in_time = first / self._seconds.get((setting.algo, setting.horizon), first)
        return max(1, int(min(in_time, self._share * len(rest.runs) / rest.cost)))

    def complete(self, task: Task, outcome: Outcome) -> bool:
        """Take the outcome of a task that was given out, and return whether the task is settled.

        A task is not settled if some of its runs will be given out again. The time of a task
        determines the size of later tasks.
        """
        setting = task.setting
        self._handed_out.remove(task)
        if outcome.died:
            return not self._again(task)
        if outcome.played:
            self._deaths.pop(setting, None)
        if len(task.runs) > len(outcome.stored):
            each = max(outcome.seconds, 1e-9)
            self._seconds[setting] = each
            self._seconds[setting.algo, setting.horizon] = each
        return True

    def _again(self, task: Task) -> bool:
        """Put the runs of a task whose worker died back into the queue. Return False if the runs
        are given up instead.
        """
        was_suspect, half = task.deaths > 0, len(task.runs) // 2
        self._deaths[task.setting] += was_suspect
        if self._deaths[task.setting] >= DEATHS or (task.deaths > 1 and not half):
            return False
        pieces = [task.runs[half:], task.runs[:half]] if was_suspect else [task.runs]
        self._suspects += [replace(task, runs=x, deaths=task.deaths + 1) for x in pieces if x]
        return True
