"""The figure of an audit's table: measured and exact losses as shares of the promised losses."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..contracts.display import display_name, symbol
from ..figures.style import PALETTE, SHARE, finish, styled, subplots
from ..results.varying import with_budgets
from .verdicts import VIOLATED

# The colours and marks of the budgets, in turn. Squares mark violations, and diamonds exact losses
COLOURS, MARKERS = ("sky blue", "blue", "purple", "black", "orange", "green"), "o^v<>P"
# The largest multiple of the promised loss on the axis; larger losses are drawn there
MAX_DRAWN_SHARE = 2.0
SPLIT = 20  # the largest number of names in a single panel; more names are split into two panels
HEIGHT = 0.14  # height of the row of a name, in inches
TITLE = "Privacy loss as a share of the promised loss"
NOTE = (
    "Filled marks are lower confidence bounds ({confidence:g} % each), which can prove a violation "
    "but never privacy. A cross in the grey band means that the audit saw no "
    "difference, which says nothing about the loss. A diamond is the exact loss of what an "
    "algorithm releases, where this loss is known."
)


@styled
def bars(table: pd.DataFrame) -> Figure:
    """Draw the figure of an audit's table, with a row for each name.

    A dot for each budget shows the measured privacy loss as a share of the promised loss. If no
    loss was measured, a cross stands in a separate band.
    """
    # The value of the only budget of a row
    value = table[with_budgets(["eps"], table)].bfill(axis=1).iloc[:, 0]
    response = np.where(table["kind"] == "response", ", response", "")
    table = table.assign(
        name=table["name"].map(display_name).str.replace("_", " ") + response, value=value
    )
    names = list(dict.fromkeys(table["name"]))
    panels = 2 if len(names) > SPLIT else 1
    each = -(-len(names) // panels)
    figure, (axes,) = subplots(1, panels, HEIGHT * each)
    values = sorted(value.unique())
    for i, ax in enumerate(axes):
        own = names[i * each : (i + 1) * each]
        _rows(ax, table[table["name"].isin(own)], own[::-1], values)
    note = NOTE.format(confidence=100 * table["confidence"].iloc[0])
    finish(figure, TITLE, None, note)
    return figure


def _rows(ax: Axes, rows: pd.DataFrame, names: list[str], values: list[float]) -> None:
    """Draw the findings about some names, the first name at the bottom."""
    budget = " or ".join(symbol(b) for b in with_budgets(["eps"], rows) if rows[b].notna().any())
    share = (rows["measured"] / rows["promised"]).clip(upper=MAX_DRAWN_SHARE)
    exact = (rows["exact"] / rows["promised"]).clip(upper=MAX_DRAWN_SHARE).round(2)
    apart, middle = 0.7 / max(len(values), 2), (len(values) - 1) / 2.0
    at = rows["name"].map(names.index) + apart * (middle - rows["value"].map(values.index))
    ax.axvspan(-0.14, -0.02, color="0.92", lw=0)
    ax.axvline(1.0, color="black", lw=1, label="promised")
    seen, broken = share > 0.0, rows["verdict"] == VIOLATED
    for i, x in enumerate(values):
        n, own = i % len(COLOURS), rows["value"] == x
        colour, mark = PALETTE[COLOURS[n]], MARKERS[n]
        dots, crosses = own & seen & ~broken, own & ~seen & ~broken
        label = f"{budget} = {x:g}"
        ax.plot(share[dots], at[dots], mark, ms=2.8, color=colour, ls="", label=label)
        ax.plot(0 * share[crosses] - 0.08, at[crosses], "x", ms=2.8, color=colour, ls="")
    if broken.any():
        ax.plot(share[broken], at[broken], "s", ms=4.5, color=PALETTE["vermillion"], ls="",
                label="violated")  # fmt: skip
    if not seen.all():
        ax.plot([], [], "x", ms=3.5, color="black", ls="", label="nothing seen")
    if exact.notna().any():
        # one diamond for each exact loss of a name, in the middle of the rows with this loss
        drawn = at.groupby([rows["name"], exact]).mean().reset_index(level=1)
        ax.plot(drawn.iloc[:, 0], drawn.iloc[:, 1], "D", ms=3.2, mfc="none", mew=0.6, color="black",
                ls="", label="exact", zorder=1.9)  # fmt: skip
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.set_ylim(-0.7, len(names) - 0.3)
    most = max(share.max(), exact.max() if exact.notna().any() else 0.0, 1.0)
    ax.set_xlim(-0.14, 1.08 * most)
    ticks = [-0.08, 0.0, 0.25, 0.5, 0.75, 1.0, *([MAX_DRAWN_SHARE] if most > 1.5 else [])]
    ax.set_xticks(ticks, ["?", "0", "¼", "½", "¾", "1", "2 or more"][: len(ticks)])
    ax.set_xlabel("loss / promised loss")
    ax.set_gid(SHARE)
