"""Ren et al. 2020, Fig. 1 (b): regret over time, HeLDP-UCB-B with equal levels.

Run first: bandit-run experiment=ren2020_fig1b (2e9 rounds of 20 arms).
"""

from dpbandits.figures.regret import one_panel


def draw(table, bounds=None):
    title = "HeLDP-UCB-B with equal levels (Ren et al. 2020, Fig. 1b)"
    return one_panel(table, title, bounds=bounds)
