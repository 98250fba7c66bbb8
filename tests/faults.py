"""Faults for tests of running: a process, warmed up once, whose children are killed.

python faults.py kills QUESTION FOLDER SEED COUNT [careless]    children run a sweep, each is killed
python faults.py writers QUESTION FOLDER COUNT [careless]       two children store runs of a setting

Prints what happened as JSON. ``careless`` is the control: files are written in place, without locks.
"""  # noqa: E501

import contextlib
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import numpy as np
from sweeps import report, requested, stored

import dpbandits as dp
from dpbandits import files
from dpbandits.contracts.question import question_named
from dpbandits.results import run_store
from dpbandits.results.naming import table_path
from dpbandits.results.run_store import Damaged, Runs, RunStore
from dpbandits.running import monte_carlo
from dpbandits.running.play import compile_kernel

SWEEPS = {
    "regret": {"algo": ["ucb", "dp_ucb", "dp_se", "adap_ucb"], "horizon": 2e5},
    "stopping": {"rule": ["nas", "dp_nas", "dp_nas_exp"], "rel_error": [0.25, 0.5]},
}
LONGEST = 0.12  # seconds that a child lives


def child(work):
    """Run a function in a silent child process with a process group of its own; returns its id."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        work()
        code = 0
    finally:
        os._exit(code)


def in_place(path, content):
    """Write a file as it should not be written: piece by piece, under its final name."""
    with open(path, "wb") as file:
        for i in range(0, len(content), 512):
            file.write(content[i : i + 512])
            file.flush()
            time.sleep(0.001)


def be_careless():
    run_store.locked = files.locked = lambda folder: contextlib.nullcontext(
        folder.mkdir(parents=True, exist_ok=True)
    )
    run_store.replace_file = in_place


def kills(question, folder, seed, count):
    chance = random.Random(seed)
    monte_carlo.SAVE_EVERY = 0.0  # as many writes as possible
    given = {"eps": [0.5, 1, 2], "runs": 16, "jobs": 1, **SWEEPS[question.name]}
    whole, request = (requested(folder / name, question, **given) for name in ("whole", "killed"))
    assert os.waitpid(child(lambda: report(whole)), 0)[1] == 0
    right = table_path(whole).read_bytes()
    for setting in whole.settings:
        compile_kernel(setting)
    dp.summary(dp.run("ucb", horizon=10, runs=2, jobs=1))  # imports what children would import
    log = folder / "tasks"
    work = monte_carlo.Work

    def logged(missing, workers):
        numbers = [[request.settings.index(s), r] for s, runs in missing.items() for r in runs]
        part = log.with_suffix(".new")
        part.write_text(json.dumps(numbers))
        part.replace(log)  # whole, before the first is played
        return work(missing, workers)

    monte_carlo.Work = logged
    found = {"kills": 0, "in_a_write": 0, "lost": 0, "again": 0, "sweeps": 0, "other_bytes": 0}
    before = {}
    while found["kills"] < count or before or found["sweeps"] < 2:
        log.write_text("[]")
        pid = child(lambda: report(request))
        if found["kills"] < count:
            time.sleep(chance.uniform(0, LONGEST))
            os.killpg(pid, signal.SIGKILL) if os.getpgid(pid) == pid else os.kill(pid, 9)
        status = os.waitpid(pid, 0)[1]
        after = stored(request)
        found["again"] += len(before.keys() & {tuple(x) for x in json.loads(log.read_text())})
        found["lost"] += sum(after.get(key) != content for key, content in before.items())
        found["in_a_write"] += any(request.results.rglob("*.part"))
        before = after
        if status == 0:
            found["sweeps"] += 1
            found["other_bytes"] += table_path(request).read_bytes() != right
            shutil.rmtree(request.results)
            before = {}
        else:
            found["kills"] += os.WIFSIGNALED(status)
    return found


def writers(question, folder, count):
    store, (setting,) = RunStore(folder), requested(folder, question).settings
    pulls = np.zeros((2, 5), int)

    def write(first):
        for run in range(first, 2 * count, 2):
            store.save(setting, Runs({run: pulls + run}, {run: run / 2}, {run: 1.0}))

    for pid in [child(lambda first=first: write(first)) for first in (0, 1)]:
        os.waitpid(pid, 0)
    with contextlib.suppress(Damaged):
        found = store.read(setting)
        right = [r for r, x in found.pulls.items() if (x == r).all() and found.answers[r] == r / 2]
        return {"lost": 2 * count - len(right)}
    return {"lost": 2 * count}


if __name__ == "__main__":
    what, name, place, *numbers = sys.argv[1:]
    if numbers[-1] == "careless":
        be_careless()
        numbers.pop()
    work = {"kills": kills, "writers": writers}[what]
    print(json.dumps(work(question_named(name), Path(place), *map(int, numbers))))
