"""The records of a table's settings: which belongs to which, and what Nash regret needs of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..contracts.parameters import BUDGETS
from ..contracts.question import CONTEXTUAL
from ..errors import BadInput, plain
from ..theory.problem import budget_of
from .distinguish import details
from .metrics import NASH, REGRET, measured_by
from .tables import question_of_table, settings_of

METRIC = "metric"  # the attribute of a table whose column ``regret`` holds another metric
Records = Sequence[Mapping[str, Any]]


def of_metric(table: pd.DataFrame, metric: str, records: Records | None) -> pd.DataFrame:
    """A table with another statistic, see ``measured_by``; it knows its metric.

    A table that holds another statistic than pseudo-regret keeps it if none or the same is asked
    for.

    Raises:
        BadInput: the table holds another metric; or Nash regret is asked for, and arms have other
            means in each context, or a run lacks a checkpoint which others of its setting have.
    """
    held = metric_of(table)
    if held != REGRET:
        if metric in (held, REGRET):
            return table
        raise BadInput(f"metric={metric}: the table holds {held} already")
    if metric == NASH and records is not None:
        for record in records:
            if record.get("question") == CONTEXTUAL.name:
                env = f"env={record['env']}"
                raise BadInput(f"metric={metric}: {env}: arms with contexts have no means")
        settings = settings_of(table)
        of_runs = table.groupby([*settings, "run"], dropna=False, sort=False, as_index=False).size()
        if (of_runs.groupby(settings, dropna=False)["size"].nunique() > 1).any():
            raise BadInput(
                f"metric={metric}: a run lacks checkpoints that others of its setting have"
            )
    found = measured_by(table, metric, records)
    if found is not table:
        found.attrs[METRIC] = metric
    return found


def metric_of(table: pd.DataFrame) -> str:
    """The metric that a table's column ``regret`` holds."""
    return str(table.attrs.get(METRIC, REGRET))


def in_order(table: pd.DataFrame, records: Records, needed: str) -> list[Mapping[str, Any]]:
    """The records of a table's settings in the order of its settings, since tables are sorted and
    filtered.

    Raises:
        BadInput: some settings have no record, or which it is cannot be told; messages begin with
            ``needed``.
    """
    limit = question_of_table(table).limit
    rows = table[settings_of(table)].drop_duplicates().to_dict("records")
    known = [_columns(record, limit) for record in records]
    pairs = zip(rows, known, strict=False)
    if len(rows) == len(records) and all(_agree(row, own) for row, own in pairs):
        return list(records)
    of_game: dict[tuple[Any, Any], list[int]] = {}
    for i, own in enumerate(known):
        of_game.setdefault((own["algo"], own["env"]), []).append(i)
    found = []
    for row in rows:
        same = of_game.get((row.get("algo", row.get("rule")), row["env"]), [])
        fitting = [i for i in same if _agree(row, known[i])]
        if len(fitting) != 1:
            about = ", ".join(f"{name}={plain(value)}" for name, value in row.items())
            raise BadInput(
                f"{needed}: what {about} was run with is recorded {len(fitting)} times; the table "
                "is needed as it was made, sorted or filtered at most"
            )
        found.append(records[fitting[0]])
    return found


def _columns(record: Mapping[str, Any], limit: str) -> dict[str, Any]:
    """What a record tells of the columns of a table."""
    column, budget = budget_of(record)
    algo = record["algo"]
    about = {"algo": algo, "rule": algo, "env": record["env"], limit: record["horizon"]}
    return {**dict(details(record)), **record.get("goal", {}), **about, column: budget}


def _agree(row: Mapping[Any, Any], own: Mapping[str, Any]) -> bool:
    """Whether a record can be that of a row; a word and its number may be the same option."""
    for name, value in row.items():
        if name in BUDGETS and name not in own:
            if isinstance(value, float) and math.isfinite(value):
                return False
        elif name in own and not _same(value, own[name]):
            return False
    return True


def _same(value: Any, known: Any) -> bool:
    if isinstance(value, str) or isinstance(known, str):
        return value == known or not (isinstance(value, str) and isinstance(known, str))
    if value is None or known is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return math.isclose(value, known, rel_tol=1e-9)
