"""Measure the memory of commands for tables with many rows: python benchmarks/memory.py.

The script writes artificial tables of runs with 200 checkpoints, and each command reads them in a
new process. The results are printed and written to benchmarks/memory.md. A second table has the
times of ``dpbandits.load`` and of computing curves from a file, divided by the time of pandas.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from tabulate import tabulate

import dpbandits as dp
from dpbandits.results.formats import write_pieces
from dpbandits.results.table import Table

ROWS = 100_000, 1_000_000, 18_000_000
HORIZON, CHECKPOINTS, SETTINGS = 10_000_000, 200, 50
LOADED = 3_700_000  # rows of the table in the second measurement
TYPES = {"algo": "category", "env": "category", "setting": "category"} | dict.fromkeys(
    ["eps", "regret"], "float64"
) | dict.fromkeys(["horizon", "seed", "run", "t"], "int64")  # fmt: skip
WAYS = {
    "`pandas.read_csv(FILE, dtype=TYPES)`": lambda file: pd.read_csv(file, dtype=TYPES),
    "`dp.load(FILE)`": dp.load,
    "the mean and interval of each checkpoint": lambda file: Table.of_file(file).curves("ci"),
}
WORDS = {  # commands that read a table; its path replaces FILE
    "`bandit-plot FILE`": ["bandit-plot", "FILE", "x=t", "format=png"],
    "`bandit-plot FILE x=eps`": ["bandit-plot", "FILE", "x=eps", "format=png"],
    "`bandit-compare FILE`": ["bandit-compare", "FILE"],
    "`bandit-report`": ["bandit-report", "results=FOLDER", "out=report.html"],
    "`dp.load(FILE)`": ["python", "-c", "import dpbandits as dp; dp.load('FILE')"],
}


def pieces(rows):
    """Yield the rows of a table of two algorithms, setting by setting."""
    runs = rows // SETTINGS // CHECKPOINTS
    t = np.linspace(1, HORIZON, CHECKPOINTS).astype(int)
    for i in range(SETTINGS):
        algo, eps = ("dp_se", "adap_ucb")[i % 2], float(f"{0.1 * 1.1 ** (i // 2):.6g}")
        size = np.random.default_rng(i).lognormal(size=(runs, 1))
        yield pd.DataFrame(
            {
                "algo": algo, "env": "bernoulli_c2", "eps": eps, "horizon": HORIZON, "seed": 0,
                "setting": f"{i:016x}", "run": np.repeat(np.arange(runs), len(t)),
                "t": np.tile(t, runs), "regret": (size * np.log1p(t) * (1 + 1 / eps)).ravel(),
            }
        )  # fmt: skip


def peak(words, folder):
    """Return the largest memory of a command in MB, and its seconds."""
    start = time.perf_counter()
    path = str(Path(sys.executable).with_name(words[0]))
    process = subprocess.Popen([path, *words[1:]], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, words
    return usage.ru_maxrss / 1e3, time.perf_counter() - start


def measured(rows):
    """Return the memory of each command for a table with this many rows."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "results", "a.csv")
        file.parent.mkdir()
        # in another process, since Linux counts the memory that a process used before it became the
        # command
        subprocess.run([sys.executable, __file__, str(rows), file], check=True)
        for words in WORDS.values():
            given = [
                x.replace("FILE", str(file)).replace("FOLDER", f"{folder}/results") for x in words
            ]
            yield peak(given, folder)


def loading():
    """Return a table with the seconds of each way to read a file (the median of three), and their
    ratio to the seconds of the first way.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.csv")
        write_pieces(file, pieces(LOADED))
        seconds = []
        for _ in range(3):
            for way in WAYS.values():
                start = time.perf_counter()
                way(file)
                seconds.append(time.perf_counter() - start)
    medians = np.median(np.reshape(seconds, (3, -1)), axis=0)
    head = [f"reading {LOADED:,} rows", "seconds", "ratio"]
    rows = zip(WAYS, medians, medians / medians[0], strict=True)
    return tabulate(rows, head, "pipe", floatfmt=("", ".1f", ".2f")) + "\n"


def main(given):
    if given:
        write_pieces(Path(given[1]), pieces(int(given[0])))
        return
    found = [list(measured(rows)) for rows in ROWS]
    head = ["memory in MB (seconds)", *(f"{rows:,} rows" for rows in ROWS)]
    table = [
        [name, *(f"{of_rows[i][0]:,.0f} ({of_rows[i][1]:.0f})" for of_rows in found)]
        for i, name in enumerate(WORDS)
    ]
    text = tabulate(table, head, "pipe", colalign=["left", *["right"] * len(ROWS)]) + "\n"
    text += "\n" + loading()
    print(text, end="")
    Path(__file__).with_name("memory.md").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
