"""Final regrets with heavy tails: medians with quantiles, and the probability of large regrets."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..results.tables import at_end
from .style import Styles

NOTE = "Lines: median of RUNS runs. Bands: 5 % to 95 % of the runs. Crosses: their mean."


def median_vs(ax: Axes, table: pd.DataFrame, column: str, styles: Styles) -> None:
    """Draw the median final regret of each line of a labelled table against a column, with the
    central nine tenths of the runs and their mean.

    The axis of regret is logarithmic. A line without a finite value in the column is horizontal.
    """
    for line, rows in at_end(table).groupby("line", sort=False):
        label = str(line)
        finite = rows[np.isfinite(rows[column])]
        if finite.empty:
            ax.axhline(rows["regret"].median(), label=label, **styles[label])
            continue
        regret, colour = finite.groupby(column)["regret"], styles[label]["color"]
        low, middle, high = (regret.quantile(q) for q in (0.05, 0.5, 0.95))
        ax.plot(middle, label=label, marker="o", ms=3, **styles[label])
        ax.fill_between(middle.index, low, high, color=colour, alpha=0.15, lw=0)
        ax.plot(regret.mean(), ls="", marker="x", ms=5, color=colour)
    ax.set_yscale("log")


def exceedance(ax: Axes, table: pd.DataFrame, styles: Styles) -> None:
    """Draw the share of the runs whose final regret exceeds x, for each line of a labelled table.

    Both axes are logarithmic.
    """
    for line, rows in at_end(table).groupby("line", sort=False):
        regrets = np.sort(rows["regret"])
        above = 1.0 - np.arange(len(regrets)) / len(regrets)
        ax.step(regrets, above, label=str(line), **styles[str(line)])
    ax.set(xscale="log", yscale="log", xlabel="$x$")
