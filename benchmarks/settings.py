"""Measure the cost of many small settings apart from playing: python benchmarks/settings.py.

Each setting has one run of dp_se with 1,000 rounds and two rows. The settings are run, run again
when everything is stored, and listed by bandit-status. From these times, the times of the commands
for one setting are subtracted. Nothing is subtracted from the memory. Times are converted to a
quiet machine. The results folder is beside this file, on the disk of the checkout. The table is
printed and written to benchmarks/settings.md.
"""

import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from compile import QUIET, importing
from tabulate import tabulate

CALL = "from dpbandits.cli.start import {0}; {0}()"
HERE = Path(__file__).parent
GRIDS = {3000: (3000, 1), 20_000: (2000, 10)}  # numbers of budgets and of horizons
WORDS = ["algo=dp_se", "env=bernoulli_c2", "runs=1", "checkpoints=1", "jobs=1"]
STEPS = {"first": "run", "again": "run", "`bandit-status`": "status"}
REPEATS = {"status": 3}  # the command changes nothing; the smallest cost counts
TARGETS = {"first": 3.0, "again": 1.0, "`bandit-status`": 0.2, "first, wall": 5.0, "MB": 300}


def cost(command, words, answer):
    """Run a command in a child process. Put three numbers into ``answer``: the CPU seconds, the
    seconds that a user waits, and the peak memory in MB.
    """
    call = [sys.executable, "-c", CALL.format(command), *words]
    start = time.perf_counter()
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    waited, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    answer.put((used.ru_utime + used.ru_stime, waited, used.ru_maxrss / 1e3))


def measured(*given):
    answer = multiprocessing.Queue()
    child = multiprocessing.Process(target=cost, args=(*given, answer))
    child.start()
    found = answer.get()
    child.join()
    return found


def costs(count, folder):
    """Return the cost of each step for a number of settings."""
    budgets, horizons = GRIDS.get(count, (1, 1))
    eps = ",".join(f"{x:.6g}" for x in np.geomspace(0.1, 10, budgets))
    T = ",".join(str(1000 + i) for i in range(horizons))
    words = [f"sweep={{eps:[{eps}],horizon:[{T}]}}", *WORDS, f"results={folder}/{count}"]
    return {
        step: min(measured(command, words) for _ in range(REPEATS.get(command, 1)))
        for step, command in STEPS.items()
    }


def file_system():
    """Return the type of the file system on which this file is."""
    command = ["df", "--output=fstype", HERE]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]


def written(rows, imports):
    """Write the table of the rows so far, and return its text. ``imports`` is the time of the
    imports in seconds.
    """
    head = ["settings", *(f"{step}, ms" for step in (*STEPS, "first, wall")), "peak memory, MB"]
    rows = [*rows, ["target", *(f"{x:g}" for x in TARGETS.values())]]
    text = (
        "The table shows the CPU time per setting of a first command, of the same command again,\n"
    )
    text += (
        "and of `bandit-status`. It also shows the time by the clock of the first command (wall),\n"
    )
    text += "and the peak memory of the largest of the three commands:\n\n"
    text += tabulate(rows, head, "pipe", disable_numparse=True, colalign=["right"] * 6)
    text += (
        f"\n\nFile system: {file_system()}. Load average meanwhile: {os.getloadavg()[1]:.1f} on "
    )
    text += f"{os.cpu_count()} cores. Times are given for a machine on which the imports of "
    text += f"benchmarks/compile.py take {QUIET} s; on the machine of the measurement they took "
    text += f"{imports:.2f} s.\n"
    (HERE / "settings.md").write_text(text)
    return text


def main():
    rows, text, imports = [], "", importing()
    with tempfile.TemporaryDirectory(dir=HERE) as folder:
        costs(2, folder)  # compiles the kernel
        alone = costs(1, folder)
        for count in GRIDS:
            found = costs(count, folder)
            more = [found[step][0] - alone[step][0] for step in STEPS]
            more.append(found["first"][1] - alone["first"][1])
            each = [seconds / count * 1e3 * QUIET / imports for seconds in more]
            peak = max(memory for *_, memory in found.values())
            rows.append([f"{count:,}", *(f"{x:.2f}" for x in each), f"{peak:,.0f}"])
            text = written(rows, imports)
    print(text, end="")


if __name__ == "__main__":
    main()
