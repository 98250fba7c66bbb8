"""Estimate the cost of a million settings with a thousand runs each: python benchmarks/plan.py.

A small part is measured on one core and scaled up. The tables are printed and written to
benchmarks/plan.md. The settings are divided into a thousand chunks. Each chunk is one command with
its own table.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from tabulate import tabulate

from dpbandits.contracts.question import REGRET
from dpbandits.results.formats import csv_of
from dpbandits.results.run_store import RunStore, packed
from dpbandits.results.table import Table
from dpbandits.running.monte_carlo import run_settings
from dpbandits.running.play import compile_kernel
from dpbandits.running.work import Outcome, Task, Work
from dpbandits.settings.compose import request_from

SETTINGS, RUNS, CHUNKS = 1_000_000, 1000, 1000
WORKERS = 64
PLAYED = {"adap_klucb": 1000, "dp_se": 1000, "dp_ucb": 40}  # runs of each algorithm played here
SETTINGS_HERE = 20


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def settings_of(algo, count):
    """Return settings of one algorithm that differ only in eps."""
    eps = [float(f"{x:.6g}") for x in np.geomspace(0.1, 10, count)]
    given = {"algo": algo, "env": "bernoulli_c2", "eps": eps, "horizon": 1e7, "checkpoints": 1}
    return request_from(REGRET, given, {}).settings


def measure(algo, runs, store):
    """Return the core-hours and bytes of one algorithm, scaled to all settings."""
    settings = settings_of(algo, SETTINGS_HERE if runs == RUNS else 2)
    count = len(settings)
    compile_kernel(settings[0])
    took = seconds(lambda: run_settings(settings, runs, 1, "threads", store)) / count
    size = np.mean([bytes_of(store.file(setting), store.read(setting)) for setting in settings])
    rows = len(csv_of(Table.of_store(store, settings, runs).frame())) / count
    scale = RUNS / runs
    chunk = settings_of(algo, SETTINGS // CHUNKS)
    work, tasks = Work([Task(setting, tuple(range(RUNS))) for setting in chunk], WORKERS), 0
    while task := work.next_task():
        tasks += 1
        work.complete(task, Outcome({}, seconds=took / runs))
    return [
        f"`{algo}`",
        f"{took / runs * 1e3:,.2f}",
        f"{took * scale * SETTINGS / 3600:,.0f}",
        f"{size / 1e3:,.1f}",
        f"{size * SETTINGS / 1e9:,.1f}",
        f"{rows * scale * SETTINGS / CHUNKS / 1e6:,.0f}",
        f"{tasks:,}",
        f"{took * scale * len(chunk) / tasks:,.1f}",
    ]


def bytes_of(file, found):
    """Return the size in bytes that a file would have with all RUNS runs of its setting."""
    runs = len(found)
    half = runs // 2
    fewer = {run: found[run] for run in range(half)}
    whole, part = len(packed(file.stem, found)), len(packed(file.stem, fewer))
    return whole + (RUNS - runs) * (whole - part) / (runs - half)


def overheads(store):
    """Return the rows of the table of costs apart from playing, in one process: for one setting,
    for a chunk, and for all settings.
    """
    count = SETTINGS // CHUNKS
    made = []
    resolve = seconds(lambda: made.extend(settings_of("dp_se", count))) / count
    look = seconds(lambda: [store.finished(setting) for setting in made]) / count
    finished = settings_of("dp_se", SETTINGS_HERE)
    load = seconds(lambda: [store.load(setting) for setting in finished]) / len(finished)
    table = seconds(lambda: Table.of_store(store, finished, RUNS).frame()) / len(finished)
    rows = {
        "resolve and check a setting": resolve,
        "look for runs that are not stored": look,
        "read stored runs and their checksum": load,
        "make the rows of the table": table,
    }
    return [[name, f"{x * 1e3:.2f}", f"{x * count:.1f}", f"{x * SETTINGS / 3600:.2f}"]
            for name, x in rows.items()]  # fmt: skip


def main():
    with tempfile.TemporaryDirectory() as name:
        store = RunStore(Path(name))
        playing = [measure(algo, runs, store) for algo, runs in PLAYED.items()]
        rest = overheads(store)
    first = ["algorithm", "ms a run", "core-hours", "kB a setting", "GB of runs", "MB a table"]
    head = [*first, f"tasks a chunk, {WORKERS} workers", "seconds a task"]
    right = ["left", *["right"] * 7]
    text = f"The first table shows the costs of the runs of {SETTINGS:,} settings of {RUNS:,} runs "
    text += f"(T = 1e7, K = 5, checkpoints=1) in {CHUNKS:,} chunks, and the second table the other "
    text += "costs:\n\n"
    text += tabulate(playing, head, "pipe", disable_numparse=True, colalign=right)
    head = ["besides", "ms a setting", "seconds a chunk", "hours in all"]
    text += "\n\n" + tabulate(rest, head, "pipe", disable_numparse=True, colalign=right[:4]) + "\n"
    print(text, end="")
    if len(sys.argv) == 1:
        Path(__file__).with_name("plan.md").write_text(text)


if __name__ == "__main__":
    main()
