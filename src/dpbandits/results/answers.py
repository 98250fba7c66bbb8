"""Answers of ``dpbandits.budget`` among the tables of users, and the columns of their rows."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..settings.choices import all_of
from .frames import frame_of


def answer_in(tables: Any) -> pd.DataFrame | None:
    """Return the frame of a user, or of a list of one frame, if it is an answer; None otherwise."""
    several = all_of("table", tables)
    found = frame_of("the table", several[0]) if len(several) == 1 else pd.DataFrame()
    known = "answer" in found and {"without_privacy", "reached"} & {*found}
    return found if known else None


def columns_apart(answer: pd.DataFrame) -> list[str]:
    """Return the columns of parameters that tell the rows of one algorithm, or rule, apart."""
    group, *names = map(str, answer.columns)
    return names[: names.index("budget" if group == "algo" else "env")]
