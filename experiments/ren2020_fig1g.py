"""Ren et al. 2020, Fig. 1 (g): regret over time, HeLDP-UCB-L, clipped normal levels.

Run first: bandit-run experiment=ren2020_fig1g (2e9 rounds of 20 arms).
"""

from dpbandits.figures.regret import one_panel


def draw(table, bounds=None):
    title = "HeLDP-UCB-L, clipped normal levels (Ren et al. 2020, Fig. 1g)"
    return one_panel(table, title, bounds=bounds)
