"""Curves of bounds to draw beside a table: which theorems, and their values."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadInput
from ..results.summary import settings_of
from ..theory.bounds import Bound, bounds_for
from ..theory.problem import Problem, problem
from ..validation import file_at
from .regret import LONG

MOST = 6  # curves in one panel
POINTS = 60
FAR = 1000  # a lower bound that is this much smaller than the regret is not worth the room
FIELDS = {"algo", "parameters", "env", "env_spec", "eps", "population", "horizon"}
SHORT = {"Theorem": "Thm.", "Corollary": "Cor.", "Algorithm": "Alg.", "whatever the": "any"}


def read_records(table: Path) -> list[dict[str, Any]]:
    """What each setting of a table was run with, from the manifest beside it."""
    file = table.with_suffix(".json")
    try:
        records = json.loads(file_at(file).read_text())["cells"]
        if not all(record.keys() >= FIELDS for record in records):
            raise KeyError
        return list(records)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise BadInput(
            f"bounds=true: no readable manifest {file}, which says what {table} was run with"
        ) from None


def curves(table: pd.DataFrame, records: Sequence[Mapping[str, Any]], name: str) -> pd.DataFrame:
    """The curves of the bounds that say most of the settings of a table.

    Args:
        table: a tidy table.
        records: what each of its settings was run with, in the table's order.
        name: what the table is called in a complaint.

    Returns:
        A row for each point of a curve: the columns that tell the setting, ``axis`` (t or eps), the
        point ``x`` on it, the ``value``, and ``label``, ``kind`` and ``side`` of the bound. Orders
        are multiplied by a constant: on the axis t the curve meets the mean regret at the horizon,
        on the axis eps it fits the mean regrets best.
    """
    settings = table[settings_of(table)].drop_duplicates().reset_index(drop=True)
    rows = [{str(k): x for k, x in row.items()} for row in settings.to_dict("records")]
    check_match(rows, records, name)
    last = table[table["t"] == table["horizon"]]
    means = last.groupby(settings_of(table), sort=False, dropna=False)["regret"].mean().to_numpy()
    asked = [problem(record) for record in records]
    found = [over_time(*x) for x in zip(rows, asked, means, strict=True)]
    but_eps = [column for column in settings.columns if column != "eps"]
    for _, group in settings.groupby(but_eps, sort=False, dropna=False):
        several = group[np.isfinite(group["eps"])].sort_values("eps").index
        if len(several) > 1 and all(same_levels(asked[i]) for i in several):
            of_budgets = [asked[i] for i in several]
            found.append(over_budgets(rows[several[0]], of_budgets, means[several]))
    parts = handful(without_references([part for parts in found for part in parts if len(part)]))
    if not parts:
        return pd.DataFrame(columns=[*settings.columns, *COLUMNS])
    return pd.concat(parts, ignore_index=True).drop(columns="rank")


def without_references(parts: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """Without the curves of algorithms that are not private where private ones have some."""

    def game(part: pd.DataFrame) -> tuple:
        return tuple(part[["axis", "env", "horizon"]].iloc[0])

    private = {game(part) for part in parts if math.isfinite(part["eps"].iloc[0])}
    return [p for p in parts if math.isfinite(p["eps"].iloc[0]) or game(p) not in private]


def handful(parts: Iterable[pd.DataFrame]) -> list[pd.DataFrame]:
    """The curves that say most: no more than MOST in a panel, where those that coincide are one."""
    kept: list[pd.DataFrame] = []
    drawn: defaultdict[tuple, set] = defaultdict(set)
    for part in sorted(parts, key=lambda part: int(part["rank"].iloc[0])):
        first = part.iloc[0]
        panel = (first["axis"], first["env"], first["horizon"])
        panel += (first["eps"],) if first["axis"] == "t" else ()
        what = (first["label"], part["value"].to_numpy().tobytes())
        if what in drawn[panel] or len(drawn[panel]) < MOST:
            drawn[panel].add(what)
            kept.append(part)
    return kept


COLUMNS = ["axis", "x", "value", "label", "kind", "side"]


def check_match(
    rows: Sequence[Mapping[str, Any]], records: Sequence[Mapping[str, Any]], name: str
) -> None:
    """Refuse a manifest that is not that of its table."""
    same = len(rows) == len(records)
    for row, record in zip(rows, records, strict=False):
        eps = math.inf if record["eps"] is None else record["eps"]
        same = same and (row["algo"], row["env"]) == (record["algo"], record["env"])
        same = same and row["horizon"] == record["horizon"]
        same = same and (row["eps"] == eps or math.isclose(row["eps"], eps, rel_tol=1e-9))
    if not same:
        raise BadInput(f"bounds=true: the manifest beside {name} is that of another table")


def chosen(asked: Problem) -> list[Bound]:
    """The bounds of a setting that are worth a line: of each side the one that says most, and what
    is refuted.
    """
    applying = bounds_for(asked)[0]

    def of(side: str, *statuses: str) -> list[Bound]:
        return [b for b in applying if b.side == side and b.status in statuses]

    def most(bounds: list[Bound]) -> list[Bound]:
        return [max(bounds, key=lambda b: b.value(asked))] if bounds else []

    def least(bound: Bound) -> tuple[float, int]:  # a corollary rather than its theorem
        return float(f"{bound.value(asked):.9g}"), len(bound.statement)

    exact = sorted(of("upper", "exact"), key=least)[:1]
    orders = [b for b in of("upper", "order") if b.of_instance] or of("upper", "order")
    lower = most(of("lower", "asymptotic")) or most(of("lower", "worst case"))
    refuted = [b for b in of("upper", "refuted") if not b.of_instance]
    return [*(exact or orders[:1]), *lower, *most(of("lower", "order")), *refuted]


def rank(bound: Bound) -> int:
    """Which bounds are kept where there are too many: the first."""
    kinds = ["exact", "asymptotic", "refuted", "order", "worst case"]
    return 2 * kinds.index(bound.status) + (bound.side == "lower")


def label(bound: Bound) -> str:
    """What a legend says of a bound."""
    kind = {"exact": "", "order": ", slope only"}.get(bound.status, f", {bound.status}")
    words = f"{bound.side} bound{kind}"
    if bound.status == "refuted":
        words = "refuted, slope only"
    source = bound.source.partition(" (")[0]
    for word, short in SHORT.items():
        source = source.replace(word, short)
    return f"{words}: {source}"


def curve(
    told: Mapping[str, Any], bound: Bound, axis: str, x: np.ndarray, value: Any
) -> pd.DataFrame:
    """One curve as rows of the table of curves."""
    columns: dict[str, Any] = {**told, "axis": axis, "x": x, "value": value}
    columns |= {"label": label(bound), "kind": bound.status, "side": bound.side}
    points = pd.DataFrame(columns | {"rank": rank(bound)})
    return points[points["value"] > 0]


def over_time(told: Mapping[str, Any], asked: Problem, mean: float) -> list[pd.DataFrame]:
    """The curves of a setting against the horizon."""
    grid = np.geomspace(1, asked.T, POINTS)
    if asked.T <= LONG:  # time is drawn on a linear axis
        grid = np.union1d(grid, np.linspace(asked.T / POINTS, asked.T, POINTS))
    parts = []
    for bound in chosen(asked):
        if bound.is_number and bound.side == "lower" and bound.value(asked) < mean / FAR:
            continue
        values = np.array([bound.value(asked.at(T=t)) for t in grid])
        scale = 1.0 if bound.is_number else mean / bound.value(asked)
        parts.append(curve(told, bound, "t", grid, values * scale))
    return parts


def same_levels(asked: Problem) -> bool:
    """Whether one budget says how private all users are."""
    return asked.equal_levels if "eps_min" in asked.parameters else True


def over_budgets(
    told: Mapping[str, Any], asked: Sequence[Problem], means: np.ndarray
) -> list[pd.DataFrame]:
    """The curves of settings that differ in the budget alone, against it."""
    grid = np.geomspace(asked[0].eps, asked[-1].eps, POINTS)
    parts = []
    at_ends = [*chosen(asked[0]), *(b for b in chosen(asked[-1]) if b.side == "lower")]
    for bound in dict.fromkeys(at_ends):
        values = np.array([bound.value(asked[0].at(eps=eps)) for eps in grid])
        ratios = np.array([m / bound.value(q) for m, q in zip(means, asked, strict=True) if m > 0])
        finite = ratios[np.isfinite(ratios)]
        fitted = math.exp(np.log(finite).mean()) if len(finite) else math.nan
        values = values if bound.is_number else values * fitted
        if bound.side == "lower":
            values = np.where(values < means.min() / FAR, math.nan, values)
        parts.append(curve(told, bound, "eps", grid, values))
    return parts
