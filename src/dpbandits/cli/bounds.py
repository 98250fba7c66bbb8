"""bandit-bounds: what theorems say of the regret of one setting, beside what was measured."""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path

from tabulate import tabulate

from ..errors import BadInput, plain
from ..results.run_store import load_runs
from ..results.summary import interval, rounds, significant, summarize
from ..results.tables import record, tidy
from ..settings.setting import Cell
from ..theory.bounds import Bound, bounds_for
from ..theory.problem import Problem, problem
from .config.compose import Request, multirun_points, read_request
from .config.user_files import user_folders
from .run import guarded, parser_of

USAGE = """\
usage: bandit-bounds [KEY=VALUE ...] [--config-dir DIR]

Print what theorems say of the regret of one setting, beside the measured regret where finished
runs are kept. Nothing is run and nothing is written.

  bandit-bounds algo=adap_ucb env=bernoulli_c2 eps=0.5 horizon=1e6
  bandit-bounds algo=heldp_ucb_l env=ren_bernoulli population=uniform_levels eps_min=auto

The keys are those of one setting of bandit-run (see bandit-run --help); results=DIR is where
finished runs are looked for.

kinds:
  exact         holds at every horizon
  asymptotic    holds in the limit of long horizons, for algorithms that are consistent
  worst case    holds for the worst of all instances, not for each
  order         holds up to a constant that is not printed, so there is no number
  refuted       is known to be wrong
"""
ONE = "bandit-bounds takes one setting"
FORMULA = 60  # characters


def main() -> None:
    """Entry point of ``bandit-bounds``."""
    guarded("bandit-bounds", lambda: _main(sys.argv[1:]))


def _main(argv: list[str]) -> int:
    given = parser_of("bandit-bounds").parse_intermixed_args(argv)
    if given.help:
        print(USAGE, end="")
        return 0
    folders = user_folders(given.config_dir)
    if given.multirun:
        raise BadInput(f"-m: {ONE}")
    if len(list(itertools.islice(multirun_points(given.overrides, folders), 2))) > 1:
        raise BadInput(f"{' '.join(given.overrides)}: {ONE}, and these are several")
    request = read_request(given.overrides, folders)
    experiment, sweep = request.config["experiment"], request.config["sweep"]
    if experiment is not None:
        draw = f"bandit-plot experiment={experiment} bounds=true draws the bounds of an experiment"
        raise BadInput(f"experiment={experiment}: {ONE}; {draw}")
    if sweep is not None:
        raise BadInput(f"sweep={plain(sweep)}: {ONE}")
    print(report(request, request.cells[0]))
    return 0


def report(request: Request, cell: Cell) -> str:
    """What is known of a cell's regret, in words and a table."""
    asked = problem(record(cell))
    applying, reasons = bounds_for(asked)
    measured = measured_regret(request.results, cell)
    lines = [heading(request, cell)]
    if measured is None:
        lines.append(f"measured: nothing, there are no finished runs in {request.results}")
    else:
        lines.append(f"measured: {measured[1]}")
    lines.append("")
    if applying:
        lines.append(table(applying, asked, measured[0] if measured else None))
    else:
        lines.append("no theorem says anything of this setting")
    lines += ["", "do not apply:"] + [f"  {source}: {why}" for source, why in reasons.items()]
    return "\n".join(lines)


def heading(request: Request, cell: Cell) -> str:
    """The setting in one line."""
    eps = "not private" if math.isinf(cell.eps) else f"eps {cell.eps:g}"
    if cell.population:
        values = dict(zip(cell.algorithm.domains, cell.arguments, strict=True))
        eps = f"users of {request.config['population']}, eps_min {values['eps_min']:g}"
    return f"{cell.algo} on {cell.env}, {eps}, T = {rounds(cell.horizon)}"


def measured_regret(results: Path, cell: Cell) -> tuple[float, str] | None:
    """Mean final regret of the finished runs of a cell, and the same in words."""
    kept = load_runs(results, cell)
    runs = next(n for n in itertools.count() if n not in kept)
    if runs == 0:
        return None
    row = summarize(tidy(results, [cell], runs)).iloc[0]
    spread = f"95 % interval {interval(row.to_dict())}, {runs} runs" if runs > 1 else "one run"
    return float(row["mean"]), f"{significant(row['mean'])} ({spread})"


def table(bounds: list[Bound], asked: Problem, measured: float | None) -> str:
    """The bounds that apply, those with a number first."""
    kinds = ["exact", "asymptotic", "worst case", "order", "refuted"]
    rows = []
    for bound in sorted(bounds, key=lambda b: (kinds.index(b.status), b.side != "upper")):
        value = bound.value(asked) if bound.is_number else math.nan
        row = [bound.source, bound.side, bound.status, number(value)]
        if measured is not None:
            row.append("" if math.isnan(value) or measured <= 0 else f"{value / measured:.3g}")
        rows.append([*row, bound.statement + (f" ({bound.note})" if bound.note else "")])
    header = ["bound", "side", "kind", f"at T = {rounds(int(asked.T))}"]
    header += ["of measured"] if measured is not None else []
    widths = [None] * len(header) + [FORMULA]
    align = ["left", "left", "left", *(["right"] * (len(header) - 3)), "left"]
    return tabulate(
        rows, [*header, "formula"], maxcolwidths=widths, colalign=align, disable_numparse=True
    )


def number(x: float) -> str:
    """A number for a column of them; nothing for one that does not exist."""
    if math.isnan(x):
        return ""
    return significant(x) if 1e-3 <= abs(x) < 1e9 else f"{x:.3g}"
