"""Tasks: some runs of a setting that one worker plays, one after the other."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from ..compiled.cache import compiled_code
from ..environments.blocks import has_no_blocks
from ..files import locked
from ..results.run_store import Runs
from ..settings.setting import Setting
from .play import Record, compile_kernel, play, play_many

LONGEST = 1e9  # rounds of a task, at most some ten seconds: what is lost with its worker
EPISODIC = 10_000  # rounds that take about as long as an episodic run


@dataclass(frozen=True)
class Task:
    """Some runs of a setting, played one after the other by one worker.

    Attributes:
        setting: the setting.
        runs: the numbers of the runs.
        one_by_one: whether its running time grows with the horizon.
    """

    setting: Setting
    runs: tuple[int, ...]
    one_by_one: bool

    @property
    def cost(self) -> float:
        """The approximate time that it takes, in rounds played one by one."""
        rounds = self.setting.horizon if self.one_by_one else EPISODIC
        return float(len(self.runs) * min(rounds, self.setting.horizon))


class Outcome(NamedTuple):
    """The result of a task.

    Attributes:
        task: the task.
        played: the records of the runs that were finished.
        trace: the traceback of the first run that was not; empty if all were.
        stored: runs that another process had stored meanwhile.
    """

    task: Task
    played: Mapping[int, Record]
    trace: str = ""
    stored: frozenset[int] = frozenset()

    def as_runs(self, seconds: float) -> Runs:
        """The finished runs, each of which took an equal share of the time."""
        each = seconds / (len(self.task.runs) - len(self.stored))
        return Runs(
            {run: record.pulls for run, record in self.played.items()},
            {run: record.answer for run, record in self.played.items()},
            dict.fromkeys(self.played, each),
        )


def cut_into_tasks(missing: Mapping[Setting, list[int]], workers: int) -> list[Task]:
    """The work in pieces, longest first: about eight a worker, or more if they would be long.

    Tasks of equal cost are shuffled so that concurrent processes rarely collide: a process does not
    begin a task that another has finished.
    """
    whole = []
    for setting, numbers in missing.items():
        no_blocks = has_no_blocks(setting.instance.environment)
        one_by_one = setting.algorithm.round_by_round or no_blocks
        whole.append(Task(setting, tuple(numbers), one_by_one))
    share = min(sum(task.cost for task in whole) / (8 * workers), LONGEST)
    tasks = []
    for task in whole:
        size = max(1, int(share * len(task.runs) / task.cost))
        for i in range(0, len(task.runs), size):
            tasks.append(Task(task.setting, task.runs[i : i + size], task.one_by_one))
    place = {setting: random.random() for setting in missing}
    return sorted(tasks, key=lambda task: (-task.cost, place[task.setting], random.random()))


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
            compile_kernel(setting)
