"""What a figure of a table shows: the chosen settings, its axis, its columns and its band. The
checks in this module need no matplotlib.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..errors import BadInput, unknown
from ..results.summary import value_text
from ..results.table import Table
from ..results.varying import SETTING, varying, without_privacy
from .labels import finite_budgets, unprotected
from .options import FigureOptions

MAIN = ("algo", "env", "horizon")  # columns of every table that may vary
INTERVAL = "95 % interval of the mean"
# The meaning of the line and of the band, for each kind of band
BANDS = {
    "ci": ("mean", f"the {INTERVAL}"),
    "std": ("mean", "one standard deviation on each side"),
    "quantiles": (
        "median",
        "10 % to 90 % of the runs, and marks the mean, which rare runs can move out of the band",
    ),
}


def chosen_settings(table: Table, chosen: FigureOptions) -> Table:
    """Return the part of a table with the chosen algorithms, budgets and environments, in the
    legend's order. A user chooses an environment by its name or its label.

    Algorithms without privacy are drawn at every budget.

    Raises:
        BadInput: the table has no such algorithm, budget or environment.
    """
    for key in ("eps", "env"):
        if not (wanted := getattr(chosen, key)):
            continue
        none = pd.Series(dtype=float)
        names, labels = (x.settings.get(key, none) for x in (table, table.with_labels()))
        known = [x for x in dict.fromkeys([*names, *labels]) if not pd.isna(x)]
        if missing := [x for x in wanted if x not in known]:
            raise unknown(key, value_text(missing[0]), map(value_text, known))
        free = without_privacy(table.settings) if key == "eps" else False
        table = table.where(names.isin(wanted) | labels.isin(wanted) | free)
    names, free = table.settings[table.question.group], without_privacy(table.settings)
    lacking = free & ~without_privacy(table.settings, unknown=False) & names.isin(names[~free])
    if lacking.any():  # its line would look like the line of the same algorithm with a budget
        raise BadInput(
            f"{table.name}: the budget of {names[lacking].iloc[0]} is blank in some rows"
        )
    return table.take(chosen.numbers(list(map(str, names))))


def axis_of(table: Table, x: str | None) -> str:
    """Return the axis against which a figure shows regret: the requested column or time, or else
    the axis that suits the table.

    Raises:
        BadInput: the table has no such axis.
    """
    budgets = Counter(name for name, value in finite_budgets(table) if np.isfinite(value))
    if x is None:
        return next((name for name, values in budgets.items() if values > 4), "t")
    numbers = table.settings.select_dtypes(["number", "bool"])
    varied = [name for name in table.varied if name in numbers]
    varied += ["horizon"] if numbers["horizon"].nunique() > 1 else []
    if x in BUDGETS and x not in budgets:
        others = "".join(f"; the table has values of {name}" for name in budgets)
        raise BadInput(f"x={x}: no algorithm in the table has a finite privacy budget {x}{others}")
    if x not in ("t", *BUDGETS) and x not in varied:
        raise no_column("x", x, ["t", *budgets.keys(), *varied], table)
    return x


def columns_of_words(table: Table) -> set[Any]:
    """Return the columns of settings that hold words."""
    return set(table.settings) - set(table.settings.select_dtypes(["number", "bool"]))


def check_columns(table: Table, x: str | None, hue: str | None, col: str | None) -> None:
    """Check the columns that the user requested for a figure of regret.

    Raises:
        BadInput: the table has no such column.
    """
    if hue is None and col is None and x not in columns_of_words(table):
        axis_of(table, x)
        return
    for key, name in {"x": x, "hue": hue, "col": col}.items():
        if name is not None and name not in table.settings and (key, name) != ("x", "t"):
            raise no_column(key, name, ["t"] * (key == "x") + several_columns(table), table)


def several_columns(table: Table) -> list[str]:
    """Return the columns of settings that have several values, blanks included.

    For budgets, an algorithm that is never private does not count, since it has no budget.
    """
    settings = table.settings
    counts = ~without_privacy(settings) | unprotected(settings, "algo", table.records)
    several = varying(settings, MAIN, blank=True)
    several += varying(settings[counts], table.budgets, blank=True)
    return several + varying(settings, table.varied, blank=True)


def no_column(key: str, name: str, known: Iterable[str], table: Table) -> BadInput:
    """Return the error for a column name of the user that is not a column of settings."""
    if name not in ("run", SETTING, *table.question.measured):
        return unknown(key, name, known)
    choice = f"choose from {', '.join(known)}" if known else "the table has none"
    return BadInput(f"{key}={name}: not a column of settings; {choice}")
