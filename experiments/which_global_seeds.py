"""Count how often two maps contradict each other: python experiments/which_global_seeds.py FOLDER
FOLDER.

Each FOLDER has a map that was made with a different seed, for example by which_global_map.py
results=FOLDER seed=1. Each game is counted twice, once for the winner in each map. A map excludes
the winner of the other map if it says that this algorithm cannot be the best.
"""

import sys
from pathlib import Path

from dpbandits.cli.ending import run_command
from dpbandits.figures.draw import load_script
from dpbandits.results.table import Table


def contradictions(one, other):
    """Yield two numbers, for the median and for the mean: how many winners of one map the other map
    excludes, and how many winners there are.
    """
    which = load_script("which_global")
    sets = [which.sets(table) for table in (one, other)]
    for center in which.CENTERS:
        winners = [which.centers(table, center).idxmin(axis=1) for table in (one, other)]
        missed = [
            not found.loc[game, winner]
            for of, found in zip(winners, reversed([s[center] for s in sets]), strict=True)
            for game, winner in of.items()
        ]
        yield center, sum(missed), len(missed)


def main(folders):
    tables = (Table.of_file(Path(folder) / "which_global.csv") for folder in folders)
    for center, missed, of in contradictions(*tables):
        print(f"by {center}: {missed} of {of} winners excluded ({100 * missed / of:.1f} %)")
    return 0


if __name__ == "__main__":
    run_command("which_global_seeds", lambda: main(sys.argv[1:]))
