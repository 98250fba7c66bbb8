"""bandit-plot: draw an experiment, or any tidy tables."""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from ..errors import BadInput, unknown
from ..figures.bounds import curves, read_records
from ..figures.draw import figure_of_experiment, figure_of_table
from ..figures.style import save
from ..files import check_writable
from ..results.outcomes import OUTCOME, read_outcomes
from ..results.tables import read_table
from ..validation import file_at
from .config.compose import files_of, is_name
from .run import Parser, guarded

USAGE = """\
usage: bandit-plot experiment=NAME [results=DIR] [bounds=true]
       bandit-plot TABLE.csv [TABLE.csv ...] [bounds=true]

Draw regret, or stopping times, from tidy tables alone, as PDF and PNG.

  bandit-plot experiment=azize2022_fig4    results/azize2022_fig4.csv, as in the paper;
                                           written to results/figures/
  bandit-plot results/a.csv results/b.csv  the tables in one figure, beside the first
  bounds=true                              with what theorems say, from the manifest (.json) beside
                                           each table; written to NAME_bounds
"""
KEYS = ("experiment", "results", "bounds")


def main() -> None:
    """Entry point of ``bandit-plot``."""
    guarded("bandit-plot", lambda: _main(sys.argv[1:]))


def _main(argv: list[str]) -> int:
    parser = Parser("bandit-plot", add_help=False)
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--help", "-h", action="store_true")
    given = parser.parse_args(argv)
    if given.help:
        print(USAGE, end="")
        return 0
    keys = dict(x.split("=", 1) for x in given.arguments if "=" in x and not os.path.exists(x))
    files = [Path(x) for x in given.arguments if "=" not in x or os.path.exists(x)]
    for key in keys:
        if key not in KEYS:
            raise unknown("key", key, KEYS)
    if ("experiment" in keys) == bool(files):
        raise BadInput("either experiment=NAME or the paths of tables are needed (see --help)")
    if keys.get("bounds", "false") not in ("true", "false"):
        raise BadInput(f"bounds={keys['bounds']}: true or false is needed")
    bounds = keys.get("bounds") == "true"
    if files:
        table = together(files)
        stem = files[0].with_suffix("")
        title = escaped(files[0].stem) if len(files) == 1 else f"{len(files)} tables"
        if bounds and "rule" in table.columns:
            raise BadInput("bounds=true: bounds are drawn beside regret, not beside stopping times")
        figure = figure_of_table(table, title, curves_of(table, files) if bounds else None)
    else:
        results = Path(keys.get("results", "results"))
        stem, figure = experiment_figure(keys["experiment"], results, bounds)
    stem = stem.with_name(f"{stem.name}_bounds") if bounds else stem
    check_writable(stem.parent)
    for path in save(figure, stem):
        print(path)
    return 0


def experiment_figure(name: str, results: Path, bounds: bool = False) -> tuple[Path, Figure]:
    """The figure of an experiment from its table, and its path without a suffix."""
    file, ours = results / f"{name}.csv", files_of("experiment", ())
    if name not in ours and not (is_name(name) and os.path.exists(file)):
        raise unknown("experiment", name, ours)
    if not os.path.exists(file):
        raise BadInput(f"no table {file}: run bandit-run experiment={name} first")
    table = read(file)
    draw = figure_of_experiment(name, table)
    if not bounds:
        return results / "figures" / name, draw(table)
    if "bounds" not in inspect.signature(draw).parameters:
        raise BadInput(
            f"bounds=true: the figure of {name} takes no bounds; bandit-plot {file} bounds=true "
            "draws its table with them"
        )
    return results / "figures" / name, draw(table, bounds=curves_of(table, [file]))


def curves_of(table: pd.DataFrame, files: list[Path]) -> pd.DataFrame:
    """The curves of bounds of one or several tables."""
    records = [record for file in files for record in read_records(file)]
    return curves(table, records, ", ".join(map(str, files)))


def read(file: Path) -> pd.DataFrame:
    """A table of bandit-run, or of bandit-stop, which has rules in place of algorithms."""
    with contextlib.suppress(OSError, ValueError):
        if "rule" in pd.read_csv(file_at(file), nrows=0).columns:
            return literal(read_outcomes(file))
    return literal(read_table(file))


def literal(table: pd.DataFrame) -> pd.DataFrame:
    """A table whose words are drawn as they stand: $ starts no formula."""
    return table.rename(columns=escaped).replace(r"\$", r"\\$", regex=True)


def escaped(text: str) -> str:
    """Text that matplotlib draws as it stands."""
    return text.replace("$", r"\$")


def together(files: list[Path]) -> pd.DataFrame:
    """Several tables as one, if a figure can tell their settings apart."""
    tables = [read(file) for file in files]
    if len({"rule" in table.columns for table in tables}) > 1:
        raise BadInput("tables of regrets and of stopping times share no figure; plot them apart")
    table = pd.concat(tables, ignore_index=True)
    if "horizon" in table.columns and table["horizon"].nunique() > 1:
        found = ", ".join(f"{T:g}" for T in sorted(table["horizon"].unique()))
        raise BadInput(f"tables of different horizons ({found}) share no axis; plot them apart")
    rows = [name for name in table.columns if name not in ("seed", "regret", *OUTCOME)]
    if table.duplicated(rows).any():
        raise BadInput(
            "the tables hold the same settings twice, or settings that differ in something that "
            "is not a column; run them as one sweep, or plot them apart"
        )
    return table
