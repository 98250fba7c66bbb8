"""What a million settings of a thousand runs each would take: python benchmarks/plan.py.

Measures a small part of it on one core, scales it up, and writes what it prints to
benchmarks/plan.md. The plan is a thousand chunks, each one command with a table of its own.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from tabulate import tabulate

from dpbandits.cli.config.compose import read_request
from dpbandits.results.naming import table_path
from dpbandits.results.run_store import Kept, Shelf, cell_file, load_runs, packed, read_kept
from dpbandits.results.tables import tidy, write_table
from dpbandits.running import tasks as runner
from dpbandits.running.tasks import run_cells

CELLS, RUNS, CHUNKS = 1_000_000, 1000, 1000
WORKERS = 64
ALGORITHMS = {"adap_klucb": 1000, "dp_se": 1000, "dp_ucb": 40}  # runs that are played here
SETTING = ["env=bernoulli_c2", "horizon=1e7", "checkpoints=1"]
CELLS_HERE = 20


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def request(folder, algo, cells):
    eps = ",".join(f"{x:.6g}" for x in np.geomspace(0.1, 10, cells))
    sweep = f"sweep={{algo:[{algo}],eps:[{eps}]}}"
    return read_request([sweep, *SETTING, f"results={folder}"], ())


def measure(algo, runs, folder):
    """Core-hours and files of one algorithm, scaled to all cells."""
    asked = request(folder, algo, CELLS_HERE if runs == RUNS else 2)
    runner.compile_kernel(asked.cells[0])
    took = seconds(lambda: run_cells(asked.cells, runs, 1, "threads", folder)) / len(asked.cells)
    size = np.mean([bytes_of(cell_file(folder, cell), runs) for cell in asked.cells])
    write_table(table_path(asked), tidy(folder, asked.cells, runs))
    rows = table_path(asked).stat().st_size / len(asked.cells)
    scale = RUNS / runs
    chunk = request(folder, algo, CELLS // CHUNKS).cells
    tasks = runner._tasks({cell: list(range(RUNS)) for cell in chunk}, WORKERS)
    return [
        f"`{algo}`",
        f"{took / runs * 1e3:,.2f}",
        f"{took * scale * CELLS / 3600:,.0f}",
        f"{size / 1e3:,.1f}",
        f"{size * CELLS / 1e9:,.1f}",
        f"{rows * scale * CELLS / CHUNKS / 1e6:,.0f}",
        f"{len(tasks):,}",
        f"{took * scale * len(chunk) / len(tasks):,.1f}",
    ]


def bytes_of(file, runs):
    """Size of a cell's file, were all its runs in it."""
    kept, half = read_kept(file), runs // 2
    fewer = Kept({r: kept.outcomes[r] for r in range(half)}, kept.seconds)
    whole, part = len(packed(file.stem, kept)), len(packed(file.stem, fewer))
    return whole + (RUNS - runs) * (whole - part) / (runs - half)


def overheads(folder):
    """What comes on top of playing, in one process, for a cell and for all."""
    count = CELLS // CHUNKS
    made = []
    compose = seconds(lambda: made.extend(request(folder, "dp_se", count).cells)) / count
    look = seconds(lambda: [runner._missing(Shelf(folder), cell, RUNS) for cell in made]) / count
    kept = request(folder, "dp_se", CELLS_HERE).cells
    load = seconds(lambda: [load_runs(folder, cell) for cell in kept]) / len(kept)
    table = seconds(lambda: tidy(folder, kept, RUNS)) / len(kept)
    rows = {
        "compose and check a setting": compose,
        "look for a cell that is not there": look,
        "read a finished cell and its checksum": load,
        "make its rows of the table": table,
    }
    return [[name, f"{x * 1e3:.2f}", f"{x * count:.1f}", f"{x * CELLS / 3600:.2f}"]
            for name, x in rows.items()]  # fmt: skip


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        playing = [measure(algo, runs, folder) for algo, runs in ALGORITHMS.items()]
        rest = overheads(folder)
    first = ["algorithm", "ms a run", "core-hours", "kB a cell", "GB of cells", "MB a table"]
    head = [*first, f"tasks a chunk, {WORKERS} workers", "seconds a task"]
    right = ["left", *["right"] * 7]
    text = f"{CELLS:,} settings of {RUNS:,} runs, T = 1e7, K = 5, checkpoints=1, "
    text += f"in {CHUNKS:,} chunks:\n\n"
    text += tabulate(playing, head, "pipe", disable_numparse=True, colalign=right)
    head = ["besides", "ms a cell", "seconds a chunk", "hours in all"]
    text += "\n\n" + tabulate(rest, head, "pipe", disable_numparse=True, colalign=right[:4]) + "\n"
    print(text, end="")
    if len(sys.argv) == 1:
        Path(__file__).with_name("plan.md").write_text(text)


if __name__ == "__main__":
    main()
