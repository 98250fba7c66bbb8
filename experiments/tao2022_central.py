"""Tao et al. 2022, global DP: regret at practical constants.

Runs with the paper's constants are in the table but not in the figure, since their regret is linear
up to a horizon of 1e12 or more.
"""

from dpbandits.figures.regret_vs_time import time_panels

TITLE = (
    r"Heavy tails (moments of order $1 + v$), $\epsilon$-global DP, practical constants "
    "(Tao et al. 2022; our setting)"
)
LITERAL = "literal"


def draw(table, bounds=None, title=TITLE):
    practical = table.where(table.settings["c"] != LITERAL)
    return time_panels(practical, title, bounds=bounds)
