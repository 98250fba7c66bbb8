"""The records of a table's settings, by their ids: what each setting was run with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ..contracts.parameters import BUDGETS
from ..contracts.question import CONTEXTUAL
from ..errors import BadInput, plain
from ..settings.choices import LABEL
from ..settings.user_files import load_laws
from ..theory.problem import budget_of
from .formats import beside
from .metrics import NASH, REGRET, check_metric, measured_by
from .naming import with_names
from .tables import with_words
from .varying import (
    SETTING,
    descriptive,
    details,
    disambiguate,
    question_of_table,
    settings_in,
    settings_of,
)

SETTINGS, FILE = "settings", "file"  # attributes of tables: records by id, the path of the CSV file
METRIC = "metric"  # the attribute of a table whose column ``regret`` holds another metric
NUMBER = int | float
FIELDS: dict[str, Any] = {  # of a record, with their types; budgets and a goal are numbers, too
    "algo": str, "env": str, "horizon": NUMBER, "parameters": dict, "env_spec": dict,
    "population": dict | None, "notion": str | None, "loss": NUMBER | None,
}  # fmt: skip
Record = Mapping[str, Any]  # see ``Setting.record``
NO_RECORD: Record = {"parameters": {}, "env_spec": {}, "population": None}


class Records(dict[str, Record]):
    """The records of settings by their ids. They are never changed, so that the many copies that
    pandas makes of a table's attributes share them.
    """

    def __deepcopy__(self, memo: Any) -> Records:
        return self


_KNOWN: dict[str, Record] = {}  # of all settings that this process has played or read


def remembered(records: Mapping[str, Record]) -> Records:
    """Records of settings by their ids, which tables find that have lost theirs."""
    _KNOWN.update(records)
    return Records(records)


def with_known(table: pd.DataFrame) -> pd.DataFrame:
    """A tidy table in memory with the records of the settings that this process knows, if it lacks
    some, as a concatenated table does; with the columns that tell apart those that look alike.
    """
    if FILE in table.attrs or SETTING not in table.columns:
        return table
    limit, held = question_of_table(table).limit, table.attrs.get(SETTINGS, {})
    found = {}
    for row in settings_in(table).to_dict("records"):
        own = row[SETTING]
        record = _KNOWN.get(own) if isinstance(own, str) and own not in held else None
        if record is not None and _agree(row, _columns(record, limit)):
            found[own] = record
    if not found:
        return table
    table = told_apart(table, records := {**held, **found})
    table.attrs[SETTINGS] = Records(records)
    return table


def told_apart(table: pd.DataFrame, records: Mapping[str, Record]) -> pd.DataFrame:
    """A table with the columns of ``disambiguate``, where records tell settings apart."""
    shown: dict[str, dict[str, Any]] = {}
    columns = [name for name in descriptive(table) if name != "seed"]
    for row in settings_in(table)[[*columns, SETTING]].to_dict("records"):
        own = {str(n): x for n, x in row.items() if n != SETTING and pd.notna(x)}
        shown[row[SETTING]] = own | shown.get(row[SETTING], {})
    more = disambiguate(list(shown.values()), [records.get(own, NO_RECORD) for own in shown])
    about = {own: shown[own] | found for own, found in zip(shown, more, strict=True)}
    filled = {}
    for name in dict.fromkeys(name for values in about.values() for name in values):
        if name not in table.columns or table[name].isna().any():
            known = {key: values.get(name) for key, values in about.items()}
            column = table[SETTING].astype(object).map(known)
            held = table.get(name, column)
            filled[name] = held.where(held.notna(), column)
    return table.assign(**filled)


def records_in(manifest: Mapping[str, Any]) -> Records:
    """The records in a manifest.

    Raises:
        KeyError, TypeError, AttributeError: it has none, or something else in their place.
    """
    found = Records(manifest["settings"].items())
    for record in found.values():
        budgets = [record[name] for name in BUDGETS if record.get(name) is not None]
        numbers = [*record["parameters"].values(), *record.get("goal", {}).values(), *budgets]
        if not (
            record.keys() & {*BUDGETS}
            and all(isinstance(record[name], kind) for name, kind in FIELDS.items())
            and all(isinstance(x, NUMBER) for x in numbers)
        ):
            raise TypeError
    return remembered(found)


def records_of(
    table: pd.DataFrame, needed: str, folders: Sequence[str] = (), rows: pd.DataFrame | None = None
) -> list[Record]:
    """The record of each setting of a table, in the order of its settings.

    Args:
        table: a tidy table.
        needed: what needs the records; messages begin with it.
        folders: the user's folders, with the reward laws that the records name.
        rows: the settings, if they are known: a row each with their columns.

    Raises:
        BadInput: the table has no records, or some setting has none, or another one.
    """
    known, file = table.attrs.get(SETTINGS), table.attrs.get(FILE)
    if known is None and file is not None:
        raise BadInput(
            f"{needed}: no readable manifest {beside(Path(file), '.json')}, which records the "
            f"settings of {file}"
        )
    if known is None:
        raise BadInput(
            f"{needed}: only tables of dp.run, and those with a manifest, say what their settings "
            "were run with"
        )
    limit = question_of_table(table).limit
    columns = settings_of(table)
    found = []
    for row in (settings_in(table) if rows is None else rows[columns]).to_dict("records"):
        record = known.get(row.get(SETTING))
        if record is None or not _agree(row, _columns(record, limit)):
            if file is not None:
                raise BadInput(f"{needed}: the manifest beside {file} is that of another table")
            about = ", ".join(f"{k}={plain(x)}" for k, x in row.items() if k != SETTING)
            raise BadInput(
                f"{needed}: what {about} was run with is not recorded; the table is needed as it "
                "was made, sorted or filtered at most"
            )
        found.append(record)
    load_laws([record["env_spec"] for record in found], folders)
    return found


def _columns(record: Record, limit: str) -> dict[str, Any]:
    """What a record tells of the columns of a table."""
    column, budget = budget_of(record)
    algo = record["algo"]
    about = {"algo": algo, "rule": algo, "env": record["env"], limit: record["horizon"]}
    return {**dict(details(record)), **record.get("goal", {}), **about, column: budget}


def _agree(row: Mapping[Any, Any], own: Mapping[str, Any]) -> bool:
    """Whether the values of a row are those of its record: they may have been edited."""
    for name, value in row.items():
        if name in BUDGETS and name not in own:
            if isinstance(value, float) and math.isfinite(value):
                return False
        elif name in own and not _same(value, own[name]):
            return False
    return True


def _same(value: Any, known: Any) -> bool:
    """Whether two values are the same; a word and its number may be the same option."""
    if isinstance(value, str) or isinstance(known, str):
        return value == known or not (isinstance(value, str) and isinstance(known, str))
    if value is None or known is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return math.isclose(value, known, rel_tol=1e-9)


def with_labels(table: pd.DataFrame) -> pd.DataFrame:
    """A table in which environments that have a label are called by it."""
    records = table.attrs.get(SETTINGS, {})
    return with_names(table, {own: r[LABEL] for own, r in records.items() if LABEL in r})


def with_metric(table: pd.DataFrame, metric: str, folders: Sequence[str] = ()) -> pd.DataFrame:
    """A table with another statistic, see ``measured_by``; it knows its metric.

    A table that holds another statistic than pseudo-regret keeps it if none or the same is asked
    for. Nash regret needs the records of the settings, see ``records_of``.

    Raises:
        BadInput: the table holds another metric; or Nash regret is asked for, and arms have other
            means in each context, or a run lacks a checkpoint which others of its setting have.
    """
    check_metric(metric)
    held = metric_of(table)
    if held != REGRET:
        if metric in (held, REGRET):
            return table
        raise BadInput(f"metric={metric}: the table holds {held} already")
    records = None
    if metric == NASH and "rule" not in table.columns:
        records = records_for_nash(table, folders)
        table = with_words(table)
    found = measured_by(table, metric, records)
    if found is not table:
        found.attrs[METRIC] = metric
    return found


def records_for_nash(table: pd.DataFrame, folders: Sequence[str] = ()) -> list[Record] | None:
    """The records of a table's settings, which tell the means of the arms; None if it has none.

    Raises:
        BadInput: as ``with_metric``.
    """
    needed = f"{METRIC}={NASH}"
    if not table.attrs.keys() & {SETTINGS, FILE}:
        return None
    records = records_of(table, needed, folders)
    for record in records:
        if record.get("question") == CONTEXTUAL.name:
            raise BadInput(f"{needed}: env={record['env']}: arms with contexts have no means")
    settings = settings_of(table)
    rows = with_words(table)
    of_runs = rows.groupby([*settings, "run"], dropna=False, sort=False, as_index=False).size()
    if (of_runs.groupby(settings, dropna=False)["size"].nunique() > 1).any():
        raise BadInput(f"{needed}: a run lacks checkpoints that others of its setting have")
    return records


def metric_of(table: pd.DataFrame) -> str:
    """The metric that a table's column ``regret`` holds."""
    return str(table.attrs.get(METRIC, REGRET))
