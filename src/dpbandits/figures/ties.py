"""Rings around the mean final regrets that cannot be told from the smallest of their game."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from ..comparison.table import compare, games
from .style import Styles

NOTE = " Rings: not told apart from the smallest mean at $T$ (95 % for all games at once)."


def tied(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``compare`` of a labelled table that are tied with the best, of each game of
    several algorithms.
    """
    found = compare(table)
    several = [rows[rows["tied"]] for rows in games(found) if len(rows) > 1]
    return pd.concat(several) if several else found[:0]


def draw_rings(ax: Axes, ties: pd.DataFrame, x: str, styles: Styles) -> None:
    """Draw a ring at the mean of each row of ``tied``, whose place on the axis is column ``x``."""
    for label, rows in ties.groupby("line", sort=False):
        look = {"mfc": "none", "mec": styles[str(label)]["color"], "clip_on": False, "zorder": 3}
        ax.plot(rows[x], rows["mean"], "o", ms=8, mew=1.2, **look)
