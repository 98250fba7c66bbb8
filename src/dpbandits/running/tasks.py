"""Tasks: some runs of a setting that one worker plays, one after the other."""

from __future__ import annotations

import random
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..compiled import compiled_code
from ..environments.blocks import has_no_blocks
from ..files import locked
from ..results.run_store import Runs
from ..settings.setting import Setting
from .play import Record, compile_kernel, play, play_many
from .precompile import report_compilation

FIRST, LATER = 0.1, 0.5  # seconds that the first task of a setting and a later one should take
EPISODIC = 10_000  # rounds that take about as long as an episodic run


@dataclass(frozen=True)
class Task:
    """Some runs of a setting, played one after the other by one worker."""

    setting: Setting
    runs: tuple[int, ...]  # the numbers of the runs
    one_by_one: bool  # whether its running time grows with the horizon

    @property
    def cost(self) -> float:
        """The approximate time that it takes, in rounds played one by one."""
        rounds = self.setting.horizon if self.one_by_one else EPISODIC
        return float(len(self.runs) * min(rounds, self.setting.horizon))


class Outcome(NamedTuple):
    """The result of a task."""

    task: Task
    played: Mapping[int, Record]  # the records of the runs that were finished
    trace: str = ""  # the traceback of the first run that was not; empty if all were
    stored: frozenset[int] = frozenset()  # runs that another process had stored meanwhile

    def as_runs(self, seconds: float) -> Runs:
        """The finished runs, each of which took an equal share of the time."""
        each = seconds / (len(self.task.runs) - len(self.stored))
        return Runs(
            {run: record.pulls for run, record in self.played.items()},
            {run: record.answer for run, record in self.played.items()},
            dict.fromkeys(self.played, each),
        )


def whole(setting: Setting, runs: Sequence[int]) -> Task:
    """The task of all these runs."""
    no_blocks = has_no_blocks(setting.instance.environment)
    return Task(setting, tuple(runs), setting.algorithm.round_by_round or no_blocks)


class Work:
    """Runs that are still to be played, cut into tasks while workers ask for them.

    Settings whose runs are longest come first. A task takes about half a second, as far as can be
    known: the first one of an algorithm is a single run, later ones are sized by the measured time
    of a run. If there is little work, there are about eight tasks a worker.

    Concurrent processes rarely play the same runs: settings of equal cost are shuffled, and the
    runs of a setting begin at a random one. While ``held`` is true, tasks wait to be handed out;
    none are after the work was ``given_up``.
    """

    def __init__(
        self,
        missing: Mapping[Setting, list[int]],
        workers: int,
        held: Callable[[], bool] = lambda: False,
    ):
        tasks = []
        for setting, runs in missing.items():
            start = random.randrange(len(runs))
            tasks.append(whole(setting, runs[start:] + runs[:start]))
        self._share = sum(task.cost for task in tasks) / (8 * workers)
        self._left = sorted(tasks, key=lambda task: (task.cost / len(task.runs), random.random()))
        self._seconds: dict[Setting | tuple[str, int], float] = {}  # of a run, when last measured
        self._lock = threading.Lock()
        self._held = held
        self.given_up = False

    def __bool__(self) -> bool:
        """Whether there are runs that no task has got."""
        return bool(self._left)

    def __iter__(self) -> Iterator[Task]:
        return self

    def __next__(self) -> Task:
        while self._held() and not self.given_up:
            time.sleep(0.01)
        with self._lock:
            if not self._left:
                raise StopIteration
            rest = self._left.pop()
            size = self._size(rest)
            if size < len(rest.runs):
                self._left.append(replace(rest, runs=rest.runs[size:]))
            return replace(rest, runs=rest.runs[:size])

    def _size(self, rest: Task) -> int:
        """How many of the runs make a task."""
        setting = rest.setting
        if setting in self._seconds:
            in_time = LATER / self._seconds[setting]
        else:
            in_time = FIRST / self._seconds.get((setting.algo, setting.horizon), FIRST)
        return max(1, int(min(in_time, self._share * len(rest.runs) / rest.cost)))

    def learn(self, outcome: Outcome, seconds: float) -> None:
        """Size later tasks by the time that one has taken."""
        task = outcome.task
        if played := len(task.runs) - len(outcome.stored):
            each = max(seconds, 1e-9) / played
            self._seconds[task.setting] = each
            self._seconds[task.setting.algo, task.setting.horizon] = each

    def give_up(self) -> None:
        """Hand out no more tasks."""
        with self._lock:
            self.given_up = True
            self._left.clear()


def check_version(setting: Setting) -> None:
    """Refuse to play an algorithm that was edited since, or that of another installation."""
    if setting.algorithm.version != setting.version:
        raise RuntimeError(
            f"the worker has another version of {setting.algo}, NumPy or Numba: "
            f"{setting.algorithm.version}, but {setting.version} is needed"
        )


def finish(task: Task, prepare: Callable[[Setting], None] = check_version) -> Outcome:
    """Play the runs of a task; if one fails, the others are played nevertheless."""
    setting = task.setting
    try:
        prepare(setting)
    except Exception:
        return Outcome(task, {}, traceback.format_exc())
    with suppress(Exception, SystemExit):
        return Outcome(task, dict(zip(task.runs, play_many(setting, task.runs), strict=True)))
    played, trace = {}, ""
    for run in task.runs:
        try:
            played[run] = play(setting, run)
        except (Exception, SystemExit):
            trace = trace or traceback.format_exc()
    return Outcome(task, played, trace)


def finish_elsewhere(task: Task) -> Outcome:
    """Finish a task on a worker of a cluster, which compiles what it lacks."""
    return finish(task, _check_and_compile)


def _check_and_compile(setting: Setting) -> None:
    check_version(setting)
    if setting.algorithm.compiled:
        with locked(compiled_code()):  # once on each machine
            report_compilation([setting])
            compile_kernel(setting)
