"""Measure time and memory of two calls of make figures: python benchmarks/figures.py [FOLDER].

Before the first call there are no stored runs and no compiled code; before the second call there
are both. The table has the time of the processors and the time by the clock, whose difference shows
whether other programs used the processors. Without FOLDER, a temporary folder is used. The table is
printed and written to benchmarks/figures.md. The script needs psutil, which make test installs.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext, suppress
from pathlib import Path

import psutil
from tabulate import tabulate

PROJECT = Path(__file__).parent.parent
OF_CONTEXTS = "private_contexts", "shariff2018"
MINUTES, MEGABYTES, THETAS = 15, 1000, 20  # targets; THETAS: runs of each theta
LARGE = 0.2  # idle share of the processors' time above which a sentence says so


def make_figures(folder):
    """Run ``make figures``. Return its seconds by the clock, the seconds of the processors, and its
    largest sampled memory in MB. Memory that processes share counts once: a process that starts
    another shares all its memory with it for a moment.
    """
    command = ["make", "figures", f"RESULTS={folder}/results", f"VENV={sys.prefix}"]
    command += ["-o", f"{sys.prefix}/.installed"]
    home = {"NUMBA_CACHE_DIR": f"{folder}/compiled", "MPLCONFIGDIR": f"{folder}/fonts"}
    start, before = time.monotonic(), processors()
    make = psutil.Popen(command, cwd=PROJECT, env=os.environ | home, stdout=subprocess.DEVNULL)
    peak = 0
    while make.poll() is None:
        with suppress(psutil.NoSuchProcess):
            family = [make, *make.children(recursive=True)]
            peak = max(peak, sum(process.memory_full_info().pss for process in family))
        time.sleep(0.1)
    if make.returncode:
        sys.exit("make figures failed")
    return time.monotonic() - start, processors() - before, peak / 1e6


def processors():
    """Return the CPU seconds of ended child processes and of their child processes."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def clock(seconds):
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes:.0f} min {seconds:.0f} s" if minutes else f"{seconds:.1f} s"


def main():
    given = nullcontext(sys.argv[1]) if len(sys.argv) > 1 else tempfile.TemporaryDirectory()
    with given as folder:
        if Path(folder, "results").exists():
            sys.exit(f"{folder}: a folder without results is needed")
        found = {"from nothing": make_figures(folder), "once more": make_figures(folder)}
    page = page_of(found)
    print(page)
    Path(__file__).with_name("figures.md").write_text(page)


def page_of(found):
    """Return the page with the measurements."""
    rows = [[name, clock(x), clock(y), f"{peak:,.0f}"] for name, (x, y, peak) in found.items()]
    cores = f"time, {os.cpu_count()} cores"
    head = ["`make figures`", cores, "time of processors", "peak memory, MB"]
    align = ("left", "right", "right", "right")
    text = tabulate(rows, head, "pipe", disable_numparse=True, colalign=align)
    return f"{text}\n\n{targets(*found['from nothing'])}\n"


def targets(seconds, work, megabytes):
    """Return a text with the targets, and those that are not reached. If a time is too long, the
    times of the experiments explain it.
    """
    missed, idle = [], 1 - work / seconds / os.cpu_count()
    if seconds > MINUTES * 60:
        minutes = {  # of the normal numbers of an experiment, and how many runs each theta has
            row[0]: (float(row[4]) / 60 * float(row[-1].rstrip("%")) / 100, int(row[2]))
            for row in times_of(OF_CONTEXTS)
        }
        parts = [f"{name} {x:.0f} ({n} runs)" for name, (x, n) in minutes.items()]
        wanted = sum(x * THETAS / n for x, n in minutes.values())
        missed.append(
            f"the time. The normal numbers alone take these minutes: {', '.join(parts)}; with "
            f"{THETAS} runs for each theta they would take {wanted:.0f} minutes"
        )
    if megabytes > MEGABYTES:
        missed.append("the memory")
    ends = f"Missed: {'; '.join(missed)}." if missed else "Both are met."
    aside = f" The processors were idle, or worked for other programs, {idle:.0%} of the time."
    return (
        f"Targets: at most {MINUTES} minutes and {MEGABYTES:,} MB, with {THETAS} runs for each "
        f"theta of {' and '.join(OF_CONTEXTS)}. {ends}{aside if idle > LARGE else ''}\n\n"
        "[results/times.md](../results/times.md) contains the time of each experiment, and the "
        "share of this time that random numbers take."
    )


def times_of(names):
    """Return the cells of some experiments in results/times.md."""
    lines = Path(PROJECT, "results", "times.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return [row for row in rows if row and row[0] in names]


if __name__ == "__main__":
    main()
