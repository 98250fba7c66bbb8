"""Checks of the values in the columns of tidy tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..contracts.question import Question
from ..errors import BadInput
from ..validation import refuse_alike
from .varying import SETTING, with_budgets

WORDS = ("algo", "rule", "env")
POSITIVE = (
    *BUDGETS, "horizon", "t", "rel_error", "alpha", "beta", "delta", "mu0", "mu1", "R", "cap",
    "stopping_time",
)  # fmt: skip
DIFFERS = "differs from row to row: leave it out"
MAX_NUMBER = 1e100  # in a table: squares of larger ones are not finite


def check_settings(where: str, question: Question, settings: pd.DataFrame) -> None:
    """Refuse settings if a column holds a value that is not allowed in a tidy table."""
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
    """Refuse a column that holds values that are not allowed in a tidy table."""
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
    if ((sizes := np.abs(values[np.isfinite(values)].astype(float))) > MAX_NUMBER).any():
        raise BadInput(f"{where} holds {sizes.max():g}; at most {MAX_NUMBER:g} is needed")
