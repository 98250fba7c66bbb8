"""Azize & Basu 2022, Fig. 4: regret over time of four private algorithms on C1 at four budgets.

Run first: bandit-run experiment=azize2022_fig4 (8e8 rounds of dp_ucb; the rest is free).
"""

from dpbandits.figures.regret import panels


def draw(table, bounds=None):
    title = "Four private algorithms on C1 (Azize & Basu 2022, Fig. 4)"
    return panels(table, title, band="std", bounds=bounds)
