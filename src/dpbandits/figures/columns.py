"""Regret against any column of a table, with a line for each value of a second column, and a panel
for each value of a third column.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..contracts.display import environment_title, symbol
from ..errors import BadInput, unknown
from ..results.metrics import METRICS
from ..results.table import Table
from ..results.varying import SETTING, varying
from .bands import band_note
from .final_regret import regret_label, regret_vs
from .labels import labelled, legend_name, rounds_text, setting_text
from .layout import arranged_panels, label_edges
from .overlays import draw_references, lines_of, references_in
from .regret_vs_time import has_log_time, regret_vs_time
from .style import finish, styled, styles_of

MAIN = ("algo", "env", "horizon")  # columns that every table has, of which each may vary


@styled
def column_panels(
    table: Table, title: str, x: str, hue: str | None, col: str | None, band: str = "ci"
) -> Figure:
    """Draw regret against time, or final regret against a column ``x``.

    There is a line for each value of the column ``hue`` (None: for each algorithm and each value of
    other varied columns) and a panel for each value of ``col``.

    Raises:
        BadInput: there is no such column, or points of one line would be means over several values
            of a column that is not in the figure.
    """
    settings = table.settings
    columns = filter(settings.__contains__, (*MAIN, *table.budgets, *table.varied))
    several = varying(settings, columns, blank=True)
    places = [name for name in (x, hue, col) if name not in (None, "t")]
    for key, name in {"x": x, "hue": hue, "col": col}.items():
        if name is not None and name not in settings and (key, name) != ("x", "t"):
            raise no_column(key, name, ["t"] * (key == "x") + several, table)
    taken = {*places, "algo", *table.varied, *table.budgets} if hue is None else {*places}
    if left := [name for name in several if name not in taken]:
        words = f"the table has several values of {' and '.join(left)}: choose one value of each"
        raise BadInput(f"{words}, or write x={left[0]}, hue={left[0]} or col={left[0]}")
    if hue is None:
        budgets = {symbol(b): settings[b] for b in table.budgets if b not in places}
        table = labelled(table.assign(**budgets), but=[*places])
    else:
        table = table.assign(line=[value_title(hue, value) for value in settings[hue]])
    panels = [""] if col is None else list(dict.fromkeys(settings[col]))
    of_value = {value: value_title(col, value) if col else "" for value in panels}
    table = table.assign(panel=[of_value[x] for x in settings[col]] if col else "")
    figure, axes, shown = arranged_panels([list(of_value.values())], sharey=True)
    styles = styles_of(table.settings, "line" if hue not in (None, "algo") else "algo")
    drawn, references = table.runs, references_in(table)
    named: list[Any] | None = None  # the words on the axis
    if x == "t":
        drawn = table.curves(band, ["line", "panel"])
        log_time = has_log_time(drawn)
    elif not pd.api.types.is_numeric_dtype(settings[x]):
        named = list(dict.fromkeys(settings[x]))
        drawn = drawn.assign(**{x: drawn[x].map(named.index).astype(float)})
    for ax, name in shown:
        inside = drawn[drawn["panel"] == name]
        ax.set_title(name)
        games = table.settings.loc[table.settings["panel"] == name, ["env", "horizon"]]
        beside = references[references["panel"] == name]
        if len(games.drop_duplicates()) == 1 and beside["line"].is_unique:  # of a single game
            draw_references(ax, beside, over_time=x == "t")
        if x == "t":
            regret_vs_time(ax, inside, styles, band, "log", lines_of(None, table, "t"), log_time)
            continue
        regret_vs(ax, inside, x, styles, band)
        values = drawn[x][np.isfinite(drawn[x])]
        if named is not None:
            ax.set_xticks(range(len(named)), [value_title(x, word) for word in named])
        elif values.min() > 0 and values.max() > 20 * values.min():
            ax.set_xscale("log")
    names = ("round $t$", METRICS[table.metric]) if x == "t" else (symbol(x), regret_label(table))
    label_edges(axes, *names)
    return finish(figure, title, table, band_note(table, band, over_time=x == "t"))


def no_column(key: str, name: str, known: Iterable[str], table: Table) -> BadInput:
    """Return the error for the name of a column that has no value for each setting."""
    if name not in ("run", SETTING, *table.question.measured):
        return unknown(key, name, known)
    choice = f"choose from {', '.join(known)}" if known else "the table has none"
    return BadInput(f"{key}={name}: not a column of settings; {choice}")


def value_title(name: str, value: Any) -> str:
    """Return the value of a column as text for a title or a legend."""
    if name == "algo":
        return legend_name(value)
    if name == "env":
        return environment_title(str(value))
    if isinstance(value, float) and not np.isfinite(value):
        return "without privacy" if name in ("eps", "rho") else f"no {symbol(name)}"
    if name == "horizon":
        return f"$T$ = {rounds_text(value)}"
    return setting_text(name, value)
