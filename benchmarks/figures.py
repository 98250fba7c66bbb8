"""Time and memory of make figures, twice: python benchmarks/figures.py [FOLDER].

The first time there are no stored runs and no compiled code; the second time both are there. The
time of the processors beside that of the clock shows whether other programs took part of them. The
folder is temporary unless one is given. The table is printed and written to benchmarks/figures.md.
It needs psutil, which make test installs.
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


def make_figures(folder):
    """Its time by the clock and of all processors, and the peak of its memory, sampled, in MB."""
    command = ["make", "figures", f"RESULTS={folder}/results", f"VENV={sys.prefix}"]
    command += ["-o", f"{sys.prefix}/.installed"]
    home = {"NUMBA_CACHE_DIR": f"{folder}/compiled", "MPLCONFIGDIR": f"{folder}/fonts"}
    start, before = time.monotonic(), processors()
    make = psutil.Popen(command, cwd=PROJECT, env=os.environ | home, stdout=subprocess.DEVNULL)
    peak = 0
    while make.poll() is None:
        with suppress(psutil.NoSuchProcess):
            family = [make, *make.children(recursive=True)]
            peak = max(peak, sum(process.memory_info().rss for process in family))
        time.sleep(0.1)
    if make.returncode:
        sys.exit("make figures failed")
    return clock(time.monotonic() - start), clock(processors() - before), f"{peak / 1e6:,.0f}"


def processors():
    """The seconds that processors have worked for ended children, and for theirs."""
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
        rows = [["from nothing", *make_figures(folder)], ["once more", *make_figures(folder)]]
    cores = f"time, {os.cpu_count()} cores"
    head = ["`make figures`", cores, "time of processors", "peak memory, MB"]
    align = ("left", "right", "right", "right")
    text = tabulate(rows, head, "pipe", disable_numparse=True, colalign=align)
    text += f"\n\n{targets()}\n"
    print(text)
    Path(__file__).with_name("figures.md").write_text(text)


def targets():
    """What is aimed at, and why it is missed, by the times of the experiments."""
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in Path(PROJECT, "results", "times.md").read_text().splitlines()
        if line.startswith(tuple(f"| {name}" for name in OF_CONTEXTS))
    ]
    drawing = sum(float(row[4]) * float(row[-1].rstrip("%")) / 100.0 for row in cells)
    return (
        "Targets: 15 minutes and 1,000 MB, with 20 runs for each theta of private_contexts and "
        "shariff2018, which have 2. Missed: drawing the normal numbers of these two experiments "
        f"takes about {drawing / 60:.0f} minutes of the clock with 2 runs (results/times.md), so "
        f"{drawing / 6:.0f} with 20; and a table of 8 million rows takes 600 MB, of which a figure "
        "needs copies, while the next experiment is played.\n\n[results/times.md]"
        "(../results/times.md) has the time of each experiment, and its share of random numbers."
    )


if __name__ == "__main__":
    main()
