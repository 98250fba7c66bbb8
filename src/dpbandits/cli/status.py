"""bandit-status: which runs are done, missing, damaged or failed, and the time left."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Sequence

import joblib
import pandas as pd
from tabulate import tabulate

from ..contracts.question import REGRET, STOPPING
from ..running.failures import in_words
from ..running.status import Status, seconds_left, status_of
from ..settings.user_files import user_folders
from .command import entry_point, takes_folder, takes_multirun
from .words import read_requests

MOST = 40  # settings that are listed one by one
STATES = ("done", "missing", "damaged", "failed")


@entry_point("status", takes_folder, takes_multirun)
def main(given: Namespace) -> int:
    folders = user_folders(given.config_dir)
    rules = any(word.startswith("rule=") for word in given.words)
    question = STOPPING if rules else REGRET
    requests = read_requests(given.words, folders, question, given.multirun)
    wanted = {(r.folder, setting): r.runs for r in requests for setting in r.settings}
    found = [status_of(results, setting, runs) for (results, setting), runs in wanted.items()]
    jobs = requests[0].jobs
    print(report(found, joblib.cpu_count() if jobs < 0 else jobs))
    return 0


def report(found: Sequence[Status], jobs: int) -> str:
    """The table of states, the reasons of failures and damage, and the time left."""
    many = len(found) > MOST
    names = [f"{s.algo} on {s.env}" if many else in_words(s) for s in (x.setting for x in found)]
    each = [[1, *(getattr(one, state) for state in STATES)] for one in found]
    counts = pd.DataFrame(each, names, ["settings", *STATES]).groupby(level=0, sort=False).sum()
    if len(counts) > 1:
        counts.loc["all"] = counts.sum()
    right = ["left", *["right"] * 5]
    head = ["setting", *counts.columns]
    lines = [tabulate(counts.to_records(), head, disable_numparse=True, colalign=right)]
    reasons = dict.fromkeys(f"{in_words(x.setting)}: {x.reason}" for x in found if x.reason)
    lines += list(reasons)[:MOST]
    lines += [f"and {len(reasons) - MOST} more"] if len(reasons) > MOST else []
    return "\n".join([*lines, time_left(found, jobs)])


def time_left(found: Sequence[Status], jobs: int) -> str:
    """The time left in words."""
    left, seconds = sum(one.left for one in found), seconds_left(found)
    if left == 0:
        return "nothing is left to run"
    if math.isnan(seconds):
        return f"time left: not known yet, no run comparable to some of the {left} runs is finished"
    workers = f"{jobs} worker{'s' * (jobs != 1)}"
    return f"time left: about {duration(seconds / jobs)} on {workers}, {left} runs"


def duration(seconds: float) -> str:
    """A time in the largest unit of which it is at least two."""
    for unit, size in {"days": 86_400, "hours": 3600, "minutes": 60}.items():
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{max(1, round(seconds))} s"
