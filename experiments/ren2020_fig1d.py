"""Ren et al. 2020, Fig. 1 (d): regret over time, rewards of four laws, equal levels .2.

Run first: bandit-run experiment=ren2020_fig1d (1e9 rounds of 20 arms).
"""

from dpbandits.figures.regret import one_panel


def draw(table, bounds=None):
    title = "Rewards of four laws, equal levels .2 (Ren et al. 2020, Fig. 1d)"
    return one_panel(table, title, bounds=bounds)
