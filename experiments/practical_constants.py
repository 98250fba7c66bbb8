"""The practical constants c: python experiments/practical_constants.py [RESULTS].

For each c the largest ratio, over eight settings, of the regret to that at the best c is computed
from RESULTS/tao2022_calibration.csv, printed, and written to RESULTS/practical_constants.md.
"""

import sys
from pathlib import Path

from tabulate import tabulate

from dpbandits.figures.draw import load_script
from dpbandits.files import write_atomically
from dpbandits.results.tables import read_table


def main(results):
    table = read_table(results / "tao2022_calibration.csv")
    ratios = load_script("tao2022_calibration").worst_ratios(table)
    rows = [
        [algo, *(f"{x:.3g}" for x in row), f"{row.idxmin():g}"] for algo, row in ratios.iterrows()
    ]
    head = ["algorithm", *(f"c = {c:g}" for c in ratios.columns), "practical"]
    text = tabulate(rows, head, tablefmt="pipe", disable_numparse=True) + "\n"
    print(text, end="")
    write_atomically(results / "practical_constants.md", text.encode())


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results"))
