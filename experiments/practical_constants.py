"""The practical constants c: python experiments/practical_constants.py [RESULTS].

For each c the largest ratio, over eight settings, of the regret to that at the best c is computed
from RESULTS/tao2022_calibration.csv, printed, and written to RESULTS/practical_constants.md.
"""

import sys
from pathlib import Path

from tabulate import tabulate
from tao2022_calibration import worst_ratios

import dpbandits as dp
from dpbandits.cli.command import guarded
from dpbandits.files import write_atomically


def main(results):
    ratios = worst_ratios(dp.load(results / "tao2022_calibration.csv"))
    rows = [
        [algo, *(f"{x:.3g}" for x in row), f"{row.idxmin():g}"] for algo, row in ratios.iterrows()
    ]
    head = ["algorithm", *(f"c = {c:g}" for c in ratios.columns), "practical"]
    text = tabulate(rows, head, tablefmt="pipe", disable_numparse=True) + "\n"
    print(text, end="")
    write_atomically(results / "practical_constants.md", text.encode())
    return 0


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    guarded("practical_constants", lambda: main(folder))
