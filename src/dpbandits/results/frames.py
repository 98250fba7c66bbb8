"""Check the tables that users give: convert their types, add missing columns, and refuse tables
that are not tidy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..contracts.question import COMPUTED, QUESTIONS, REGRET, Question
from ..errors import MEANT, BadInput, in_a_line
from ..settings.choices import all_of
from ..validation import refuse_alike
from . import metrics
from .varying import SETTING, with_budgets

WORDS = ("algo", "rule", "env")
POSITIVE = (
    *BUDGETS, "horizon", "t", "rel_error", "alpha", "beta", "delta", "mu0", "mu1", "R", "cap",
    "stopping_time",
)  # fmt: skip
DIFFERS = "differs from row to row: leave it out"
DIFFERS_BETWEEN_RUNS = "differs from run to run: leave it out"
CHEAP = 1.1  # ratio to the samples without privacy: privacy costs less than 10 %
MAX_NUMBER = 1e100  # in a table: larger numbers have infinite squares
NEEDED_COLUMNS = ("algo", "t", "regret")  # needed for every figure
TIDY_COLUMNS = (*REGRET.columns, "seed", "run", *REGRET.measured)
LOOKED_AT = 1000  # first rows in which a column is checked
NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "boolean")


def plain_frame(where: str, table: Any) -> pd.DataFrame:
    """Convert a table to a plain pandas frame. The table is one of pandas, or of another package
    whose tables have the method ``to_pandas``.

    The frame's columns hold numbers or words, and each column has a unique name. Error messages
    begin with ``where``.

    Raises:
        BadInput: the argument is not a table that can be converted.
    """
    table = frame_of(where, table)
    table = table.set_axis(pd.RangeIndex(len(table)))
    return of_arrays({x: _plain(f"{where}: column {x}", table[x]) for x in table.columns})


def of_arrays(arrays: Mapping[str, np.ndarray | pd.Series]) -> pd.DataFrame:
    """Return a frame with the given columns, without copying or converting their arrays."""
    columns = {name: pd.Series(x, dtype=x.dtype, copy=False) for name, x in arrays.items()}
    return pd.DataFrame(columns, copy=False)


def frame_of(where: str, table: Any) -> pd.DataFrame:
    """Return a table as a pandas frame whose columns have unique names."""
    found = table if isinstance(table, pd.DataFrame) else _converted(where, table)
    if not (found.columns.is_unique and all(isinstance(name, str) for name in found.columns)):
        raise BadInput(f"{where}: each column of a tidy table needs a unique name")
    return found


def _converted(where: str, table: Any) -> pd.DataFrame:
    """Convert a table of another package, such as polars or pyarrow, to a pandas frame."""
    kind = type(table)
    name = f"{kind.__module__.partition('.')[0]}.{kind.__qualname__}"
    found = None
    if hasattr(kind, "to_pandas"):
        try:
            found = table.to_pandas()
        except Exception as error:  # of another package, perhaps since pyarrow is missing
            reason = in_a_line(f"{type(error).__name__}: {error}", 200)
            raise BadInput(
                f"{where}: {name} cannot be converted by to_pandas() ({reason})"
            ) from None
    if not isinstance(found, pd.DataFrame):
        name = kind.__name__ if kind.__module__ == "builtins" else name
        raise BadInput(f"{where}: a tidy table is needed, such as dp.run returns, not {name}")
    return found


def _plain(where: str, column: pd.Series) -> np.ndarray | pd.Series:
    """Return a column as an array of numbers, or as an array of words and missing values."""
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "iufb":
        return column if kind.itemsize <= 8 else column.to_numpy(dtype=float)
    if not isinstance(kind, np.dtype) and pd.api.types.is_numeric_dtype(kind):
        is_whole = pd.api.types.is_integer_dtype(kind) or pd.api.types.is_bool_dtype(kind)
        if is_whole and not column.isna().any():
            return column.to_numpy(dtype=np.int64)
        return column.to_numpy(float, na_value=np.nan)
    values = np.asarray(column, dtype=object)
    found = pd.api.types.infer_dtype(values, skipna=True)
    if found in NUMBERS:
        try:
            return np.array([np.nan if pd.isna(x) else x for x in values], dtype=float)
        except OverflowError:
            raise BadInput(f"{where} holds a number that is not finite") from None
    if found not in ("string", "empty"):
        try:
            pd.factorize(values)
        except TypeError:
            odd = next(type(x).__name__ for x in values if not isinstance(x, str | float | int))
            raise BadInput(f"{where} holds {odd}; numbers or words are needed") from None
    return values


def completed(where: str, table: pd.DataFrame) -> pd.DataFrame:
    """Add the missing columns of a tidy table to a table with ``algo``, ``t`` and ``regret``.

    Missing run numbers follow the order of the rows, and the environment gets no name. The horizon
    is the largest ``t``, and budgets are blank, since they are unknown. A table that lacks one of
    the three columns is returned unchanged.

    Raises:
        BadInput: the table has a missing column under another usual name, or runs differ only in
            their seeds.
    """
    columns = {*table.columns, *(["eps"] if set(BUDGETS) & set(table.columns) else [])}
    lacking = {*TIDY_COLUMNS} - columns if question_of(table.columns) is REGRET else set()
    for name in table.columns:
        meant = MEANT.get(name.casefold(), name.casefold())
        if meant in lacking and name != "t":
            said = f"unknown column {name!r}: did you mean {meant}? If not, rename it"
            raise BadInput(f"{where}: {said}")
    if not set(NEEDED_COLUMNS) <= set(table.columns) or table.empty:
        return table
    budget = {} if "eps" in columns else {"eps": np.nan}
    given = {"env": "", **budget, "horizon": table["t"].max(), "seed": 0}
    if "run" not in table.columns:
        others = [name for name in table.columns if name != "regret"]
        given["run"] = table.groupby(others, dropna=False).cumcount()
        if "seed" in others and table["seed"].nunique() > 1 and not given["run"].any():
            said = "no column run: if each seed is a run, rename seed; if not, add a column run"
            raise BadInput(f"{where}: {said}")
    return table.assign(**{k: v for k, v in given.items() if k not in table.columns})


def question_of(columns: Any) -> Question:
    """Return the question (such as regret, or the best arm) that a table answers, judged by its
    columns. The default is the question of regret.
    """
    found = [question for question in QUESTIONS if question.group in columns]
    whole = (q for q in found if {*q.columns} - {"eps"} <= {*columns})
    return next(whole, found[0] if found else REGRET)


def check_frame(where: str, table: pd.DataFrame, whole: bool = True) -> tuple[Question, str]:
    """Check the columns of a table. Return the question that the table answers, and its metric.

    Args:
        where: the beginning of error messages.
        table: a table, or its first rows.
        whole: whether ``table`` has all rows.

    Raises:
        BadInput: the table has no rows or lacks columns, or a column has a different value in each
            row.
    """
    question = question_of(table.columns)
    metric = next((m for m, own in metrics.COLUMNS.items() if own in table), metrics.REGRET)
    measured = [metrics.COLUMNS[metric] if x == "regret" else x for x in question.measured]
    fixed = [*with_budgets(question.columns, table), "seed", "run", *measured]
    if missing := [name for name in fixed if name not in table]:
        enough = f"; a table of runs needs at least {', '.join(NEEDED_COLUMNS)}"
        enough = "" if question != REGRET else enough
        words = ", ".join(missing)
        raise BadInput(f"{where}: not a tidy table of dpbandits: no column {words}{enough}")
    if table.empty:
        raise BadInput(f"{where}: the table has no rows")
    for own in (x for x in table if x in COMPUTED):
        raise BadInput(f"{where}: column {own}: results have a column {own}; rename yours")
    if whole and table["run"].nunique() > 1:
        for name in (name for name in table if name not in (*fixed, SETTING)):
            if table[name].head(LOOKED_AT).is_unique and table[name].is_unique:
                raise BadInput(f"{where}: column {name} {DIFFERS}")
    return question, metric


def check_settings(where: str, question: Question, settings: pd.DataFrame) -> None:
    """Refuse columns of settings if one of them holds a value that no tidy table may have."""
    budgets = with_budgets(["eps"], settings)
    fixed = [*with_budgets(question.columns, settings), "seed"]
    for name in fixed:
        may_be_blank = name in budgets and (len(budgets) > 1 or settings[name].isna().all())
        column = settings[name].dropna() if may_be_blank else settings[name]
        check_column(f"{where}: column {name}", name, column)
    others = [str(x) for x in settings if x not in (*fixed, SETTING)]
    for name in (*budgets, *question.goal_names, *others):
        if pd.api.types.is_float_dtype(settings[name]):
            refuse_alike(f"{where}: {name}", settings[name].unique())


def check_column(where: str, name: str, column: pd.Series) -> None:
    """Refuse a column with values that no tidy table may have."""
    if name in WORDS:
        if column.isna().any():
            raise BadInput(f"{where} has blanks")
        if pd.api.types.infer_dtype(column) not in ("string", "empty"):
            raise BadInput(f"{where} holds something that is not text")
        return
    values = column.to_numpy()
    if values.dtype.kind not in "biuf" or np.isnan(values).any():
        raise BadInput(f"{where} holds something that is not a number")
    if name not in BUDGETS and not np.isfinite(values).all():
        raise BadInput(f"{where} holds a number that is not finite")
    if name in POSITIVE and not (values > 0).all():
        raise BadInput(f"{where} holds {values.min():g}; it must be above 0")
    if name == "halted" and not np.isin(values, (0, 1)).all():
        raise BadInput(f"{where} holds a number that is neither 0 nor 1")
    if ((sizes := np.abs(values[np.isfinite(values)].astype(float))) > MAX_NUMBER).any():
        raise BadInput(f"{where} holds {sizes.max():g}; at most {MAX_NUMBER:g} is needed")


def answer_in(tables: Any) -> pd.DataFrame | None:
    """Return the argument, or the only entry of a list, if it is a result of ``dp.budget``; else
    None.

    The rows get new numbers, since users may join several answers.
    """
    several = all_of("table", tables)
    found = frame_of("the table", several[0]) if len(several) == 1 else pd.DataFrame()
    known = "answer" in found and {"without_privacy", "reached"} & {*found}
    return found.reset_index(drop=True) if known else None


def columns_apart(answer: pd.DataFrame) -> list[str]:
    """Return the columns of parameters. In an answer, the rows of one algorithm differ in these
    columns.
    """
    group, *names = map(str, answer.columns)
    return names[: names.index("budget" if group == "algo" else "env")]
