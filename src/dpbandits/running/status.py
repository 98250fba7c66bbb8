"""Which runs of a setting are finished, and how long the rest will take."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..results.run_store import Damaged, RunStore
from ..settings.setting import Setting


@dataclass(frozen=True)
class Status:
    """The runs of a setting: finished ones, those still to be played, and why."""

    setting: Setting
    done: int = 0  # finished runs
    missing: int = 0  # runs not played yet
    damaged: int = 0  # runs whose file is damaged, to be played again
    failed: int = 0  # runs that could not be finished when they were last tried
    reason: str = ""  # why they could not, or what is damaged; empty if neither
    seconds: float = math.nan  # mean time of a finished run, NaN if there is none

    @property
    def left(self) -> int:
        """Runs to be played."""
        return self.missing + self.damaged + self.failed


def status_of(results: Path, setting: Setting, runs: int) -> Status:
    """The status of a setting in a results folder."""
    store = RunStore(results)
    try:
        found = store.read(setting)
    except Damaged as damage:
        return Status(setting, damaged=runs, reason=str(damage))
    done = sum(run in found for run in range(runs))
    times = [run.seconds for run in found.values()]
    seconds = sum(times) / len(times) if times else math.nan
    if done < runs and (reason := store.failure(setting)) is not None:
        return Status(setting, done, failed=runs - done, reason=reason, seconds=seconds)
    return Status(setting, done, missing=runs - done, seconds=seconds)


def seconds_left(found: Sequence[Status]) -> float:
    """Seconds of work that are left for one worker; NaN if no comparable run is finished.

    A setting without a finished run is assumed to take as long as the others of its algorithm and
    horizon.
    """
    known = defaultdict(list)
    for one in found:
        if not math.isnan(one.seconds):
            known[one.setting.algo, one.setting.horizon].append(one.seconds)
    left = 0.0
    for one in found:
        if one.left:
            like = known[one.setting.algo, one.setting.horizon] or [math.nan]
            own = sum(like) / len(like) if math.isnan(one.seconds) else one.seconds
            left += one.left * own
    return left
