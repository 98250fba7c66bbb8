"""Measure how much CPU time each part of the quick back-end saves, in first and in later runs.

``python benchmarks/backends.py > benchmarks/backends.md`` prints a table.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tabulate import tabulate

PROJECT = Path(__file__).parent.parent
QUICK = PROJECT / "src" / "dpbandits" / "compiled" / "quick"
HORIZONS = {
    "adap_klucb": 10**7,
    "ucb": 10**6,
    "dp_ucb": 10**6,
    "dp_se": 10**7,
    "heldp_ucb_b": 10**6,
}
REPEATS = 3  # the smallest of these measurements is printed
WAYS = {
    "quick": "all of it",
    "c": "without NumPy's C functions",
    "rare": "without rare routines",
    "symbols": "without routines by symbol",
    "plain": "the plain back-end",
}


def child(way, name):
    """Compile and play an algorithm with the back-end ``way``. Print two CPU times in seconds: of
    compiling it, and of eight runs.
    """
    from compile import setting_of

    from dpbandits.running.play import compile_kernel, play_many

    if way in ("c", "rare", "symbols"):
        from dpbandits.compiled.quick import distributions, routines

        if way == "c":
            distributions.compiler = lambda: "plain"
        elif way == "rare":
            routines._link_slot, routines._from_slot = routines._link, routines.declared
        else:
            routines.compiler = lambda: "plain"
    setting = setting_of(name, HORIZONS[name])
    start = time.process_time()
    compile_kernel(setting)
    first, runs = time.process_time() - start, []
    for _ in range(REPEATS):
        start = time.process_time()
        play_many(setting, range(8))
        runs.append(time.process_time() - start)
    print(json.dumps([first, min(runs)]))


def measured(way, name):
    """Return the CPU seconds for compiling an algorithm and for eight runs after that: for both,
    the smallest over several new processes.
    """
    found = []
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as cache:
            backend = "plain" if way == "plain" else "quick"
            own = os.environ | {"NUMBA_CACHE_DIR": cache, "DPBANDITS_COMPILER": backend}
            command = [sys.executable, __file__, "--child", way, name]
            done = subprocess.run(command, env=own, capture_output=True, text=True, check=True)
            found.append(json.loads(done.stdout))
    return [min(x) for x in zip(*found, strict=True)]


def text():
    """Return the table."""
    rows = []
    for way, what in WAYS.items():
        found = [measured(way, name) for name in HORIZONS]
        rows.append([what, *(f"{first:.1f} ({warm * 1e3:.1f})" for first, warm in found)])
    head = ["quick, CPU s (ms)", *(f"`{name}`" for name in HORIZONS)]
    table = tabulate(rows, head, "pipe", disable_numparse=True)
    lines = {f.stem: len(f.read_text().splitlines()) for f in sorted(QUICK.glob("*.py"))}
    return (
        "The table shows the CPU seconds for compiling an algorithm in a new process with an empty "
        "cache and, in parentheses, the CPU milliseconds of eight runs after the compilation (C2, "
        "eps 1, T = 1e6 for `ucb`, `dp_ucb` and `heldp_ucb_b`, and T = 1e7 for the other "
        f"algorithms). Each number is the smallest of {REPEATS} measurements. The first row is the "
        "whole back-end `quick`, and the next rows leave out a part of `quick` "
        "(`python benchmarks/backends.py > benchmarks/backends.md`).\n\n"
        f"{table}\n\n"
        f"Lines of code: {lines['distributions']} for the C functions of NumPy, "
        f"{lines['routines']} for routines by symbol (35 of them for rare routines), and "
        f"{lines['cache']} for the cache.\n"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
    else:
        print(text(), end="")
