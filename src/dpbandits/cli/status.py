"""bandit-status: which runs are done, missing, damaged or failed, and the time left."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import joblib
import pandas as pd
from tabulate import tabulate

from ..contracts.question import REGRET, STOPPING
from ..files import RUNS
from ..results.manifest import table_path
from ..results.size import rows_in_words, size_of
from ..running.auto import seconds_of_means
from ..running.failures import in_words
from ..running.status import Status, seconds_left, status_of
from ..settings.request import Request
from ..settings.setting import Setting
from .command import entry_point
from .lines import shortened
from .words import read_requests

MAX_SETTINGS = 40  # settings that are listed one by one
STATES = ("missing", "damaged", "failed")  # states of runs that are not done


@entry_point("status")
def main(given: Namespace) -> int:
    rules = any(word.startswith("rule=") for word in given.words)
    question = STOPPING if rules else REGRET
    requests = read_requests(given.words, given.folders, question, given.multirun)
    print(text_of_status(requests))
    return 0


def preview(requests: Sequence[Request]) -> str:
    """Return a text that describes what some requests would run.

    The text has the settings with the states of their runs, the numbers of rows of the tables, the
    sizes of tables and runs, and the time left.
    """
    lines = [text_of_status(requests)]
    for request in requests:
        size, most = size_of(request.settings, request.most_runs), "at most " * bool(request.auto)
        if (seconds := seconds_of_means(request)) > 0:
            lines.append(f"further runs for the means of the summary: at most {duration(seconds)}")
        lines += [
            f"table: {table_path(request)}, {most}{rows_in_words(size)}",
            f"runs: at most {size.stored / 1e6:.2g} MB in {request.folder / RUNS}",
        ]
    return "\n".join([*lines, "Nothing was run and nothing was written."])


def _found(requests: Sequence[Request]) -> tuple[list[Status], int]:
    """Return the status of each setting of the given requests, and the number of workers."""
    wanted: dict[tuple[Path, Setting], int] = {}
    for r in requests:  # several experiments may contain a setting
        wanted |= {(r.folder, s): max(r.runs, wanted.get((r.folder, s), 0)) for s in r.settings}
    found = [status_of(results, setting, runs) for (results, setting), runs in wanted.items()]
    jobs = requests[0].jobs
    return found, joblib.cpu_count() if jobs < 0 else jobs


def text_of_status(requests: Sequence[Request]) -> str:
    """Return a text: the table of states, the reasons of failures and damage, and the time left.

    With ``runs=auto``, the table is about the runs up to the first check, and the time is the time
    of all runs that may be played.
    """
    found, jobs = _found(requests)
    many = len(found) > MAX_SETTINGS
    names = [f"{s.algo} on {s.env}" if many else in_words(s) for s in (x.setting for x in found)]
    each = [[1, one.done, *(one.left * (one.state == x) for x in STATES)] for one in found]
    columns = ["settings", "done", *STATES]
    counts = pd.DataFrame(each, names, columns).groupby(level=0, sort=False).sum()
    if len(counts) > 1:
        counts.loc["all"] = counts.sum()
    right = ["left", *["right"] * 5]
    head = ["setting", *counts.columns]
    lines = [tabulate(counts.to_records(), head, disable_numparse=True, colalign=right)]
    reasons = dict.fromkeys(f"{in_words(x.setting)}: {x.reason}" for x in found if x.reason)
    lines += shortened(list(reasons), most=MAX_SETTINGS)
    if not any(request.auto for request in requests):
        return "\n".join([*lines, time_left(found, jobs)])
    for request in requests:
        longest, most = math.inf, request.most_runs
        if request.auto is not None:
            longest = request.auto.max_time
            ends = f"; after {request.runs}, only runs that end within max_time={longest:g} seconds"
            ends *= longest < math.inf
            lines.append(f"at most {most:,} runs of each setting (runs=auto){ends}:")
        found, jobs = _found([replace(request, runs=most)])
        lines.append(time_left(found, jobs, request.runs, longest))
    return "\n".join(lines)


def time_left(found: Sequence[Status], jobs: int, first: int = 0, longest: float = math.inf) -> str:
    """Return the time left as text. For ``first`` and ``longest`` see ``seconds_left``."""
    left = sum(one.left for one in found)
    if left == 0:
        return "nothing is left to run"
    least, most = seconds_left(found, jobs, first, longest)
    if math.isnan(most):
        return f"time left: unknown, since no run comparable to some of the {left} runs is finished"
    count = f"{'at most ' * (longest < math.inf)}{left} runs and their table"
    work = f"on {jobs} worker{'s' * (jobs != 1)}, {count}"
    if duration(least) == duration(most):
        return f"time left: about {duration(most)} {work}"
    why = "no run comparable to some of these runs is finished"
    return f"time left: between {duration(least)} and {duration(most)} {work}; {why}"


def duration(seconds: float) -> str:
    """Return a time as text, in the largest unit in which the number is at least 2."""
    for unit, size in {"days": 86_400, "hours": 3600, "minutes": 60}.items():
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{max(1, round(seconds))} s"
