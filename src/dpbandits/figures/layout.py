"""Arrange panels for environments and privacy budgets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..results.table import Table
from ..results.varying import without_privacy
from .labels import budget_title, environment_titles, finite_budgets
from .placement import most_columns
from .style import subplots

PANEL_INCHES, ROW_PANEL_INCHES = 0.95, 1.4  # least width of a panel in a grid, and in a single row


class Panel(NamedTuple):
    """The games and the budget that a panel shows."""

    env: str
    horizon: float | None = None  # None: all horizons
    budget: tuple[str, float] | None = None  # its name and its value; None: all budgets

    def of(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows that this panel shows. Algorithms without a budget are shown in the
        panels of all budgets.
        """
        inside = rows["env"] == self.env
        if self.horizon is not None:
            inside &= rows["horizon"] == self.horizon
        if self.budget is not None:
            name, value = self.budget
            inside &= (rows[name] == value) | without_privacy(rows)
        return rows[inside]

    def at_budgets(
        self, runs: pd.DataFrame, budgets: Sequence[tuple[str, float]]
    ) -> list[Panel | None]:
        """Return a panel for each budget, None for a budget at which the runs were not played.

        If there are no budgets or no algorithm is private, the first panel shows all runs and the
        other panels are None.
        """
        own = self.of(runs)
        if not budgets or without_privacy(own).all():
            return [self, *[None] * (len(budgets) - 1)]
        played = ((own[name] == x).any() for name, x in budgets)
        at = [self._replace(budget=budget) for budget in budgets]
        return [panel if is_played else None for panel, is_played in zip(at, played, strict=True)]

    def title(self, environment: str) -> str:
        """Return the title of the panel from the title of its environment."""
        return ", ".join(filter(None, [environment, self.budget and budget_title(*self.budget)]))


def panels_of(table: Table) -> tuple[Figure, np.ndarray, Iterator[tuple[Axes, pd.DataFrame]]]:
    """Make a figure with a row of panels for each environment of a table, and a column for each
    budget.

    If the figure has no room for all columns, panels continue in further rows. Algorithms without a
    budget are in every column. Panels without runs are hidden.

    Returns:
        The figure, its axes, and an iterator that yields the axes of each visible panel, whose
        title is set, and the runs of the panel.
    """
    titles, budgets, runs = environment_titles(table), finite_budgets(table), table.runs
    grid = [Panel(env).at_budgets(runs, budgets) for env in titles]
    figure, axes, places = arranged_panels(grid, sharey="row" if len(grid) > 1 else True)
    for ax, panel in places:
        ax.set_title(panel.title(titles[panel.env]))
    return figure, axes, ((ax, panel.of(runs)) for ax, panel in places)


def arranged_panels(
    grid: Sequence[Sequence[Any]], **share: Any
) -> tuple[Figure, np.ndarray, list[tuple[Axes, Any]]]:
    """Make a figure with the panels of a grid. All panels share the horizontal axis.

    Returns:
        The figure, its axes, and the result of ``shown``.
    """
    places, columns = arranged(grid)
    figure, axes = subplots(-(-len(places) // columns), columns, sharex=True, **share)
    return figure, axes, shown(axes, places)


def shown(axes: np.ndarray, places: Sequence[Any]) -> list[tuple[Axes, Any]]:
    """Return each visible panel, row by row, with the entry of ``places`` that the panel shows.

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
    """Return the panels of a grid row by row (None for an empty place) and the number of columns.

    The number of columns is limited, so that panels are wide enough. A single row or column of
    panels continues in as many rows as it needs. If there is room, a high and narrow grid is
    transposed. If a grid is too wide, each of its rows continues in a further row.
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


def label_edges(axes: np.ndarray, x: str, y: str, each_row: bool = False) -> None:
    """Label the vertical axis of the first visible panel of each row, and the horizontal axis of
    the last visible panel of each column. With ``each_row`` every panel has a label of its
    horizontal axis.
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
