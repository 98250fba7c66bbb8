"""Curves of the theorems on a table's settings, to draw beside what was measured."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadInput
from ..results.manifest import UNREADABLE, read_manifest
from ..results.tables import settings_of
from ..theory.bounds import Bound, bounds_for
from ..theory.problem import Problem, problem
from .style import LONG

MOST = 6  # curves in one panel
POINTS = 60  # of a curve
FAR = 1000  # lower bounds are not drawn where the regret is this many times larger
FIELDS = {"algo", "parameters", "env", "env_spec", "eps", "population", "horizon", "notion"}
COLUMNS = ["axis", "x", "value", "label", "kind", "side"]
SHORT = {"Theorem": "Thm.", "Corollary": "Cor.", "Algorithm": "Alg.", "whatever the": "any"}


def read_records(table: Path) -> list[dict[str, Any]]:
    """The records of a table's settings, from the manifest beside it."""
    try:
        records = list(read_manifest(table)["settings"])
        if not all(record.keys() >= FIELDS for record in records):
            raise KeyError
        return records
    except UNREADABLE:
        file = table.with_suffix(".json")
        raise BadInput(
            f"bounds=true: no readable manifest {file}, which records the settings of {table}"
        ) from None


def curves(table: pd.DataFrame, records: Sequence[Mapping[str, Any]], name: str) -> pd.DataFrame:
    """The curves of the most informative bounds on the settings of a table.

    Args:
        table: a tidy table.
        records: the record of each of its settings, in the table's order.
        name: the table's name in an error.

    Returns:
        A row for each point of a curve: the columns of its setting, ``axis`` (t or eps), the point
        ``x`` on it, the ``value``, and ``label``, ``kind`` and ``side`` of the bound. Orders are
        multiplied by a constant: against t the curve meets the mean regret at the horizon, against
        eps it fits the mean regrets best.

    Raises:
        BadInput: the records are not those of the table.
    """
    settings = table[settings_of(table)].drop_duplicates().reset_index(drop=True)
    rows = [{str(k): x for k, x in row.items()} for row in settings.to_dict("records")]
    check_match(rows, records, name)
    last = table[table["t"] == table["horizon"]]
    means = last.groupby(settings_of(table), sort=False, dropna=False)["regret"].mean().to_numpy()
    problems = [problem(record) for record in records]
    found = [against_time(*x) for x in zip(rows, problems, means, strict=True)]
    but_eps = [column for column in settings.columns if column != "eps"]
    for _, group in settings.groupby(but_eps, sort=False, dropna=False):
        several = group[np.isfinite(group["eps"])].sort_values("eps").index
        if len(several) > 1 and all(same_levels(problems[i]) for i in several):
            of_budgets = [problems[i] for i in several]
            found.append(against_budget(rows[several[0]], of_budgets, means[several]))
    parts = limited(without_references([part for parts in found for part in parts if len(part)]))
    if not parts:
        return pd.DataFrame(columns=[*settings.columns, *COLUMNS])
    return pd.concat(parts, ignore_index=True).drop(columns="rank")


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


