"""What make figures takes, from nothing and once more: python benchmarks/figures.py.

Runs it with no finished runs and no compiled code, in folders that are deleted afterwards, and
writes what it prints to benchmarks/figures.md.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tabulate import tabulate

PROJECT = Path(__file__).parent.parent


def make_figures(folder):
    """Minutes and seconds, and MB of the largest process: only one plays at a time, in threads."""
    command = ["make", "figures", f"RESULTS={folder}/results", f"VENV={sys.prefix}"]
    command += ["-o", f"{sys.prefix}/.installed"]
    home = {"NUMBA_CACHE_DIR": f"{folder}/compiled", "MPLCONFIGDIR": f"{folder}/fonts"}
    start = time.monotonic()
    make = subprocess.Popen(command, cwd=PROJECT, env=os.environ | home, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(make.pid, 0)
    if status:
        sys.exit("make figures failed")
    minutes, seconds = divmod(time.monotonic() - start, 60)
    took = f"{minutes:.0f} min {seconds:.0f} s" if minutes else f"{seconds:.1f} s"
    return took, f"{used.ru_maxrss / 1024:,.0f}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        rows = [["from nothing", *make_figures(folder)], ["once more", *make_figures(folder)]]
    head = ["`make figures`", f"time, {os.cpu_count()} cores", "peak memory, MB"]
    text = tabulate(rows, head, "pipe", disable_numparse=True, colalign=("left", "right", "right"))
    print(text)
    Path(__file__).with_name("figures.md").write_text(text + "\n")


if __name__ == "__main__":
    main()
