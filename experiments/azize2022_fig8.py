"""Azize & Basu 2022, Fig. 8: AdaP-UCB and AdaP-KLUCB with alpha 3.1 and 1, on C1 at eps = 1.

Run first: bandit-run experiment=azize2022_fig8 (episodic algorithms only: no time at all).
"""

from dpbandits.figures.regret import panels


def draw(table, bounds=None):
    title = "AdaP with two values of alpha (Azize & Basu 2022, Fig. 8)"
    return panels(table, title, band="std", bounds=bounds)
