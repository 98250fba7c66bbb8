"""Run experiments and draw their figures: python experiments/all.py [NAME ...] [KEY=VALUE ...].

``make figures`` calls this script. Without a NAME, it runs all experiments, in one process. Tables
and figures are not made again if their code and their settings have not changed. A figure is drawn
while the next experiment runs.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dpbandits as dp
from dpbandits.cli.ending import run_command
from dpbandits.figures.experiments import tabulated


def main(argv):
    keys = dict(word.split("=", 1) for word in argv if "=" in word)
    names = [word for word in argv if "=" not in word] or list(dp.experiments().index)
    results = Path(keys.pop("results", "results"))
    with ThreadPoolExecutor(1) as pen:
        drawn = []
        for i, name in enumerate(names, 1):
            print(f"{i} of {len(names)}: {name}", flush=True)
            drawn.append(pen.submit(show, tabulated(name, results, keys)))
    for figure in drawn:
        figure.result()
    return 0


def show(draw):
    """Draw a figure and print its paths."""
    print(*draw(), sep="\n", flush=True)


if __name__ == "__main__":
    run_command("figures", lambda: main(sys.argv[1:]))
