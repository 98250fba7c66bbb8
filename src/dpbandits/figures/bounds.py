"""Curves of regret bounds from theorems, which figures show beside the measured regret."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..results.table import Table
from ..results.varying import SETTING, without_privacy
from ..settings.composed import LABEL
from ..theory.bounds import Bound, bounds_for
from ..theory.problem import Problem, problems
from .style import MAX_LINEAR_HORIZON

MAX_PANEL_CURVES = 6
POINTS = 60  # of a curve
MAX_RATIO = 1000  # largest ratio of the regret to a lower bound that is drawn
PANEL = "panel"  # the environment of a curve: its label if it has one, else its name
PRIVATE = "private"  # whether the setting of a curve has a budget
COLUMNS = ["axis", "x", "value", "label", "kind", "side"]
ABBREVIATIONS = {"Theorem": "Thm.", "Corollary": "Cor.", "Algorithm": "Alg.", "whatever the": "any"}
# The keys of a curve are columns of ``curves`` (of which ``x`` and ``value`` are arrays), columns
# of settings, PANEL, PRIVATE and ``rank``
Curve = dict[str, Any]


def curves(table: Table, needed: str = "bounds=true", folders: Sequence[str] = ()) -> pd.DataFrame:
    """Return the curves of the most informative regret bounds for the settings of a table.

    Args:
        table: a table of regret with the records of its settings.
        needed: the argument that needs the records; error messages name it.
        folders: the user's folders, which hold the reward laws that the records name.

    Returns:
        A row for each point of a curve. The columns are the id of the setting, ``axis`` (t or a
            budget), ``x``, the position on this axis, ``value``, and ``label``, ``kind`` and
            ``side`` of the bound. A curve with the budget on the axis has a point for each of
            several settings; its id is the id of the first of them. A bound without a known
            constant is scaled: against t its curve ends at the mean regret at the horizon, against
            a budget the curve is fitted to the mean regrets.

    Raises:
        BadInput: see ``Table.known``.
    """
    summary, records = table.summary(), table.known(needed, folders)
    settings, means = summary[[*table.described, SETTING]], summary["mean"].to_numpy()
    names = [x.get(LABEL, env) for x, env in zip(records, settings["env"], strict=True)]
    about: dict[str, Any] = {PANEL: names, PRIVATE: ~without_privacy(settings)}
    rows: list[Any] = settings.assign(**about).to_dict("records")
    of_rows = problems(records)
    found: list[Curve] = []
    for row, of_row, mean in zip(rows, of_rows, means, strict=True):
        found += against_time(row, of_row, mean)
    for name in table.budgets:
        others = [column for column in settings.columns if column not in (name, SETTING)]
        for _, group in settings.groupby(others, sort=False, dropna=False):
            several = group[np.isfinite(group[name])].sort_values(name).index
            of_budgets = [of_rows[i] for i in several]
            # eps can be an axis only if all users have the same level
            same = all(p.equal_levels or "eps_min" not in p.parameters for p in of_budgets)
            if len(several) > 1 and same:
                found += against_budget(name, rows[several[0]], of_budgets, means[several])
    named = list(dict.fromkeys([*settings.columns, *about, "rank", *COLUMNS]))
    drawn = pd.DataFrame([curve for curve in found if len(curve["x"])], columns=named)
    points = limited(drawn)[[SETTING, *COLUMNS]]
    return points.explode(["x", "value"], ignore_index=True).astype({"x": float, "value": float})


def limited(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the curves to draw, the most informative bounds first.

    If a private algorithm has a curve in a game (an environment and a horizon), the curves of
    non-private algorithms are left out in this game. A panel has at most MAX_PANEL_CURVES different
    curves.
    """
    game = ["axis", PANEL, "horizon"]
    with_private = curves.groupby(game)[PRIVATE].transform("any")
    found = curves[curves[PRIVATE] | ~with_private].sort_values("rank", kind="stable")
    looks = found["label"] + found["value"].map(lambda value: str(value.tobytes()))
    budgets = found[found.columns.intersection([*BUDGETS])].where(found["axis"] == "t")
    alike = looks.groupby([*map(found.get, game), *map(budgets.get, budgets)], dropna=False)
    return found[alike.transform(lambda own: pd.factorize(own)[0]) < MAX_PANEL_CURVES]


