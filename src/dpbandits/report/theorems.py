"""What theorems say beside what was measured: curves of bounds, and regret over the lower bound."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.display import display_name, environment_title
from ..contracts.parameters import BUDGETS
from ..errors import BadInput, plain
from ..figures.bounds import curves
from ..figures.overlays import WITHOUT_CONSTANT
from ..results.records import Record, records_of
from ..results.varying import SETTING, descriptive, settings_in
from ..theory.bounds import bounds_for
from ..theory.problem import budget_of, problem
from .study import Study, binned
from .words import name_of, power

COLUMNS = ["panel", "level", "line", "axis", "x", "value", "label", "kind"]
RATIOS = ["algo", "game", "budget", "x", "ratio"]
ROOM = 3.0  # curves are cut at this many times the largest value measured
SLACK = 30.0  # and at this fraction of the smallest
POINTS = 16


def bound_curves(study: Study, table: pd.DataFrame) -> pd.DataFrame:
    """The curves of bounds on a study's settings, panel by panel, as in the figures.

    The study is that of the table, which has the records of its settings, not aggregated.

    Returns:
        A row for each point: ``panel``, ``level`` (NaN for all) and ``line`` ("" for several), the
        ``axis`` (t, or x for the budget), ``x``, ``value``, the ``label`` and the ``kind`` of the
        bound.

    Raises:
        BadInput: the records are not those of the table.
    """
    settings, parts = settings_in(table), []
    for panel, places in study.places.groupby("panel", sort=False):
        own = settings.loc[places.index]
        drawn = curves(table[table[SETTING].isin(own[SETTING])])
        # a seed may not vary here
        keys = [name for name in descriptive(table) if name in drawn.columns]
        drawn = drawn[drawn["axis"].isin(["t", study.axis])].astype(own.dtypes[keys].to_dict())
        found = drawn.merge(own[keys].assign(number=own.index), on=keys)
        at = study.places.loc[found["number"], ["level", "line"]].reset_index(drop=True)
        kind = found["kind"].where(~found["kind"].isin(WITHOUT_CONSTANT), "slope")
        axis = found["axis"].where(found["axis"] == "t", "x")
        level = at["level"].where(axis == "t")
        parts.append(found.assign(panel=panel, line=at["line"], level=level, axis=axis, kind=kind))
    points = (
        pd.concat(parts, ignore_index=True)[COLUMNS] if parts else pd.DataFrame(columns=COLUMNS)
    )
    measured = pd.concat([study.curves["mean"], study.ends["mean"]]).astype(float)
    low, high = measured[measured > 0].min() / SLACK, measured.max() * ROOM
    return shared(points[points["value"].between(low, high)])


def shared(points: pd.DataFrame) -> pd.DataFrame:
    """Curves of bounds, thinned; those that several lines share are there once, for no line."""
    by = ["panel", "level", "axis", "label", "kind"]
    seen: dict[Any, pd.DataFrame] = {}
    for (*key, _), curve in points.groupby([*by, "line"], sort=False, dropna=False):
        some = curve.iloc[np.unique(np.linspace(0, len(curve) - 1, POINTS).astype(int))]
        look = (*map(str, key), some["value"].to_numpy().tobytes())
        seen[look] = some.assign(line="") if look in seen else some
    return pd.concat([points.head(0), *seen.values()], ignore_index=True)


def lower_bound(record: Record) -> float:
    """The largest lower bound with known constants on the regret of a setting; NaN for none."""
    of = problem(record)
    found = [b.value(of) for b in bounds_for(of)[0] if b.side == "lower" and b.is_number]
    known = [x for x in found if math.isfinite(x) and x > 0]
    return max(known, default=math.nan)


def ratios_of(study_means: np.ndarray, records: Sequence[Record]) -> pd.DataFrame:
    """The mean final regret of each private setting divided by the best lower bound.

    Returns:
        ``algo``, ``game`` (environment, horizon and, if it is not eps, the budget), ``budget``,
        ``x`` (its value), ``ratio``; settings without a budget or a lower bound are left out.
    """
    cache: dict[str, float] = {}
    rows = []
    for mean, record in zip(study_means, records, strict=True):
        name, budget = budget_of(record)
        if record.get("question", "regret") != "regret" or not math.isfinite(budget):
            continue
        parts = {k: record.get(k) for k in ("env_spec", "population", "notion", "horizon")}
        key = json.dumps([parts, record["algo"], record["parameters"]], sort_keys=True)
        if key not in cache:
            cache[key] = lower_bound(record)
        if mean > 0 and math.isfinite(cache[key]):
            game = f"{environment_title(record['env'])}, T = {power(record['horizon'])}"
            if name != "eps":  # never one axis
                game += f", {name_of(name)} in the place of ε"
            rows.append((display_name(record["algo"]), game, name, budget, mean / cache[key]))
    return pd.DataFrame(rows, columns=RATIOS).astype({"x": float, "ratio": float})


def map_of(ratios: pd.DataFrame) -> pd.DataFrame:
    """The cells of the map: for each algorithm, game and budget the geometric mean of the ratios.

    Many budgets are grouped. The column ``settings`` counts what a cell stands for.
    """
    if ratios.empty:
        return ratios.assign(settings=[])
    parts = []
    for _, rows in ratios.groupby(["game", "budget"], sort=False):
        parts.append(rows.assign(x=binned(rows["x"].to_numpy())))
    rows = pd.concat(parts).assign(log=lambda r: np.log(r["ratio"]))
    groups = rows.groupby(["game", "budget", "algo", "x"], sort=False)["log"]
    found = groups.agg(ratio=lambda v: float(np.exp(v.mean())), settings="count").reset_index()
    order = {name: i for i, name in enumerate(BUDGETS)}
    return found.sort_values(
        ["game", "budget", "algo", "x"], key=lambda c: c.map(order) if c.name == "budget" else c,
        ignore_index=True,
    )  # fmt: skip


def records_for_theorems(table: pd.DataFrame, settings: pd.DataFrame) -> list[Record]:
    """The records of the settings of a table, or a summary, if they fit and their environments are
    known here, so that theorems can be evaluated for them; else none.
    """
    if "rule" in settings.columns or "algo" not in settings.columns:
        return []
    with suppress(BadInput, KeyError, TypeError, AttributeError):
        records = records_of(table, "theorems", rows=settings)
        for record in {plain(record["env_spec"]): record for record in records}.values():
            problem(record)  # a law may be one of --config-dir
        return records
    return []
