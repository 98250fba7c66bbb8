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
from ..errors import BadInput
from ..results.table import Table
from ..results.varying import WITHOUT, of_game, varying
from .bands import band_note
from .choices import several_columns
from .final_regret import final_scale, regret_label, regret_vs
from .labels import labelled, legend_name, rounds_text, setting_text
from .layout import arranged_panels, label_edges
from .overlays import draw_references, references_by_panel
from .regret_vs_time import time_panel
from .style import finish, styled, styles_of


@styled
def column_panels(
    table: Table, title: str, x: str, hue: str | None, col: str | None, band: str = "ci"
) -> Figure:
    """Draw regret against time, or final regret against a column ``x``.

    There is a line for each value of the column ``hue``, and a panel for each value of ``col``. If
    ``hue`` is None, each algorithm has a line for each value of the other columns that vary,
    environments included.

    Raises:
        BadInput: the figure would average over several values of a column that it does not show.
    """
    settings = table.settings
    places = [name for name in (x, hue, col) if name not in (None, "t")]
    left = [x for x in several_columns(table) if hue is not None and x not in places]
    added = [x for x in left if x in table.varied and not of_game(x)]  # may describe algorithms
    averaged = varying(settings, added, places, blank=True) if added else []
    if left := [x for x in left if x not in added or x in averaged]:
        words = f"the table has several values of {' and '.join(left)}: choose one value of each"
        raise BadInput(f"{words}, or write x={left[0]}, hue={left[0]} or col={left[0]}")
    if hue is None:
        own = {symbol(b): settings[b] for b in table.budgets if b not in places}
        budgets = {name: x.where(np.isfinite(x)) for name, x in own.items()}
        table = labelled(table.assign(**budgets), places, horizons=True, environments=True)
    else:
        table = table.assign(line=[value_title(hue, value, table.names) for value in settings[hue]])
    table = table.assign(
        panel=[value_title(col, value, table.names) for value in settings[col]] if col else ""
    )
    group = "line" if hue not in (None, "algo") else "algo"
    if x == "t":
        return time_panel(table, title, band, scale="log", group=group)
    figure, axes, shown = arranged_panels([list(table.settings["panel"].unique())], sharey=True)
    styles, references = styles_of(table.settings, group), references_by_panel(table)
    drawn = table.runs
    named: list[Any] | None = None  # the words on the axis
    if not pd.api.types.is_numeric_dtype(settings[x]):
        named = list(dict.fromkeys(settings[x]))
        drawn = drawn.assign(**{x: drawn[x].map(named.index).astype(float)})
    scale = final_scale(drawn, x, band, ["panel"])
    for ax, name in shown:
        ax.set_title(name)
        draw_references(ax, references[references["panel"] == name], over_time=False)
        regret_vs(ax, drawn[drawn["panel"] == name], x, styles, band, scale)
        values = drawn[x][np.isfinite(drawn[x])]
        if named is not None:
            ax.set_xticks(range(len(named)), [value_title(x, word, table.names) for word in named])
        elif values.min() > 0 and values.max() > 20 * values.min():
            ax.set_xscale("log")
    label_edges(axes, symbol(x, table.names), regret_label(table))
    return finish(figure, title, table, band_note(table, band))


def value_title(name: str, value: Any, algos: Iterable[str] = ()) -> str:
    """Return the value of a column as text for a title or a legend of the algorithms ``algos``."""
    if name == "algo":
        return legend_name(value)
    if name == "env":
        return environment_title(str(value))
    if isinstance(value, float) and not np.isfinite(value):
        return WITHOUT if name in ("eps", "rho") else f"no {symbol(name, algos)}"
    if name == "horizon":
        return f"$T$ = {rounds_text(value)}"
    return setting_text(name, value, algos)
