"""Arrange panels for environments and privacy budgets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..results.table import Table
from ..results.varying import without_privacy
from .labels import budget_title, environment_titles, finite_budgets
from .placement import most_columns
from .style import subplots

Budget = tuple[str, float]  # its name and its value
PANEL_INCHES, ROW_PANEL_INCHES = 0.95, 1.4  # least width in a grid, and in a single row


def panels_of(table: Table) -> tuple[Figure, np.ndarray, Iterator[tuple[Axes, pd.DataFrame]]]:
    """Make a figure with a row of panels for each environment of a table, and a column for each
    budget.

    There are fewer columns if the figure has no room for all of them. Algorithms without a budget
    are in every column. Panels without runs are hidden.

    Returns:
        The figure, its axes, and an iterator over the visible panels, with titles, and their runs.
    """
    titles, budgets, runs = environment_titles(table), finite_budgets(table), table.runs
    free = without_privacy(runs)
    grid = [
        [budget and (env, budget) for budget in budgets_played(runs[runs["env"] == env], budgets)]
        for env in titles
    ]
    figure, axes, places = arranged_panels(grid, sharey="row" if len(grid) > 1 else True)

    def panels() -> Iterator[tuple[Axes, pd.DataFrame]]:
        for ax, (env, (name, budget)) in places:
            ax.set_title(panel_title(titles[env], name, budget))
            yield ax, runs[(runs["env"] == env) & (free | (runs[name] == budget))]

    return figure, axes, panels()


def arranged_panels(
    grid: Sequence[Sequence[Any]], **share: Any
) -> tuple[Figure, np.ndarray, list[tuple[Axes, Any]]]:
    """Make a figure with the panels of a grid, which share the horizontal axis.

    Returns:
        The figure, its axes, and the result of ``shown``.
    """
    places, columns = arranged(grid)
    figure, axes = subplots(-(-len(places) // columns), columns, sharex=True, **share)
    return figure, axes, shown(axes, places)


def shown(axes: np.ndarray, places: Sequence[Any]) -> list[tuple[Axes, Any]]:
    """Return each visible panel with the entry of ``places`` that it shows, in the order of
    reading.

    Panels without an entry are hidden.
    """
    drawn = []
    for ax, place in itertools.zip_longest(axes.flat, places):
        if place is None:
            ax.set_visible(False)
        else:
            drawn.append((ax, place))
    return drawn


def arranged(grid: Sequence[Sequence[Any]]) -> tuple[list[Any], int]:
    """Return the panels of a grid in the order of reading, None for empty places, and the number of
    columns.

    The columns are so few that panels are wide enough. The panels of a single row or column fill as
    many rows as they need. A high and narrow grid is transposed if there is room, and the rows of a
    grid that is too wide are broken.
    """
    rows, columns = len(grid), len(grid[0])
    if rows == 1 or columns == 1:
        panels = [panel for row in grid for panel in row if panel is not None]
        lines = -(-len(panels) // most_columns(ROW_PANEL_INCHES))
        return panels, -(-len(panels) // lines)
    most = most_columns(PANEL_INCHES)
    if columns < rows <= most and columns < 3:
        return [panel for column in zip(*grid, strict=True) for panel in column], rows
    lines = -(-columns // most)
    each = -(-columns // lines)
    padded = [[*row, *[None] * (lines * each - columns)] for row in grid]
    return [panel for row in padded for panel in row], each


def budgets_played(rows: pd.DataFrame, budgets: Sequence[Budget]) -> list[Budget | None]:
    """Return the budgets at which a game was played, given its rows, with None for other budgets.

    If no algorithm of the game is private, the first budget is infinite and the others are None.
    """
    if without_privacy(rows).all():
        return [(budgets[0][0], np.inf), *[None] * (len(budgets) - 1)]
    return [(name, x) if (rows[name] == x).any() else None for name, x in budgets]


def label_edges(axes: np.ndarray, x: str, y: str, each_row: bool = False) -> None:
    """Label the vertical axis of the first visible panel of each row, and the horizontal axis of
    the last visible panel of each column; with ``each_row``, of every panel.
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
    """Return the title of a panel from its environment's title and its budget.

    An infinite budget is not named.
    """
    words = [environment, budget_title(name, budget) if np.isfinite(budget) else ""]
    return ", ".join(filter(None, words))