def informative(problem: Problem) -> list[Bound]:
    """Return the bounds to draw for a setting: the tightest upper and lower bounds, and refuted
    bounds.
    """
    applying = bounds_for(problem)[0]

    def of(side: str, *statuses: str) -> list[Bound]:
        return [b for b in applying if b.side == side and b.status in statuses]

    def largest(bounds: list[Bound]) -> list[Bound]:
        return [max(bounds, key=lambda b: b.value(problem))] if bounds else []

    def smallest_first(bound: Bound) -> tuple[float, int]:  # a corollary before its theorem
        return float(f"{bound.value(problem):.9g}"), len(bound.statement)

    exact = sorted(of("upper", "exact"), key=smallest_first)[:1]
    limit = sorted(of("upper", "asymptotic"), key=smallest_first)[:1]
    orders = [b for b in of("upper", "order") if b.of_instance] or of("upper", "order")
    lower = largest(of("lower", "asymptotic"))
    if not lower or "rho" in problem.letters:  # the bound for instances has no rho
        lower += largest(of("lower", "worst case"))
    refuted = [b for b in of("upper", "refuted") if not b.of_instance]
    return [*(exact or limit or orders[:1]), *lower, *largest(of("lower", "order")), *refuted]


def rank(bound: Bound) -> int:
    """Return the rank of a bound among the bounds of a panel; the most informative bound
    comes first.
    """
    kinds = ["exact", "asymptotic", "refuted", "order", "worst case"]
    return 2 * kinds.index(bound.status) + (bound.side == "lower")


def label(bound: Bound) -> str:
    """Return a bound's label in a legend, such as ``lower bound, asymptotic: Thm. 2``."""
    kind = {"exact": "", "order": ", slope only"}.get(bound.status, f", {bound.status}")
    refuted = bound.status == "refuted"
    words = "refuted, slope only" if refuted else f"{bound.side} bound{kind}"
    source = bound.source.partition(" (")[0]
    for word, short in ABBREVIATIONS.items():
        source = source.replace(word, short)
    return f"{words}: {source}"


def curve_of(
    setting: Mapping[str, Any], bound: Bound, axis: str, x: np.ndarray, value: np.ndarray
) -> Curve:
    """Return the curve of a bound, without the points at which the bound is not positive."""
    about = {"label": label(bound), "kind": bound.status, "side": bound.side, "rank": rank(bound)}
    shown = value > 0
    return {**setting, "axis": axis, "x": x[shown], "value": value[shown], **about}


def against_time(setting: Mapping[str, Any], problem: Problem, mean: float) -> list[Curve]:
    """Return the curves of the bounds for one setting, as functions of the number of rounds t."""
    grid = np.geomspace(1, problem.T, POINTS)
    if problem.T <= MAX_LINEAR_HORIZON:  # the axis of time is linear
        grid = np.union1d(grid, np.linspace(max(1.0, problem.T / POINTS), problem.T, POINTS))
    found = []
    for bound in informative(problem):
        if bound.is_number and bound.side == "lower" and bound.value(problem) < mean / MAX_RATIO:
            continue
        values = np.array([bound.value(problem.at(T=t)) for t in grid])
        if not bound.is_number and not values[-1] > 0:
            continue  # for example, an order in ln T is 0 at a horizon of 1
        scale = 1.0 if bound.is_number else mean / values[-1]
        found.append(curve_of(setting, bound, "t", grid, values * scale))
    return found


def against_budget(
    name: str, setting: Mapping[str, Any], problems: Sequence[Problem], means: np.ndarray
) -> list[Curve]:
    """Return the curves of bounds as functions of the budget ``name``.

    The settings differ only in this budget, and are in ascending order of the budget.
    """
    first, last = problems[0], problems[-1]
    grid = np.geomspace(first.letters[name], last.letters[name], POINTS)
    found = []
    at_ends = [*informative(first), *(b for b in informative(last) if b.side == "lower")]
    for bound in dict.fromkeys(at_ends):
        values = np.array([bound.value(first.at(**{name: x})) for x in grid])
        if not bound.is_number:
            pairs = zip(means, problems, strict=True)
            ratios = np.array([mean / bound.value(p) for mean, p in pairs if mean > 0])
            finite = ratios[np.isfinite(ratios)]
            values *= math.exp(np.log(finite).mean()) if len(finite) else math.nan
        if bound.side == "lower":
            values = np.where(values < means.min() / MAX_RATIO, math.nan, values)
        found.append(curve_of(setting, bound, name, grid, values))
    return found
