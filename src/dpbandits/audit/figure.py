"""The figure of an audit's table: losses, measured and promised."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..contracts.display import display_name, symbol
from ..figures.style import PALETTE, Chart, finish, styled
from ..results.tables import budgets_of
from .verdicts import VIOLATED

UNITS = {"eps": "privacy loss (nats)", "mu": r"privacy loss $\mu$ (Gaussian DP)"}
BARS = (
    (False, "blue", "measured, at least"),
    (True, "vermillion", "measured: violated"),
)


@styled
def bars(table: pd.DataFrame) -> Figure:
    """Measured and exact against promised loss: a bar for each name, a panel for each value of the
    budget, and a row of panels for each unit.
    """
    value = table[budgets_of(table)].bfill(axis=1).iloc[:, 0]  # of the only budget of a row
    response = np.where(table["kind"] == "response", ", response", "")
    table = table.assign(name=table["name"].map(display_name).str.replace("_", " ") + response)
    units = {str(unit): rows for unit, rows in table.groupby("unit", sort=True)}
    heights = [0.2 * rows["name"].nunique() + 0.9 for rows in units.values()]
    values = sorted(value.unique())
    figure = Chart(figsize=(2.1 * len(values) + 2.2, sum(heights) + 1.1))
    panels = len(units), len(values)
    axes = figure.subplots(*panels, squeeze=False, sharey="row", height_ratios=heights)
    for (unit, found), across in zip(units.items(), axes, strict=True):
        names = list(dict.fromkeys(found["name"]))[::-1]
        for ax, x in zip(across, values, strict=True):
            rows = found[value[found.index] == x]
            if rows.empty:
                ax.set_axis_off()
                continue
            _bars(ax, rows, rows["name"].map(names.index))
            symbols = " or ".join(symbol(b) for b in budgets_of(rows) if rows[b].notna().any())
            ax.set_title(f"{symbols} = {x:g}")
            ax.set_yticks(range(len(names)), names)
            ax.set_xlabel(UNITS[unit])
    confidence = table["confidence"].iloc[0]
    note = (
        f"Bars: lower confidence bounds ({100 * confidence:g} % each); none proves privacy. "
        "No bar: the audit has seen nothing.\n"
        "Diamonds: exact loss of the release beneath; none where the audit knows no formula."
    )
    finish(figure, "Privacy loss, measured and promised", table.assign(run=0), note)
    return figure


def _bars(ax: Axes, rows: pd.DataFrame, at: pd.Series) -> None:
    """Draw the findings of one panel at their heights."""
    most = rows["promised"].max()
    shown = np.minimum(rows["measured"], 2 * most)
    for broken, color, label in BARS:
        these = (rows["verdict"] == VIOLATED) == broken
        if these.any() or not broken:
            ax.barh(at[these], shown[these], 0.65, color=PALETTE[color], label=label)
    ax.plot(rows["exact"], at, "D", ms=3.5, mfc="white", color="black", ls="",
            label="exact")  # fmt: skip
    ax.vlines(rows["promised"], at - 0.5, at + 0.5, color="black", lw=1, label="promised")
    ax.set_xlim(0, max(1.12 * most, 1.05 * min(rows["measured"].max(), 2 * most)))
    ax.grid(axis="y", visible=False)
