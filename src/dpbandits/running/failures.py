"""What failed, and why, in few lines."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping

from ..errors import plain
from ..results.summary import rounds
from ..settings.setting import Unit
from .tasks import Failure

MOST = 20  # lines


def report(name: str, failures: list[Failure]) -> int:
    """Print each trace once, then each setting with its reason; the exit code."""
    for trace in dict.fromkeys(failure.trace for failure in failures):
        print(trace, file=sys.stderr)
    lost: Counter[tuple[str, str]] = Counter()
    for failure in failures:
        lost[in_words(failure.cell), failure.reason] += len(failure.runs)
    told = "finished runs are kept, no table is written"
    print(f"{name}: {counted(sum(lost.values()))} failed; {told}", file=sys.stderr)
    for (setting, reason), runs in list(lost.items())[:MOST]:
        print(f"{name}: failed: {setting}: {reason} ({counted(runs)})", file=sys.stderr)
    if len(lost) > MOST:
        print(f"{name}: failed: {len(lost) - MOST} more; see bandit-status", file=sys.stderr)
    return 1


def report_jobs(name: str, failed: Mapping[str, str]) -> int:
    """Print each job that failed, by the words that are its own, with its reason; the exit code."""
    for words, reason in list(failed.items())[:MOST]:
        print(f"{name}: failed: {words}: {reason}", file=sys.stderr)
    if len(failed) > MOST:
        print(f"{name}: failed: {len(failed) - MOST} more jobs", file=sys.stderr)
    return min(len(failed), 1)


def counted(runs: int) -> str:
    return f"{runs} run{'s' * (runs != 1)}"


def in_words(cell: Unit) -> str:
    """A setting in a few words."""
    eps = [] if math.isinf(cell.eps) else [f"eps {cell.eps:g}"]
    varied = [f"{name} {plain(value)}" for name, value in cell.columns.items()]
    return ", ".join([f"{cell.algo} on {cell.env}", *eps, f"T {rounds(cell.horizon)}", *varied])
