"""Panels for environments and privacy budgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..results.table import Table
from ..results.varying import without_privacy
from .labels import budget_title, environment_titles, finite_budgets
from .style import subplots

Budget = tuple[str, float]  # its name and its value


def panels_of(table: Table) -> tuple[Figure, np.ndarray, Iterator[tuple[Axes, pd.DataFrame]]]:
    """A row of panels for each environment of a table, a column for each budget.

    Algorithms without a budget are in every column. Panels of what was not played are hidden.

    Returns:
        The figure, its axes, and for each other panel, with its title, the runs that belong to it.
    """
    titles, budgets = environment_titles(table), finite_budgets(table)
    environments = list(titles)
    rows, columns = len(environments), len(budgets)
    size = max(2.3 * columns, 4.6) + 0.4, 2.1 * rows + 1.1
    figure, axes = subplots(*size, rows, columns, sharex=True, sharey="row")
    runs = table.runs
    free = without_privacy(runs)

    def panels() -> Iterator[tuple[Axes, pd.DataFrame]]:
        for env, row in zip(environments, axes, strict=True):
            here = runs["env"] == env
            for ax, budget in zip(row, budgets_played(runs[here], budgets), strict=True):
                if budget is None:
                    ax.set_visible(False)
                    continue
                ax.set_title(panel_title(titles[env], *budget))
                yield ax, runs[here & (free | (runs[budget[0]] == budget[1]))]

    return figure, axes, panels()


def budgets_played(rows: pd.DataFrame, budgets: Sequence[Budget]) -> list[Budget | None]:
    """The budgets at which a game was played, given its rows, with None for each other one: an
    infinite one alone, in the first place, if no algorithm there is private.
    """
    if without_privacy(rows).all():
        return [(budgets[0][0], np.inf), *[None] * (len(budgets) - 1)]
    return [(name, x) if (rows[name] == x).any() else None for name, x in budgets]


def label_edges(axes: np.ndarray, x: str, y: str, each_row: bool = False) -> None:
    """Label the first visible panel of each row, and the last one of each column or, with
    ``each_row``, every panel.
    """
    for row in axes:
        first = next(ax for ax in row if ax.get_visible())
        first.set_ylabel(y)
        first.tick_params(labelleft=True)
    for column in axes.T:
        shown = [ax for ax in column if ax.get_visible()]
        for ax in shown if each_row else shown[-1:]:
            ax.set_xlabel(x)
            ax.tick_params(labelbottom=True)


def panel_title(environment: str, name: str, budget: float) -> str:
    """The title of the panel of an environment, given its title, and a budget; an infinite one is
    not named.
    """
    words = [environment, budget_title(name, budget) if np.isfinite(budget) else ""]
    return ", ".join(filter(None, words))
