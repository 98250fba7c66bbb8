"""Choose the practical constants c: python experiments/practical_constants.py [RESULTS].

In each of eight settings, the regret at each c is divided by the regret at the best c. For each c,
the script prints the largest of these ratios over the settings. The ratios are also written to
RESULTS/practical_constants.md. The regrets are read from RESULTS/tao2022_calibration.csv.
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
