"""Ren et al. 2020, Fig. 1 (h): regret over time, HeLDP-UCB-B, clipped normal levels.

Run first: bandit-run experiment=ren2020_fig1h (2e9 rounds of 20 arms).
"""

from dpbandits.figures.regret import one_panel


def draw(table, bounds=None):
    title = "HeLDP-UCB-B, clipped normal levels (Ren et al. 2020, Fig. 1h)"
    return one_panel(table, title, bounds=bounds)
