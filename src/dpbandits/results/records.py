"""The records of settings, by the ids of the settings. A record has all values that determine the
runs of a setting.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from numbers import Real
from pathlib import Path
from typing import Any

import pandas as pd

from ..contracts.parameters import BUDGETS
from ..contracts.question import Question
from ..errors import plain
from ..settings.request import LIMITS
from ..settings.setting import digest
from ..theory.problem import budget_of
from .manifest import UNREADABLE, read_manifest, read_records
from .varying import HASH, SETTING, details, told_apart_by

NUMBER = int | float
FIELDS: dict[str, Any] = {  # fields of a record with types; budgets and goals are numbers
    "algo": str, "env": str, "horizon": NUMBER, "parameters": dict, "env_spec": dict,
    "population": dict | None, "notion": str | None, "loss": NUMBER | None,
}  # fmt: skip
Record = Mapping[str, Any]  # see ``Setting.record``
NO_RECORD: Record = {"parameters": {}, "env_spec": {}, "population": None}


def records_beside(file: Path) -> dict[str, Record]:
    """Return the records of a table. The records are read from its manifest, or from the file that
    ``dp.save`` writes beside a table.

    The result is empty if neither file is readable.
    """
    with suppress(*UNREADABLE):
        return records_in(read_records(file))
    with suppress(*UNREADABLE):
        return records_in(read_manifest(file)["settings"])
    return {}


def records_of(attribute: Any) -> dict[str, Record]:
    """Return the records in an attribute of a user's frame; empty if the attribute is missing or
    was changed.
    """
    with suppress(*UNREADABLE):
        return records_in(json.loads(attribute))
    return {}


def records_in(found: Any) -> dict[str, Record]:
    """Return records by the ids of their settings, after a check of their fields.

    Raises:
        KeyError, TypeError, AttributeError: the argument is not a mapping of valid records.
    """
    for record in found.values():
        budgets = [record[name] for name in BUDGETS if record.get(name) is not None]
        numbers = [*record["parameters"].values(), *record.get("goal", {}).values(), *budgets]
        if not (
            record.keys() & {*BUDGETS}
            and all(isinstance(record[name], kind) for name, kind in FIELDS.items())
            and all(isinstance(x, NUMBER) for x in numbers)
            and isinstance(record.get("laws", {}), dict)
            and isinstance(record.get(LIMITS, []), list)
        ):
            raise TypeError
    return dict(found)


def agreeing(
    settings: pd.DataFrame, records: Mapping[str, Record], question: Question
) -> dict[str, Record]:
    """Return the records that agree with the columns of their settings, by the ids of the settings.

    ``settings`` has a row for each setting, indexed by id. If a record and its row disagree, a user
    may have edited the row. A record that disagrees with its row is left out.
    """
    found = {}
    for own, row in zip(settings.index, settings.to_dict("records"), strict=True):
        if own in records:
            known = _columns(records[own], question.limit)
            if all(_same(value, known[name]) for name, value in row.items() if name in known):
                found[own] = records[own]
    return found


def _columns(record: Record, limit: str) -> dict[str, Any]:
    """Return the values of a record under the names of a table's columns. Budgets that the
    algorithm does not take are infinite.
    """
    column, budget = budget_of(record)
    algo = record["algo"]
    about = {"algo": algo, "rule": algo, "env": record["env"], limit: record["horizon"]}
    budgets = dict.fromkeys(BUDGETS, math.inf) | {column: budget}
    return {**dict(details(record)), **record.get("goal", {}), **about, **budgets}


def _same(value: Any, known: Any) -> bool:
    """Return whether two values of a key agree. A word agrees with every number, since an option
    has a name and a number, and users may type either. The path of a file agrees with the same path
    followed by a hash, since users type paths without hashes.
    """
    if isinstance(value, str) and isinstance(known, str):
        return value in (known, HASH.sub("", known))
    if isinstance(value, str) or isinstance(known, str):
        return True
    if value is None or known is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return math.isclose(value, known, rel_tol=1e-9)


def with_ids(settings: pd.DataFrame) -> pd.DataFrame:
    """Index the rows of settings by their ids.

    A setting has no id if a user made its table by hand or by joining several tables. Several
    settings have the same id if a user edited their values. In both cases, the id becomes a hash of
    the columns that describe the setting.
    """
    ids = settings.get(SETTING, pd.Series(None, settings.index, dtype=object)).astype(object)
    lacking = ~ids.map(lambda x: isinstance(x, str)) | ids.duplicated(keep=False)
    about = settings.drop(columns=SETTING, errors="ignore")
    if lacking.any():
        shown = about.loc[lacking, told_apart_by(about)].to_dict("records")
        seed = str(about["seed"].iloc[0])  # the seed, if it does not vary
        ids[lacking] = [_hash_of(seed, row) for row in shown]
    return about.set_index(pd.Index(ids, dtype=object, name=SETTING))


def _hash_of(seed: str, setting: Mapping[Any, Any]) -> str:
    """Return the id of a setting of which only the columns are known. Writing the table to a file
    and reading it does not change the id.
    """
    shown = (
        f"{name}={x:.12g}" if isinstance(x, Real) else f"{name}={plain(x)}"
        for name, x in setting.items()
        if not pd.isna(x)
    )
    return digest(seed, *shown, length=16)
