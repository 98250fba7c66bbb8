"""The probability of large regrets: private algorithms fail rarely and badly."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..contracts.display import environment_title
from ..results.tables import at_end, without_privacy
from .regret_vs_budget import regret_label
from .style import (
    Chart,
    Styles,
    budget_title,
    finish,
    finite_budgets,
    labelled,
    styled,
    styles_of,
)


def exceedance(ax: Axes, table: pd.DataFrame, styles: Styles) -> None:
    """Draw the share of the runs whose final regret exceeds x, for each line of a labelled table.

    Both axes are logarithmic.
    """
    for line, rows in at_end(table).groupby("line", sort=False):
        regrets = np.sort(rows["regret"])
        above = 1.0 - np.arange(len(regrets)) / len(regrets)
        ax.step(regrets, above, label=str(line), **styles[str(line)])
    ax.set(xscale="log", yscale="log", xlabel="$x$")


@styled
def tail_panels(table: pd.DataFrame, title: str) -> Figure:
    """The share of the runs whose final regret exceeds x: a row of panels for each environment, a
    column for each budget. Algorithms without a budget are drawn in every column.
    """
    table = labelled(table)
    environments, budgets = table["env"].unique(), finite_budgets(table)
    rows, columns = len(environments), len(budgets)
    figure = Chart(figsize=(max(2.3 * columns, 4.6) + 0.4, 2.1 * rows + 1.1))
    axes = figure.subplots(rows, columns, squeeze=False, sharex="row", sharey=True)
    styles, free = styles_of(table), without_privacy(table)
    for across, env in zip(axes, environments, strict=True):
        for ax, (name, value) in zip(across, budgets, strict=True):
            inside = (table["env"] == env) & ((table[name] == value) | free)
            exceedance(ax, table[inside], styles)
            ax.set_title(f"{environment_title(env)}, {budget_title(name, value)}")
        across[0].set_ylabel("$P$(regret > $x$)")
    note = f"Steps: share of RUNS runs whose {regret_label(table)} exceeds $x$."
    finish(figure, title, table, note)
    return figure
