"""bandit-status: which runs are done, missing, damaged or failed, and the time left."""

from __future__ import annotations

import math
from argparse import Namespace
from collections import defaultdict
from collections.abc import Sequence

import joblib
from tabulate import tabulate

from ..contracts.question import REGRET, STOPPING
from ..errors import BadInput
from ..running.failures import in_words
from ..running.status import Status, seconds_left, status_of
from ..settings.user_files import user_folders
from .command import entry_point, takes_folder, takes_multirun
from .config.compose import multirun_points, read_request
from .multirun.joint import without_foreign_budgets

MOST = 40  # settings that are listed one by one
STATES = ("done", "missing", "damaged", "failed")


@entry_point("status", takes_folder, takes_multirun)
def main(given: Namespace) -> int:
    folders = user_folders(given.config_dir)
    rules = any(word.startswith("rule=") for word in given.words)
    question = STOPPING if rules else REGRET
    points = [given.words]
    if given.multirun:
        every = list(multirun_points(given.words, folders))
        points = without_foreign_budgets(question, every, folders)
    requests = [read_request(point, folders, question) for point in points]
    if not requests:
        raise BadInput("-m: only Hydra can expand a glob; write the names")
    wanted = {(r.folder, setting): r.runs for r in requests for setting in r.settings}
    found = [status_of(results, setting, runs) for (results, setting), runs in wanted.items()]
    jobs = requests[0].jobs
    print(report(found, joblib.cpu_count() if jobs < 0 else jobs))
    return 0


def report(found: Sequence[Status], jobs: int) -> str:
    """The table of states, the reasons of failures and damage, and the time left."""
    groups = defaultdict(list)
    for one in found:
        name = in_words(one.setting)
        if len(found) > MOST:
            name = f"{one.setting.algo} on {one.setting.env}"
        groups[name].append(one)
    rows = [
        [name, len(group), *(sum(getattr(one, state) for one in group) for state in STATES)]
        for name, group in groups.items()
    ]
    total = ["all", len(found), *(sum(column) for column in list(zip(*rows, strict=True))[2:])]
    head = ["setting", "settings", *STATES]
    rows += [total] if len(rows) > 1 else []
    lines = [tabulate(rows, head, disable_numparse=True, colalign=["left", *["right"] * 5])]
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
