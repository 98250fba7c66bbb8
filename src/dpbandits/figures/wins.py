"""Heat maps of numbers, such as on how many environments one algorithm beats another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from ..comparison.wins import matrices, over_sets
from ..results.table import Table
from .labels import legend_name
from .layout import shown
from .placement import figure_width, text_width
from .style import PALETTE, finish, styled, subplots

COLOURS = LinearSegmentedColormap.from_list(
    "wins", [PALETTE["vermillion"], "#FFFFFF", PALETTE["sky blue"]]
)
CELL, HEADINGS = 0.17, 1.1  # inches: the height of a row, and of the titles and names of a panel
SIZE, AROUND = 7, 2.5  # points: the size of numbers, and the space beside a number
NOTE = (
    "A number says on how many environments (at most SETS) the mean of the row is below the mean "
    "of the column; blue cells are more than half of them. Numbers are bold where the 95 % "
    "interval of this share (Clopper & Pearson) excludes one half."
)


def heat_map(
    ax: Axes, values: pd.DataFrame, colours: Colormap, norm: Normalize, texts: pd.DataFrame,
    bold: pd.DataFrame,
) -> None:  # fmt: skip
    """Draw a table as coloured cells, the first row at the top, with texts in the cells.

    Cells without a number are white. ``texts`` and ``bold`` (bool, whether a text is bold) have the
    shape of the table.
    """
    cells = np.ma.masked_invalid(values.to_numpy(float))
    ax.pcolormesh(cells, cmap=colours, norm=norm, edgecolors="white", linewidth=0.5)
    ax.set_xticks(np.arange(values.shape[1]) + 0.5, list(values.columns), rotation=90)
    ax.set_yticks(np.arange(values.shape[0]) + 0.5, list(values.index))
    ax.tick_params(length=0, labelsize=SIZE)
    ax.invert_yaxis()
    ax.grid(False)
    for (i, j), is_bold in np.ndenumerate(bold.to_numpy()):
        look: Any = {"ha": "center", "va": "center", "fontweight": "bold" if is_bold else "normal"}
        ax.text(j + 0.5, i + 0.5, str(texts.iat[i, j]), fontsize=SIZE, **look)


def _most_columns(labels: Sequence[str], numbers: Iterable[str]) -> int:
    """Return how many panels fit beside each other so that numbers in cells do not touch."""
    name = max(text_width(label, SIZE) for label in labels) + 2 * AROUND
    cell = max(text_width(number, SIZE) for number in set(numbers)) + AROUND
    return max(1, min(3, int(72 * figure_width() / (name + len(labels) * cell))))


@styled
def wins_panels(table: Table, title: str) -> Figure:
    """Draw on how many environments the mean of one algorithm is below the mean of another
    algorithm.

    There is a panel for each budget. The algorithms are in the order of their ranks over all
    budgets.

    Raises:
        BadInput: the table has fewer than three environments, or fewer than three algorithms that
            were run on all of them.
    """
    pairs, group = over_sets(table), table.question.group
    is_bold = (pairs["share_low"] > 0.5) | (pairs["share_high"] < 0.5)
    pairs = pairs.assign(text=pairs["below"].map("{:g}".format), bold=is_bold)
    order = pairs.groupby(group)["rank"].mean().sort_values(kind="stable").index
    panels = list(matrices(pairs, table.question))
    columns = min(len(panels), _most_columns(list(map(legend_name, order)), pairs["text"]))
    rows = math.ceil(len(panels) / columns)
    figure, axes = subplots(rows, columns, rows * (CELL * len(order) + HEADINGS))
    for ax, (said, own) in shown(axes, panels):
        names = [x for x in order if x in set(own[group])]
        labels = [legend_name(name) for name in names]
        share, texts, bold = (
            own.pivot(index=group, columns="other", values=x).reindex(index=names, columns=names)
            for x in ("share", "text", "bold")
        )
        share = share.set_axis(labels).set_axis(labels, axis=1)
        heat_map(ax, share, COLOURS, Normalize(0.0, 1.0), texts.fillna(""), bold.eq(True))
        ax.set_title(said.replace("eps = ", r"$\epsilon$ = "))
    return finish(figure, title, table, NOTE.replace("SETS", str(pairs["sets"].max())))
