"""Divide the regret of HeLDP-UCB by the regret of UCB: python experiments/ren2020_ratios.py
[RESULTS].

The ratios of final regrets are claims R1-R3 of Ren et al. 2020. For each ratio, the table has the
measured value, the value in the paper, and the value in theory: (1 + 4/eps)^2 for HeLDP-UCB-L and
coth(eps/2)^2 for HeLDP-UCB-B. The script needs the tables of the experiments ren2020_fig1a to
fig1d, and writes the ratios to RESULTS/ren2020_ratios.md.
"""

import numpy as np
from pages import page_of_folder, table

import dpbandits as dp
from dpbandits.comparison.pairs import located, ratio
from dpbandits.environments.populations import homogeneous
from dpbandits.results.intervals import TAIL
from dpbandits.theory.ren2020 import v_b, v_l

# claim, experiment, algorithm, eps, the paper's ratio
CLAIMS = [
    ("R1", "ren2020_fig1c", "heldp_ucb_b", 2.0, 1.6),
    ("R1", "ren2020_fig1c", "heldp_ucb_l", 2.0, 8.6),
    ("R2", "ren2020_fig1d", "heldp_ucb_b", 0.2, 74),
    ("R2", "ren2020_fig1d", "heldp_ucb_l", 0.2, 210),
    ("R3", "ren2020_fig1a", "heldp_ucb_l", 1.0, 23),
    ("R3", "ren2020_fig1b", "heldp_ucb_b", 1.0, 4.5),
]
TERMS = {"heldp_ucb_l": v_l, "heldp_ucb_b": v_b}


def final(table, algo, eps):
    """Return the final regrets of the runs of one setting."""
    rows = table[(table["t"] == table["horizon"]) & (table["algo"] == algo) & (table["eps"] == eps)]
    return rows["regret"].to_numpy()


def page(results):
    rows = []
    for claim, experiment, algo, eps, printed in CLAIMS:
        runs = dp.load(results / f"{experiment}.csv")
        samples = final(runs, algo, eps), final(runs, "ucb", np.inf)
        found = located(samples, "mean", TAIL)
        value, low, high = ratio(found.of(0), found.of(1))
        theory = TERMS[algo](homogeneous(eps), eps)
        measured = f"{value:.3g} ({low:.3g} to {high:.3g})"
        rows.append(
            [claim, experiment, algo, f"{eps:g}", f"{printed:g}", f"{theory:.3g}", measured]
        )
    head = ["claim", "experiment", "algorithm", "eps", "paper", "theory", "measured (95 %)"]
    return table(rows, head)


if __name__ == "__main__":
    page_of_folder("ren2020_ratios", page)
