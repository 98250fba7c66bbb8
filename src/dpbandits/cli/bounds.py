"""bandit-bounds: the theorems that bound the regret of one setting, and the measured regret."""

from __future__ import annotations

import itertools
import math
from argparse import Namespace
from pathlib import Path
from typing import Any

from tabulate import tabulate

from ..errors import BadInput
from ..results.run_store import RunStore
from ..results.summary import interval, rounds, significant
from ..results.table import Table
from ..settings.request import Request
from ..settings.setting import Setting
from ..theory.bounds import best_lower_bound, bound_rows
from ..theory.problem import problem
from .command import entry_point, is_true
from .words import read_request

ONE = "bandit-bounds takes one setting"
FORMULA = 60  # widest formula, in characters


@entry_point("bounds")
def main(given: Namespace) -> int:
    everything = is_true(given.keys, "all")
    if given.multirun:
        raise BadInput(f"-m: {ONE}")
    request = read_request(given.words, given.folders, multirun=True)
    experiment, sweep = request.config["experiment"], request.config["sweep"]
    if experiment is not None:
        draw = f"bandit-plot experiment={experiment} bounds=true draws the bounds of an experiment"
        raise BadInput(f"experiment={experiment}: {ONE}; {draw}")
    if sweep is not None:
        raise BadInput(f"{' '.join(given.words)}: {ONE}, not several")
    print(text_of_bounds(request, everything))
    return 0


def text_of_bounds(request: Request, everything: bool) -> str:
    """Return the bounds on the regret of a request's setting, and the measured regret, as text.

    With ``everything``, the text also says why other theorems do not apply.
    """
    setting = request.only
    about = problem(setting.record)
    rows, reasons = bound_rows(about)
    mean, measured = measured_regret(request.folder, setting)
    bounds = table(rows, setting.horizon, mean) if rows else "no theorem applies to this setting"
    unused = [f"  {source}: {why}" for source, why in reasons.items()]
    lines = [heading(request, setting), f"measured: {measured}"]
    if mean is not None and (best := best_lower_bound(about)) is not None:
        ratio = f"{mean / best.value(about):.3g} times the best lower bound"
        lines.append(f"the measured regret is {ratio} ({best.source}, {best.status})")
    lines += ["", bounds, ""]
    if everything:
        return "\n".join([*lines, "theorems that do not apply:", *unused])
    return "\n".join([*lines, f"{len(unused)} other theorems do not apply; all=true says why"])


def heading(request: Request, setting: Setting) -> str:
    """Return a description of the setting in one line."""
    budget = f"{setting.budget_name} {setting.budget:g}"
    if math.isinf(setting.budget):
        budget = "not private"
    if setting.population_spec:
        eps_min = setting.parameters["eps_min"]
        budget = f"users of {request.config['population']}, eps_min {eps_min:g}"
    return f"{setting.algo} on {setting.env}, {budget}, T = {rounds(setting.horizon)}"


def measured_regret(results: Path, setting: Setting) -> tuple[float | None, str]:
    """Return the mean final regret of a setting's finished runs (None if there are none), and a
    text.
    """
    store = RunStore(results)
    finished = store.load(setting)
    runs = next(n for n in itertools.count() if n not in finished)
    if runs == 0:
        return None, f"no finished runs in {results}"
    row = Table.of_store(store, [setting], runs).summary().iloc[0]
    spread = "one run" if runs == 1 else f"{runs} equal runs"
    if not math.isnan(row["ci_low"]):
        spread = f"95 % interval {interval(row.to_dict())}, {runs} runs"
    return float(row["mean"]), f"{significant(row['mean'])} ({spread})"


def table(bounds: list[dict[str, Any]], T: int, measured: float | None) -> str:
    """Return the bounds that apply as a table, with the measured regret if there is one."""
    rows = []
    for bound in bounds:
        x = bound["value"]
        numbers = {f"at T = {rounds(T)}": number(x)}
        if measured is not None:
            known = not math.isnan(x) and measured > 0
            numbers["of measured"] = f"{x / measured:.3g}" if known else ""
        about = {name: bound[name] for name in ("bound", "side", "kind")}
        rows.append({**about, **numbers, "formula": bound["formula"]})
    align = ["left"] * 3 + ["right"] * (len(rows[0]) - 4) + ["left"]
    widths = [None] * (len(rows[0]) - 1) + [FORMULA]
    return tabulate(rows, "keys", maxcolwidths=widths, colalign=align, disable_numparse=True)


def number(x: float) -> str:
    """Return a number as text for a table; an empty string for NaN."""
    if math.isnan(x):
        return ""
    return significant(x) if 1e-3 <= abs(x) < 1e9 else f"{x:.3g}"
