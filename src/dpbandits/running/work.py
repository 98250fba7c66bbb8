"""The runs that are still to be played, cut into tasks while workers ask for them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from ..settings.setting import Setting
from .outcomes import Outcome
from .tasks import Task, whole

_rng = random.Random()  # that of the module is the user's
FIRST, LATER = 0.1, 0.5  # seconds that the first task of a setting and a later one should take
DEATHS = 20  # of workers, without a finished run between, after which a setting is given up


class Work:
    """Runs that are still to be played.

    Settings whose runs are longest come first. A task takes about half a second, as far as can be
    known: the first one of an algorithm is a single run, later ones are sized by the measured time
    of a run. If there is little work, there are about eight tasks a worker.

    Concurrent processes rarely play the same runs: settings of equal cost are shuffled, and the
    runs of a setting begin at a random one.

    If a worker dies, each task that was handed out is suspect and is played once more, while no
    other is; if its worker dies again, its halves are, until the run that kills its worker is
    found.
    """

    def __init__(self, missing: Mapping[Setting, list[int]], workers: int):
        tasks = []
        for setting, runs in missing.items():
            start = _rng.randrange(len(runs))
            tasks.append(whole(setting, runs[start:] + runs[:start]))
        self._share = sum(task.cost for task in tasks) / (8 * workers)
        self._left = sorted(tasks, key=lambda task: (task.cost / len(task.runs), _rng.random()))
        self._suspects: list[Task] = []
        self._handed_out: set[Task] = set()
        self._seconds: dict[Setting | tuple[str, int], float] = {}  # of a run, when last measured
        self._deaths: Counter[Setting] = Counter()  # in succession, while no other task was played

    def hand_out(self) -> Task | None:
        """The next task; None if there is none, or none before others have come back."""
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
        """How many of the runs make a task."""
        setting = rest.setting
        if self._deaths[setting] >= DEATHS:
            return len(rest.runs)
        if setting in self._seconds:
            in_time = LATER / self._seconds[setting]
        else:
            in_time = FIRST / self._seconds.get((setting.algo, setting.horizon), FIRST)
        return max(1, int(min(in_time, self._share * len(rest.runs) / rest.cost)))

    def take_back(self, outcome: Outcome) -> bool:
        """Take the outcome of a task that was handed out; returns whether it is settled, which it
        is not if its runs, or some of them, will be handed out again.

        Later tasks are sized by the time that this one has taken.
        """
        task, setting = outcome.task, outcome.task.setting
        self._handed_out.remove(task)
        if outcome.died:
            return not self._again(task)
        if outcome.played:
            self._deaths.pop(setting, None)
        if len(task.runs) > len(outcome.stored):
            each = max(outcome.seconds_each, 1e-9)
            self._seconds[setting] = each
            self._seconds[setting.algo, setting.horizon] = each
        return True

    def _again(self, task: Task) -> bool:
        """Whether the runs of a task whose worker died are played again, and how."""
        was_alone, half = task.deaths > 0, len(task.runs) // 2
        self._deaths[task.setting] += was_alone
        if self._deaths[task.setting] >= DEATHS or (task.deaths > 1 and not half):
            return False
        pieces = [task.runs[half:], task.runs[:half]] if was_alone else [task.runs]
        self._suspects += [replace(task, runs=x, deaths=task.deaths + 1) for x in pieces if x]
        return True
