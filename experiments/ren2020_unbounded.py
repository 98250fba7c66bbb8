"""Ren et al. 2020, supplement: regret over time with unbounded rewards behind a sigmoid.

Run first: bandit-run experiment=ren2020_unbounded (4e9 rounds of 20 arms).
"""

from dpbandits.figures.regret import NAMES, side_by_side


def draw(table):
    panels = {}
    for algo in ("heldp_ucb_ls", "heldp_ucb_bs"):
        rows = table[table["algo"].isin([algo, "ucb"])]
        panels[NAMES[algo]] = rows.replace({"algo": {algo: "local DP", "ucb": "UCB"}})
    return side_by_side(panels, "N(mean, 1) rewards (Ren et al. 2020, supplement)")
