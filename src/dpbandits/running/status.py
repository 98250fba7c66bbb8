"""Count the finished runs of a setting, and estimate the time until the other runs and the table
are finished.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..results.run_store import Damaged, RunStore
from ..results.tables import rows_of_a_run
from ..settings.setting import Setting
from .work import Task

# Smallest and largest seconds of a singly played round, over the algorithms of the package
ROUND = 1e-8, 5e-7
A_ROW = 1e-5  # seconds in which a row of a table is computed, written and summarized
A_SETTING = 5e-3  # seconds in which the runs of a setting are stored and read again for the table


@dataclass(frozen=True)
class Status:
    """The numbers of finished and unfinished runs of a setting, and why runs are unfinished."""

    setting: Setting
    done: int  # the number of finished runs
    left: int  # the number of runs that are still to be played
    # why runs are left: ``missing`` (they were not played yet), ``damaged`` (their file is
    # damaged), or ``failed`` (they could not be finished when they were last tried)
    state: str = "missing"
    reason: str = ""  # why runs failed, or which file is damaged; empty otherwise
    seconds: float = math.nan  # mean time of a finished run, NaN if there is none


def status_of(results: Path, setting: Setting, runs: int) -> Status:
    """Return the status of a setting in a results folder."""
    store = RunStore(results)
    try:
        found = store.read(setting)
    except Damaged as damage:
        return Status(setting, 0, runs, "damaged", str(damage))
    done = sum(run in found for run in range(runs))
    times = [run.seconds for run in found.values()]
    seconds = sum(times) / len(times) if times else math.nan
    if done < runs and (reason := store.failure(setting)) is not None:
        return Status(setting, done, runs - done, "failed", reason, seconds)
    return Status(setting, done, runs - done, seconds=seconds)


def seconds_left(
    found: Sequence[Status], jobs: int, first: int = 0, longest: float = math.inf
) -> tuple[float, float]:
    """Estimate the smallest and the largest number of seconds until the table of some settings is
    written.

    The estimate is the time of the unfinished runs, divided by the number of workers, plus the time
    for storing runs and writing the table. If a setting has no finished run, its runs are assumed
    to take as long as runs of other settings with the same algorithm and horizon. If there are no
    such runs either, each round is assumed to take between ``ROUND[0]`` and ``ROUND[1]`` seconds;
    for an algorithm in plain Python the estimate is then NaN. If the runs take longer than
    ``longest`` seconds, only the runs that end in this time are played, and the ``first`` runs of
    each setting.
    """
    known = defaultdict(list)
    for one in found:
        if not math.isnan(one.seconds):
            known[one.setting.algo, one.setting.horizon].append(one.seconds)
    every, always = np.zeros(2), np.zeros(2)  # at least and at most
    for one in found:
        if one.left:
            own = [one.seconds] if not math.isnan(one.seconds) else []
            like = own or known[one.setting.algo, one.setting.horizon]
            if like:
                each = np.full(2, sum(like) / len(like))
            else:
                cost = Task(one.setting, (0,)).cost if one.setting.algorithm.compiled else math.nan
                each = cost * np.array(ROUND)
            every += one.left * each / jobs
            always += max(0, min(one.left, first - one.done)) * each / jobs
    played = np.maximum(np.minimum(every, longest), always)
    share = np.divide(played, every, out=np.ones(2), where=every > 0.0)
    rows = sum((one.done + one.left * share) * rows_of_a_run(one.setting) for one in found)
    # quick runs may take longer together with their table, since more of them end in time
    least, most = np.sort(played + rows * A_ROW + len(found) * A_SETTING)
    return float(least), float(most)
