"""What of a sweep is done, and how long the rest will take, from what is kept on disk."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..results.run_store import Damaged, Kept, cell_file, failure_of, read_kept
from ..settings.setting import Unit


@dataclass(frozen=True)
class Progress:
    """The runs of a cell: finished ones, those still to be played, and why.

    Attributes:
        cell: the cell.
        done: finished runs.
        missing: runs not played yet.
        damaged: runs whose file is damaged, to be played again.
        failed: runs that could not be finished when they were last tried.
        reason: why they could not, or what is damaged; empty if neither.
        seconds: mean time of a finished run, NaN if there is none.
    """

    cell: Unit
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


def progress(results: Path, cell: Unit, runs: int) -> Progress:
    """How far a cell is."""
    try:
        kept = read_kept(cell_file(results, cell))
    except Damaged as damage:
        return Progress(cell, damaged=runs, reason=str(damage))
    done = sum(r in kept.outcomes for r in range(runs))
    seconds, reason = _mean(kept), failure_of(results, cell)
    if done < runs and reason is not None:
        return Progress(cell, done, failed=runs - done, reason=reason, seconds=seconds)
    return Progress(cell, done, missing=runs - done, seconds=seconds)


def _mean(kept: Kept) -> float:
    times = list(kept.seconds.values())
    return sum(times) / len(times) if times else math.nan


def seconds_left(found: Sequence[Progress]) -> float:
    """Seconds of work that are left, for one worker; NaN if no run like those left is finished.

    A cell without a finished run is taken to be like the others of its algorithm and horizon.
    """
    known = defaultdict(list)
    for one in found:
        if not math.isnan(one.seconds):
            known[one.cell.algo, one.cell.horizon].append(one.seconds)
    left = 0.0
    for one in found:
        if one.left:
            like = known[one.cell.algo, one.cell.horizon] or [math.nan]
            own = sum(like) / len(like) if math.isnan(one.seconds) else one.seconds
            left += one.left * own
    return left
