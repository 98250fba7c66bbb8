"""Ren et al. 2020, Fig. 1 (a): regret over time, HeLDP-UCB-L with equal levels.

Run first: bandit-run experiment=ren2020_fig1a (2e9 rounds of 20 arms).
"""

from dpbandits.figures.regret import one_panel


def draw(table, bounds=None):
    title = "HeLDP-UCB-L with equal levels (Ren et al. 2020, Fig. 1a)"
    return one_panel(table, title, bounds=bounds)
