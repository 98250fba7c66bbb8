"""Samples of tests against the privacy budget, from the sheet of ``dpbandits.budget`` for rules."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ..contracts.display import symbol
from ..errors import BadInput
from .labels import with_lines
from .options import current
from .style import finish, styled, styles_of, subplots

TRIANGLE: Any = {"marker": "^", "ms": 5, "ls": ""}  # where some runs were cut
CHEAP = 1.1  # times the samples without privacy: the region where privacy costs less than 10 %


@styled
def cost_of_privacy(table: pd.DataFrame) -> Figure:
    """Draw mean samples against eps on logarithmic axes, with the samples without privacy.

    Raises:
        BadInput: the table is the answer of a search, which has no budgets to draw.
    """
    if "slow" not in table:
        raise BadInput(
            "the answer of a search has no figure; eps=[...] makes a sheet, which has one"
        )
    table = table.iloc[current().numbers(list(map(str, table["rule"])))]
    table = with_lines(table)
    figure, ((ax,),) = subplots(1, 1, 2.8)
    styles = styles_of(table, "rule")
    for line, rows in table.groupby("line", sort=False):
        look = styles[str(line)]
        colour, free = look["color"], rows["without_privacy"].iloc[0]
        ax.plot(rows["eps"], rows["samples"], marker="o", ms=3, label=line, **look)
        ax.fill_between(rows["eps"], rows["samples"], rows["slow"], color=colour, alpha=0.2, lw=0)
        cut = rows[rows["ended"] < 1.0]
        ax.plot(cut["eps"], cut["samples"], **TRIANGLE, color=colour)
        if free == free:
            ax.axhline(free, color=colour, lw=0.8, ls="--")
        if rows["free_ended"].iloc[0] < 1.0:
            ends = {"transform": ax.get_yaxis_transform(), "clip_on": False}
            ax.plot([0, 1], [free, free], **TRIANGLE, **ends, color=colour)
        elif free == free:
            ax.axhspan(free, CHEAP * free, color=colour, alpha=0.15, lw=0)
    ax.set(xscale="log", yscale="log", xlabel=f"privacy budget {symbol('eps')}", ylabel="samples")
    per_week = table["per_week"].iloc[0]
    if per_week == per_week:
        shares = (lambda samples: samples / per_week, lambda weeks: weeks * per_week)
        right = ax.secondary_yaxis("right", functions=shares)
        right.set_ylabel("weeks")
        right.yaxis.set_major_formatter("{x:g}")
    several, share = table["eps"].nunique() > 1, table["free_ended"]
    note = f"{'Lines' if several else 'Points'} show means of {table['runs'].iloc[0]} runs"
    note += ", and bands reach to the slowest tenth." if several else "."
    strip = "; in the strip above them privacy costs less than 10 %" * bool((share == 1.0).any())
    note += f" Dashed lines are without privacy{strip}." if share.notna().any() else ""
    if (table["ended"] < 1.0).any() or (share < 1.0).any():
        note += " At a triangle some runs did not end, and the mean is at least as large."
    title = f"What privacy costs a test, {table['env'].iloc[0]}"
    return finish(figure, title, None, note, list(map(str, table["rule"].unique())))
