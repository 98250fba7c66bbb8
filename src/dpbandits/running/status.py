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
    """The runs of a setting: finished ones, those still to be played, and why.

    Attributes:
        setting: the setting.
        done: finished runs.
        missing: runs not played yet.
        damaged: runs whose file is damaged, to be played again.
        failed: runs that could not be finished when they were last tried.
        reason: why they could not, or what is damaged; empty if neither.
        seconds: mean time of a finished run, NaN if there is none.
    """

    setting: Setting
    done: int = 0
    missing: int = 0
    damaged: int = 0
    failed: int = 0
    reason: str = ""
    seconds: float = math.nan

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
    done = sum(run in found.pulls for run in range(runs))
    times = list(found.seconds.values())
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
