"""The budget that algorithms need: regret against the budget, the goal, and the answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..contracts.display import display_name, environment_title, symbol
from ..errors import BadInput
from .labels import line_label, scientific
from .style import PALETTE, Chart, label_logarithms, styled, styles_of

NOTE = (
    "Points: the budgets that were tried, with intervals that hold all at once with probability "
    "95 %.\nShaded: the interval of the smallest budget that reaches the goal."
)


@styled
def budget_needed(table: pd.DataFrame, title: str = "") -> Figure:
    """Draw a result of ``dpbandits.budget``: a panel for each name of a budget."""
    if "looks" not in table.attrs:
        raise BadInput("the table has lost what was looked at: draw the result of dp.budget itself")
    looks, names = table.attrs["looks"], list(table["name"].unique())
    figure = Chart(figsize=(max(4.4 * len(names), 5.4), 3.8))
    axes = figure.subplots(1, len(names), squeeze=False, sharey=True)[0]
    apart = list(table.columns[1 : table.columns.get_loc("budget")])  # see budgets_needed
    lines = [line_label(row["algo"], {k: row[k] for k in apart}) for _, row in table.iterrows()]
    table = table.assign(line=lines)
    styles = styles_of(table)
    for ax, name in zip(axes, names, strict=True):
        own = table[table["name"] == name]
        for i, row in own.iterrows():
            style = styles[row["line"]]
            seen = looks[looks["row"] == i]
            ends = np.abs(seen[["low", "high"]].to_numpy().T - seen["mean"].to_numpy())
            ax.errorbar(
                seen["budget"], seen["mean"], ends, marker="o", ms=3, lw=1, elinewidth=0.8,
                label=row["line"], **style,
            )  # fmt: skip
            if row["reached"]:
                low = max(row["low"], seen["budget"].min() / 2)
                ax.axvspan(low, row["high"], color=style["color"], alpha=0.25, lw=0)
        ax.axhline(own["goal"].iloc[0], color=PALETTE["black"], lw=0.8, ls="--")
        ax.set(xscale="log", yscale="log", xlabel=f"privacy budget {symbol(name)}")
        label_logarithms(ax)
    first = table.iloc[0]
    divided = " ratio" if table["baseline"].any() else ""
    if divided and table["baseline"].nunique() == 1:
        divided = f" / that of {display_name(first['baseline'])}"
    axes[0].set_ylabel(f"pseudo-regret{divided}")
    where = f"{environment_title(first['env'])}, $T$ = {scientific(first['horizon'])}"
    figure.legend(loc="outside upper center", ncols=3, title=title or where)
    figure.supxlabel(NOTE, fontsize=7.5, color="#444444")
    return figure
