"""Sajed & Sheffet 2019, Fig. 1: regret over time of DP-SE and DP-UCB at four budgets.

The paper prints the panels of C2; C1, C3 and C4 are those of its full version.
Run first: bandit-run experiment=sajed2019_fig1 (6e9 rounds of dp_ucb an instance).
"""

from dpbandits.figures.regret import panels


def draw(table, bounds=None):
    title = "DP-SE and DP-UCB (Sajed & Sheffet 2019, Fig. 1)"
    return panels(table, title, band="std", bounds=bounds)