def without_references(parts: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """The curves without those of non-private algorithms where a private one has a curve."""

    def game(part: pd.DataFrame) -> tuple:
        return tuple(part[["axis", "env", "horizon"]].iloc[0])

    private = {game(part) for part in parts if math.isfinite(part["eps"].iloc[0])}
    return [p for p in parts if math.isfinite(p["eps"].iloc[0]) or game(p) not in private]


def limited(parts: Iterable[pd.DataFrame]) -> list[pd.DataFrame]:
    """The curves of the first ranks, at most MOST different ones in a panel."""
    chosen: list[pd.DataFrame] = []
    drawn: defaultdict[tuple, set] = defaultdict(set)
    for part in sorted(parts, key=lambda part: int(part["rank"].iloc[0])):
        first = part.iloc[0]
        panel = (first["axis"], first["env"], first["horizon"])
        panel += (first["eps"],) if first["axis"] == "t" else ()
        curve = (first["label"], part["value"].to_numpy().tobytes())
        if curve in drawn[panel] or len(drawn[panel]) < MOST:
            drawn[panel].add(curve)
            chosen.append(part)
    return chosen


def informative(problem: Problem) -> list[Bound]:
    """The bounds to draw for a setting: the tightest of each side, and the refuted ones."""
    applying = bounds_for(problem)[0]

    def of(side: str, *statuses: str) -> list[Bound]:
        return [b for b in applying if b.side == side and b.status in statuses]

    def largest(bounds: list[Bound]) -> list[Bound]:
        return [max(bounds, key=lambda b: b.value(problem))] if bounds else []

    def smallest_first(bound: Bound) -> tuple[float, int]:  # a corollary before its theorem
        return float(f"{bound.value(problem):.9g}"), len(bound.statement)

    exact = sorted(of("upper", "exact"), key=smallest_first)[:1]
    orders = [b for b in of("upper", "order") if b.of_instance] or of("upper", "order")
    lower = largest(of("lower", "asymptotic")) or largest(of("lower", "worst case"))
    refuted = [b for b in of("upper", "refuted") if not b.of_instance]
    return [*(exact or orders[:1]), *lower, *largest(of("lower", "order")), *refuted]


def rank(bound: Bound) -> int:
    """The rank of a bound among those of a panel, the most informative first."""
    kinds = ["exact", "asymptotic", "refuted", "order", "worst case"]
    return 2 * kinds.index(bound.status) + (bound.side == "lower")


def label(bound: Bound) -> str:
    """A bound in a legend: its side, its kind unless exact, and its source."""
    kind = {"exact": "", "order": ", slope only"}.get(bound.status, f", {bound.status}")
    words = f"{bound.side} bound{kind}"
    if bound.status == "refuted":
        words = "refuted, slope only"
    source = bound.source.partition(" (")[0]
    for word, short in SHORT.items():
        source = source.replace(word, short)
    return f"{words}: {source}"


def curve(
    setting: Mapping[str, Any], bound: Bound, axis: str, x: np.ndarray, value: np.ndarray
) -> pd.DataFrame:
    """One curve as rows of the table of curves, with the bound's ``rank``."""
    columns: dict[str, Any] = {**setting, "axis": axis, "x": x, "value": value}
    columns |= {"label": label(bound), "kind": bound.status, "side": bound.side}
    points = pd.DataFrame(columns | {"rank": rank(bound)})
    return points[points["value"] > 0]


def against_time(setting: Mapping[str, Any], problem: Problem, mean: float) -> list[pd.DataFrame]:
    """The curves of a setting against the horizon."""
    grid = np.geomspace(1, problem.T, POINTS)
    if problem.T <= LONG:  # the axis of time is linear
        grid = np.union1d(grid, np.linspace(problem.T / POINTS, problem.T, POINTS))
    parts = []
    for bound in informative(problem):
        if bound.is_number and bound.side == "lower" and bound.value(problem) < mean / FAR:
            continue
        values = np.array([bound.value(problem.at(T=t)) for t in grid])
        scale = 1.0 if bound.is_number else mean / bound.value(problem)
        parts.append(curve(setting, bound, "t", grid, values * scale))
    return parts


def same_levels(problem: Problem) -> bool:
    """Whether all users have the same privacy level, so that eps can be an axis."""
    return problem.equal_levels if "eps_min" in problem.parameters else True


def against_budget(
    setting: Mapping[str, Any], problems: Sequence[Problem], means: np.ndarray
) -> list[pd.DataFrame]:
    """The curves against the budget of settings that differ only in it, in ascending order."""
    first, last = problems[0], problems[-1]
    grid = np.geomspace(first.eps, last.eps, POINTS)
    parts = []
    at_ends = [*informative(first), *(b for b in informative(last) if b.side == "lower")]
    for bound in dict.fromkeys(at_ends):
        values = np.array([bound.value(first.at(eps=eps)) for eps in grid])
        if not bound.is_number:
            pairs = zip(means, problems, strict=True)
            ratios = np.array([mean / bound.value(p) for mean, p in pairs if mean > 0])
            finite = ratios[np.isfinite(ratios)]
            values *= math.exp(np.log(finite).mean()) if len(finite) else math.nan
        if bound.side == "lower":
            values = np.where(values < means.min() / FAR, math.nan, values)
        parts.append(curve(setting, bound, "eps", grid, values))
    return parts
