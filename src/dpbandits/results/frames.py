"""Check frames that users give: convert their types, complete them, refuse frames without a
table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..contracts.question import QUESTIONS, REGRET, Question
from ..errors import BadInput, in_a_line
from . import metrics
from .checks import DIFFERS
from .varying import SETTING, with_budgets

NEEDED_COLUMNS = ("algo", "t", "regret")  # without which nothing can be drawn
LOOKED_AT = 1000  # rows of a column that tell whether it differs from row to row
NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "boolean")


def plain_frame(where: str, table: Any) -> pd.DataFrame:
    """A table of pandas, or of a package that converts its own to pandas, as a frame of columns of
    numbers and words, each with a name of its own; messages begin with ``where``.

    Raises:
        BadInput: it is no such table.
    """
    table = frame_of(where, table)
    names = table.columns
    rows = pd.RangeIndex(len(table))
    columns = {str(name): _plain(f"{where}: column {name}", table[name]) for name in names}
    arrays = {name: x if x.index.equals(rows) else x.set_axis(rows) for name, x in columns.items()}
    return pd.DataFrame(arrays, copy=False)


def frame_of(where: str, table: Any) -> pd.DataFrame:
    """A table as a frame of pandas whose columns have names, each its own."""
    found = table if isinstance(table, pd.DataFrame) else _converted(where, table)
    if not (found.columns.is_unique and all(isinstance(name, str) for name in found.columns)):
        raise BadInput(f"{where}: each column of a tidy table needs a unique name")
    return found


def _converted(where: str, table: Any) -> pd.DataFrame:
    """A table of another package, such as polars or pyarrow, as a frame."""
    kind = type(table)
    name = f"{kind.__module__.partition('.')[0]}.{kind.__qualname__}"
    found = None
    if hasattr(kind, "to_pandas"):
        try:
            found = table.to_pandas()
        except Exception as error:  # of another package: for the lack of pyarrow, say
            reason = in_a_line(f"{type(error).__name__}: {error}", 200)
            raise BadInput(
                f"{where}: {name} cannot be converted by to_pandas() ({reason})"
            ) from None
    if not isinstance(found, pd.DataFrame):
        name = kind.__name__ if kind.__module__ == "builtins" else name
        raise BadInput(f"{where}: a tidy table is needed, such as dp.run returns, not {name}")
    return found


def _plain(where: str, column: pd.Series) -> Any:
    """A column as numbers of NumPy, or as objects: words, of which some may be missing."""
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "iufb" and kind.itemsize <= 8:
        return column if isinstance(column.index, pd.RangeIndex) else _series(column.to_numpy())
    if not isinstance(kind, np.dtype) and pd.api.types.is_numeric_dtype(kind):
        blank = bool(column.isna().any())
        whole = not blank and (
            pd.api.types.is_integer_dtype(kind) or pd.api.types.is_bool_dtype(kind)
        )
        return _series(
            column.to_numpy(dtype=np.int64) if whole else column.to_numpy(float, na_value=np.nan)
        )
    if isinstance(kind, np.dtype) and kind.kind == "f":
        return _series(column.to_numpy(dtype=float))
    values = np.asarray(column, dtype=object)
    found = pd.api.types.infer_dtype(values, skipna=True)
    if found in NUMBERS:
        try:
            return _series(np.array([np.nan if pd.isna(x) else x for x in values], dtype=float))
        except OverflowError:
            raise BadInput(f"{where} holds a number that is not finite") from None
    if found in ("string", "empty"):
        return _series(values)
    try:
        pd.factorize(values)
    except TypeError:
        odd = next(type(x).__name__ for x in values if not isinstance(x, str | float | int))
        raise BadInput(f"{where} holds {odd}; numbers or words are needed") from None
    return _series(values)


def _series(values: np.ndarray) -> pd.Series:
    return pd.Series(values, dtype=values.dtype, copy=False)


def plain_words(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows whose words are objects and no categories."""
    few = [x for x, kind in rows.dtypes.items() if isinstance(kind, pd.CategoricalDtype)]
    return rows.astype(dict.fromkeys(few, object))


def completed(table: pd.DataFrame) -> pd.DataFrame:
    """A table with at least ``algo``, ``t`` and ``regret`` as a tidy table: runs of a game without
    a name, in the order of their rows, until the last round. Any other table is returned unchanged.
    """
    if not set(NEEDED_COLUMNS) <= set(table.columns) or table.empty:
        return table
    budget = {} if set(BUDGETS) & set(table.columns) else {"eps": np.inf}
    given = {"env": "", **budget, "horizon": table["t"].max(), "seed": 0}
    if "run" not in table.columns:
        others = [name for name in table.columns if name != "regret"]
        given["run"] = table.groupby(others, dropna=False).cumcount()
    return table.assign(**{k: v for k, v in given.items() if k not in table.columns})


def question_of(columns: Any) -> Question:
    """The question whose columns a table has; the question of regret if there is no such
    column.
    """
    found = [question for question in QUESTIONS if question.group in columns]
    whole = (q for q in found if {*q.columns} - {"eps"} <= {*columns})
    return next(whole, found[0] if found else REGRET)


def check_frame(where: str, table: pd.DataFrame, whole: bool = True) -> tuple[Question, str]:
    """The question that a table answers, and the metric that it holds.

    Args:
        where: what messages begin with.
        table: a table, or its first rows.
        whole: whether it has all rows.

    Raises:
        BadInput: it lacks columns or rows, or a column tells no settings apart.
    """
    question = question_of(table.columns)
    metric = next((m for m, own in metrics.COLUMNS.items() if own in table), metrics.REGRET)
    measured = [metrics.COLUMNS[metric] if x == "regret" else x for x in question.measured]
    fixed = [*with_budgets(question.columns, table), "seed", "run", *measured]
    if missing := [name for name in fixed if name not in table]:
        enough = "" if question != REGRET else f" ({', '.join(NEEDED_COLUMNS)} are enough)"
        words = ", ".join(missing)
        raise BadInput(f"{where}: not a tidy table of dpbandits: no column {words}{enough}")
    if table.empty:
        raise BadInput(f"{where}: the table has no rows")
    if whole and table["run"].nunique() > 1:
        for name in (name for name in table if name not in (*fixed, SETTING)):
            if table[name].head(LOOKED_AT).is_unique and table[name].is_unique:
                raise BadInput(f"{where}: column {name} {DIFFERS}")
    return question, metric
