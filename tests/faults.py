"""Faults for tests/test_faults.py: a process, warmed up once, whose children are killed.

python faults.py kills FOLDER SEED COUNT [careless]    children run a sweep, each is killed
python faults.py writers FOLDER COUNT [careless]       two children keep runs of one cell

Prints what happened as JSON. ``careless`` is the control: no lock, no file of its own to write to.
"""

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

from dpbandits import files
from dpbandits.cli.config.compose import read_request
from dpbandits.cli.run import run
from dpbandits.results import run_store as kept
from dpbandits.results.naming import table_path
from dpbandits.results.run_store import Kept, cell_file, load_runs, read_kept, save_runs
from dpbandits.running import tasks as runner

SWEEP = ["sweep={algo:[ucb,dp_ucb,dp_se,adap_ucb],eps:[0.5,1,2]}", "horizon=2e5", "runs=16"]
LONGEST = 0.12  # seconds that a child lives


def child(work):
    """Do some work in a process of its own group, silently; its number."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        code = work() or 0
    finally:
        os._exit(code)


def in_place(path, content):
    """How a file should not be written."""
    with open(path, "wb") as file:
        for i in range(0, len(content), 512):
            file.write(content[i : i + 512])
            file.flush()
            time.sleep(0.001)


def be_careless():
    kept.locked = files.locked = lambda folder: contextlib.nullcontext(
        folder.mkdir(parents=True, exist_ok=True)
    )
    kept.replace_file = in_place


def on_disk(request):
    """What is kept of every run that is finished."""
    return {
        (i, number): outcome.tobytes()
        for i, cell in enumerate(request.cells)
        for number, outcome in load_runs(request.results, cell).items()
    }


def kills(folder, seed, count):
    chance = random.Random(seed)
    runner.SAVE_EVERY = 0.0  # as much writing as can be
    whole = read_request([*SWEEP, "jobs=1", f"results={folder / 'whole'}"], ())
    assert os.waitpid(child(lambda: run(whole)), 0)[1] == 0
    right = table_path(whole).read_bytes()
    for cell in whole.cells:
        runner.compile_kernel(cell)
    request = read_request([*SWEEP, "jobs=1", f"results={folder / 'killed'}"], ())
    log = folder / "tasks"
    tasks = runner._tasks

    def told(missing, workers):
        numbers = [[request.cells.index(c), r] for c, runs in missing.items() for r in runs]
        part = log.with_suffix(".new")
        part.write_text(json.dumps(numbers))
        part.replace(log)  # whole, before the first is played
        return tasks(missing, workers)

    runner._tasks = told
    found = {"kills": 0, "in_a_write": 0, "lost": 0, "again": 0, "sweeps": 0, "other_bytes": 0}
    before = {}
    while found["kills"] < count or before or found["sweeps"] < 2:
        log.write_text("[]")
        pid = child(lambda: run(request))
        if found["kills"] < count:
            time.sleep(chance.uniform(0, LONGEST))
            os.killpg(pid, signal.SIGKILL) if os.getpgid(pid) == pid else os.kill(pid, 9)
        status = os.waitpid(pid, 0)[1]
        after = on_disk(request)
        found["again"] += len(before.keys() & {tuple(x) for x in json.loads(log.read_text())})
        found["lost"] += sum(after.get(key) != outcome for key, outcome in before.items())
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


def writers(folder, count):
    (cell,) = read_request(["algo=dp_se", "horizon=100", f"results={folder}"], ()).cells

    def write(first):
        for number in range(first, 2 * count, 2):
            save_runs(folder, cell, Kept({number: np.full((2, 5), number)}, {number: 1.0}))

    for pid in [child(lambda first=first: write(first)) for first in (0, 1)]:
        os.waitpid(pid, 0)
    with contextlib.suppress(kept.Damaged):
        return {"lost": 2 * count - len(read_kept(cell_file(folder, cell)).outcomes)}
    return {"lost": 2 * count}


if __name__ == "__main__":
    what, place, *given = sys.argv[1:]
    if given[-1] == "careless":
        be_careless()
        given.pop()
    print(json.dumps({"kills": kills, "writers": writers}[what](Path(place), *map(int, given))))
