"""The practical constants c: python experiments/practical_constants.py [RESULTS].

For each c the largest ratio, over eight settings, of the regret to that at the best c is computed
from RESULTS/tao2022_calibration.csv, printed, and written to RESULTS/practical_constants.md.
"""

from pages import page_of_folder, table
from tao2022_calibration import worst_ratios

from dpbandits.results.table import Table


def page(results):
    ratios = worst_ratios(Table.of_file(results / "tao2022_calibration.csv").runs)
    rows = [
        [algo, *(f"{x:.3g}" for x in row), f"{row.idxmin():g}"] for algo, row in ratios.iterrows()
    ]
    head = ["algorithm", *(f"c = {c:g}" for c in ratios.columns), "practical"]
    return table(rows, head)


if __name__ == "__main__":
    page_of_folder("practical_constants", page)
