"""Several tables as one, in which each setting is once and no two look alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadInput
from .reading import read_table
from .records import FILE, SETTINGS, Record, Records
from .varying import (
    SETTING,
    budgets_of,
    descriptive,
    disambiguate,
    question_of_table,
    settings_in,
    without_privacy,
)

ALIKE = (
    "the tables contain settings that look alike: no column and no manifest says how they differ; "
    "plot the tables separately"
)
NO_RECORD: Record = {"parameters": {}, "env_spec": {}, "population": None}


def read_tables(files: Sequence[Path]) -> pd.DataFrame:
    """The tables of some files as one, see ``concat_tables``."""
    return concat_tables([read_table(file) for file in files])


def concat_tables(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Several tables as one, with the columns of ``disambiguate`` where the records of settings
    tell those apart that look alike. A run in several tables is taken once.

    Raises:
        BadInput: the tables answer different questions, or no record tells settings apart.
    """
    questions = sorted({question_of_table(table).name for table in tables})
    if len(questions) > 1:
        raise BadInput(f"the tables answer different questions: {', '.join(questions)}")
    if len(tables) == 1:
        return tables[0]
    records: dict[str, Record] = {}
    shown: dict[str, dict[str, Any]] = {}
    lacking = []
    for table in tables:
        records |= table.attrs.get(SETTINGS, {})
        lacking += [table.attrs.get(FILE)] if SETTINGS not in table.attrs else []
        for row in settings_in(table)[[*descriptive(table), SETTING]].to_dict("records"):
            own = {str(n): x for n, x in row.items() if n != SETTING and pd.notna(x)}
            shown[row[SETTING]] = own | shown.get(row[SETTING], {})
    more = disambiguate(list(shown.values()), [records.get(own, NO_RECORD) for own in shown])
    about = {own: shown[own] | found for own, found in zip(shown, more, strict=True)}
    table = _joined_budgets(_described(_rows_once(tables), about))
    settings = settings_in(table)
    if settings.duplicated(descriptive(settings)).any():
        raise BadInput(ALIKE)
    table.attrs = {FILE: lacking[0]} if lacking else {SETTINGS: Records(records)}
    return table


def _rows_once(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The rows of tables, one after the other; each run of a setting once.

    Raises:
        BadInput: a run has two results.
    """
    table, measured = pd.concat(tables, ignore_index=True), question_of_table(tables[0]).measured
    table = table[~table.duplicated([SETTING, "run", *measured])].reset_index(drop=True)
    if table.duplicated([SETTING, "run", *[name for name in measured if name == "t"]]).any():
        raise BadInput(ALIKE)
    return table


def _described(table: pd.DataFrame, about: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """The rows with the columns of their settings, of which the tables had some, or some blank."""
    filled = {}
    for name in dict.fromkeys(name for own in about.values() for name in own):
        if name not in table.columns or table[name].isna().any():
            values = (
                table[SETTING]
                .astype(object)
                .map({key: own.get(name) for key, own in about.items()})
            )
            own = table.get(name, values)
            filled[name] = own.where(own.notna(), values)
    return table.assign(**filled)


def _joined_budgets(table: pd.DataFrame) -> pd.DataFrame:
    """Joined tables, in which algorithms without any privacy have no blank budgets: they had no
    column of those that only other tables have.
    """
    group, free = question_of_table(table).group, without_privacy(table)
    never = free & ~table[group].isin(table.loc[~free, group])
    filled = {name: table[name].mask(never, np.inf) for name in budgets_of(table)}
    return table.assign(**filled)
