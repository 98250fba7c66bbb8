"""Figures of results of ``dpbandits.budget``: the budget that an algorithm needs, and what privacy
costs a test.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..contracts.display import display_name, environment_title, symbol
from ..contracts.question import GOALS
from ..errors import BadInput, plain
from ..results.frames import CHEAP, columns_apart
from .labels import line_label, rounds_text
from .options import PALETTE, current
from .style import Styles, finish, styled, styles_of, subplots

OF_SEARCH = (
    "Points show the budgets that were tried, with intervals that hold all at once with "
    "probability 95 %. The dashed line is the goal. "
)
SHADED = "The shade is the interval of the smallest budget that reaches the goal."
COLUMNS = (
    "algo", "budget", "low", "high", "reached", "name", "env", "horizon", "goal", "baseline",
    "tried",
)  # fmt: skip
# Columns that must have a single value: in a figure of searches, in a figure of sheets (tables of
# budgets), and on each line of a sheet
OF_SEARCHES, OF_SHEETS = ("env", "horizon", "goal"), ("env", "per_week", "runs")
OF_LINE = (*sorted(GOALS), "without_privacy", "free_ended", "cap")
TRIANGLE: Any = {"marker": "^", "ms": 5, "ls": ""}  # marks a mean with runs that met their cap


@styled
def figure_of_answer(answer: pd.DataFrame) -> Figure:
    """Draw a result of ``dpbandits.budget``. Each algorithm or rule has a line for each choice of
    its parameters.

    Raises:
        BadInput: columns are missing, or the table is the result of a search for stopping rules,
            which has no figure.
    """
    is_sheet = "without_privacy" in answer
    if is_sheet and "slow" not in answer:
        raise BadInput(
            "the budget for samples=N or ratio=R has no figure; a sheet of eps=[...] has one"
        )
    if not is_sheet and (missing := [name for name in COLUMNS if name not in answer]):
        words = f"no column {', '.join(missing)}; draw the result of dp.budget itself"
        raise BadInput(f"not a result of dpbandits.budget: {words}")
    group = str(answer.columns[0])
    answer = answer.iloc[current().numbers(list(map(str, answer[group])))]
    names, apart = list(map(str, answer[group].unique())), columns_apart(answer)
    rows = answer.to_dict("records")
    lines = [line_label(row[group], {name: row[name] for name in apart}) for row in rows]
    answer = answer.assign(line=lines)
    refuse_mixed(answer, OF_SHEETS if is_sheet else OF_SEARCHES)
    for line, own in answer.groupby("line", sort=False):
        refuse_mixed(own, OF_LINE if is_sheet else ())
        if own.duplicated(["line", "eps"] if is_sheet else "line").any():
            raise BadInput(f"two answers have the label {line}; draw each answer by itself")
    draw = cost_of_privacy if is_sheet else budget_needed
    figure, title, note = draw(answer, styles_of(answer, group))
    return finish(figure, title, None, note, names)


def refuse_mixed(answer: pd.DataFrame, names: Iterable[str]) -> None:
    """Refuse several answers in one figure if they differ in a value that the figure shows only
    once.
    """
    for name in (name for name in names if name in answer):
        values = answer[name].unique()
        if len(values) > 1:
            words = " and ".join(map(plain, values[:2].tolist()))
            raise BadInput(f"the answers differ in {name} ({words}); draw each answer by itself")


def budget_needed(answer: pd.DataFrame, styles: Styles) -> tuple[Figure, str, str]:
    """Draw regret against the budgets that a search tried, in a panel for each name of a budget.

    Returns:
        The figure, its title and its note.
    """
    names = answer["name"].unique()
    figure, (axes,) = subplots(1, len(names), sharey=True)
    for ax, name in zip(axes, names, strict=True):
        own = answer[answer["name"] == name]
        for _, row in own.iterrows():
            style = styles[row["line"]]
            if isinstance(row["tried"], str):
                raise BadInput(
                    "an answer that was read from a CSV file cannot be drawn; draw the result of "
                    "dp.budget, or a Parquet file of it"
                )
            seen = pd.DataFrame(list(row["tried"]))
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
    first = answer.iloc[0]
    divided = " ratio" if answer["baseline"].any() else ""
    if divided and answer["baseline"].nunique() == 1:
        name, _, without = str(first["baseline"]).partition(" ")
        divided = f" / regret of {display_name(name)} {without}".rstrip()
    axes[0].set_ylabel(f"pseudo-regret{divided}")
    where = f"{environment_title(first['env'])}, $T$ = {rounds_text(first['horizon'])}"
    note = OF_SEARCH + (SHADED if answer["reached"].any() else "No budget is seen to reach it.")
    return figure, where, note


def cost_of_privacy(sheet: pd.DataFrame, styles: Styles) -> tuple[Figure, str, str]:
    """Draw the mean number of samples, with and without privacy, against eps on logarithmic axes.

    Returns:
        The figure, its title and its note.
    """
    figure, ((ax,),) = subplots(1, 1, 2.8)
    for line, rows in sheet.groupby("line", sort=False):
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
    per_week = sheet["per_week"].iloc[0]
    if per_week == per_week:
        shares = (lambda samples: samples / per_week, lambda weeks: weeks * per_week)
        right = ax.secondary_yaxis("right", functions=shares)
        right.set_ylabel("weeks")
        right.yaxis.set_major_formatter("{x:g}")
    several, share = sheet["eps"].nunique() > 1, sheet["free_ended"]
    note = f"{'Lines' if several else 'Points'} show means of {sheet['runs'].iloc[0]} runs"
    note += ", and bands reach to the slowest tenth." if several else "."
    strip = "; in the strip above them privacy costs less than 10 %" * bool((share == 1.0).any())
    note += f" Dashed lines are without privacy{strip}." if share.notna().any() else ""
    if (sheet["ended"] < 1.0).any() or (share < 1.0).any():
        note += " At a triangle some runs did not end, and the mean is at least as large."
    title = f"What privacy costs a test, {sheet['env'].iloc[0]}"
    return figure, title, note
