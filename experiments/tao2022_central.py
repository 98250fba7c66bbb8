"""Tao et al. 2022, global DP: regret at practical constants.

The runs with the paper's constants are only in the table, since their regret is linear until a
horizon of 1e12 or more.
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
