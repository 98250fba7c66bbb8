"""Checks of tidy tables: their columns, their numbers, and whether their runs are whole."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..contracts.question import REGRET
from ..errors import BadInput
from ..validation import refuse_alike
from .tables import at_end
from .varying import (
    SETTING,
    budgets_of,
    columns_of,
    descriptive,
    question_of_table,
    varied_in,
    with_budgets,
)

WORDS = ("algo", "rule", "env")
POSITIVE = (
    *BUDGETS, "horizon", "t", "rel_error", "alpha", "beta", "delta", "mu0", "mu1", "R", "cap",
    "stopping_time",
)  # fmt: skip
ENOUGH = ("algo", "t", "regret")  # the columns without which nothing can be drawn
DIFFERS = "differs from row to row: leave it out"
LARGEST = 1e100  # of a number in a table: squares of larger ones are not finite


def check_table(where: str, table: pd.DataFrame) -> None:
    """Refuse a table whose columns or numbers are not those of a tidy table; messages begin with
    ``where``.
    """
    question = question_of_table(table)
    columns, budgets = columns_of(table), budgets_of(table)
    missing = [name for name in columns if name not in table.columns]
    if missing:
        enough = "" if question != REGRET else f" ({', '.join(ENOUGH)} are enough)"
        missing_ones = ", ".join(missing)
        raise BadInput(f"{where}: not a tidy table of dpbandits: no column {missing_ones}{enough}")
    if table.empty:
        raise BadInput(f"{where}: the table has no rows")
    for name in (name for name in columns if name != SETTING):
        may_be_blank = name in question.blank or (name in budgets and len(budgets) > 1)
        column = table[name].dropna() if may_be_blank else table[name]
        check_column(f"{where}: column {name}", name, column)
    if at_end(table).empty:
        raise BadInput(f"{where}: no row has reached its {question.limit}")
    _check_rows(where, table)
    for name in (*budgets, *question.goal_names, *varied_in(table)):
        if pd.api.types.is_float_dtype(table[name]):
            refuse_alike(f"{where}: {name}", table[name].unique())


def _check_rows(where: str, table: pd.DataFrame) -> None:
    """Refuse a table with a column that tells no settings apart."""
    for name in varied_in(table) if table["run"].nunique() > 1 else ():
        if table[name].is_unique:
            raise BadInput(f"{where}: column {name} {DIFFERS}")


def check_runs(where: str, table: pd.DataFrame, given: pd.DataFrame) -> None:
    """Refuse a table of settings with ids that holds a run twice, or in which a run does not reach
    its horizon or has two rows of a round, or that had a column which tells apart the rows of a
    run, so that each became a setting.
    """
    ends, settings = at_end(table), descriptive(table)
    doubled = ends.duplicated([*settings, *{"seed", "run"}.difference(settings)])
    if doubled.any():
        row = ends[doubled].iloc[0]
        raise BadInput(f"{where}: run {row['run']:g} of {row[settings[0]]} appears twice")
    if not question_of_table(table).each_checkpoint:
        return
    lacking, twice = faulty(table)
    if lacking.any():
        place = int(lacking.argmax())
        _check_constant(where, given, place)
        row = table.iloc[place]
        own = table[(table[SETTING] == row[SETTING]) & (table["run"] == row["run"])]
        raise BadInput(
            f"{where}: run {row['run']:g} of {row['algo']} ends at t = {own['t'].max():g}, before "
            f"its horizon {row['horizon']:g} (column horizon)"
        )
    if twice.any():
        row = table.iloc[int(twice.argmax())]
        raise BadInput(f"{where}: run {row['run']:g} of {row['algo']} has t = {row['t']:g} twice")


def _check_constant(where: str, table: pd.DataFrame, place: int) -> None:
    """Refuse a column, besides those that all tables have, that changes in the run of a row."""
    fixed = with_budgets(question_of_table(table).columns, table.columns)
    of_run = np.full(len(table), True)
    for name in [*([SETTING] if SETTING in table.columns else fixed), "seed", "run"]:
        of_run &= table[name].isin([table[name].iloc[place]])  # blanks, too
    rows = table[of_run]
    for name in () if rows["t"].duplicated().any() else varied_in(table):
        if rows[name].nunique(dropna=False) > 1:
            raise BadInput(f"{where}: column {name} {DIFFERS}")


def faulty(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are of runs without a row at the horizon, and which repeat a round of a run."""
    number = table.groupby([SETTING, "run"], sort=False, observed=True).ngroup().to_numpy()
    t = table["t"].to_numpy()
    ended = np.zeros(number.max() + 1, dtype=bool)
    ended[number[t == table["horizon"].to_numpy()]] = True
    # numbers ascend where the rows of each run follow each other; then rounds may ascend, too
    after, before = number[1:], number[:-1]
    if np.all((after > before) | ((after == before) & (t[1:] > t[:-1]))):
        twice = np.zeros(len(table), dtype=bool)
    else:
        twice = pd.DataFrame({"run": number, "t": t}).duplicated().to_numpy()
    return ~ended[number], twice


def check_column(where: str, name: str, column: pd.Series) -> None:
    """Refuse a column that holds what no tidy table can."""
    if name in WORDS:
        if column.isna().any():
            raise BadInput(f"{where} has blanks")
        few = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
        if pd.api.types.infer_dtype(few) not in ("string", "empty"):
            raise BadInput(f"{where} holds something that is not text")
    elif not pd.api.types.is_numeric_dtype(column) or column.isna().any():
        raise BadInput(f"{where} holds something that is not a number")
    elif name not in BUDGETS and not np.isfinite(column).all():
        raise BadInput(f"{where} holds a number that is not finite")
    elif name in POSITIVE and not (column > 0).all():
        raise BadInput(f"{where} holds {column.min():g}; it must be above 0")
    elif ((sizes := column[np.isfinite(column)].abs().astype(float)) > LARGEST).any():
        raise BadInput(f"{where} holds {sizes.max():g}; at most {LARGEST:g} is needed")
