"""Figures of the probability of large regrets: private algorithms fail rarely and badly."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..results.table import Table
from .labels import labelled
from .layout import label_edges, panels_of
from .regret_vs_budget import regret_label
from .style import SHARE, Styles, finish, styled, styles_of


def exceedance(ax: Axes, runs: pd.DataFrame, styles: Styles) -> None:
    """Draw the share of runs whose final regret exceeds x, for each line of a labelled table.

    Both axes are logarithmic, except the axis of regret if all regret is 0.
    """
    for line, rows in runs.groupby("line", sort=False):
        regrets = np.sort(rows["value"])
        above = 1.0 - np.arange(len(regrets) + 1) / len(regrets)  # no run exceeds the largest
        mark = "o" if len(regrets) == 1 else None  # a single run has no step
        ends = [*regrets, regrets[-1]]
        ax.step(ends, above, label=str(line), marker=mark, **styles[str(line)])
    scale = "log" if (runs["value"] > 0).any() else "linear"
    ax.set(xscale=scale, yscale="log", gid=SHARE)


def label_tails(axes: np.ndarray) -> None:
    """Label the axes of panels that ``exceedance`` has drawn."""
    label_edges(axes, "regret $x$ at $T$", "$P($regret$ > x)$", each_row=True)


@styled
def tail_panels(table: Table, title: str) -> Figure:
    """Draw the share of the runs whose final regret exceeds x.

    There is a row of panels for each environment, and a column for each budget. Algorithms without
    a budget are drawn in every column.
    """
    table = labelled(table, horizons=True)
    figure, axes, panels = panels_of(table)
    styles = styles_of(table.settings)
    for ax, inside in panels:
        exceedance(ax, inside, styles)
    label_tails(axes)
    note = f"Steps show the share of RUNS runs whose {regret_label(table)} exceeds $x$."
    return finish(figure, title, table, note)
