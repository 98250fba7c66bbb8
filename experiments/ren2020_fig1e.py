"""Ren et al. 2020, Fig. 1 (e): regret over time, HeLDP-UCB-L, levels 0, .2, 1, 2, 100.

Run first: bandit-run experiment=ren2020_fig1e (2e9 rounds of 20 arms).
"""

from dpbandits.figures.regret import one_panel


def draw(table, bounds=None):
    title = "HeLDP-UCB-L, levels 0, .2, 1, 2, 100 (Ren et al. 2020, Fig. 1e)"
    return one_panel(table, title, bounds=bounds)
