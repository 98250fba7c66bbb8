"""Ren et al. 2020, Fig. 1 (f): regret over time, HeLDP-UCB-B, levels 0, .2, 1, 2, 100.

Run first: bandit-run experiment=ren2020_fig1f (2e9 rounds of 20 arms).
"""

from dpbandits.figures.regret import one_panel


def draw(table, bounds=None):
    title = "HeLDP-UCB-B, levels 0, .2, 1, 2, 100 (Ren et al. 2020, Fig. 1f)"
    return one_panel(table, title, bounds=bounds)
