"""bandit-plot: draw an experiment, or any tidy tables."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..errors import BadInput, unknown
from ..figures.draw import figure_of_table
from ..figures.experiments import curves_of, escaped, experiment_figure, together
from ..figures.style import save
from ..files import check_writable
from .command import guarded, parser_of_words

USAGE = """\
usage: bandit-plot experiment=NAME [results=DIR] [bounds=true]
       bandit-plot TABLE.csv [TABLE.csv ...] [bounds=true]

Draw regret, or stopping times, from tidy tables, as PDF and PNG. Nothing is run.

  bandit-plot experiment=azize2022_fig4    results/azize2022_fig4.csv, as in the paper;
                                           written to results/figures/
  bandit-plot results/a.csv results/b.csv  the tables in one figure, beside the first
  bounds=true                              with the bounds of theorems, for the settings in the
                                           manifest (.json) beside each table; written to
                                           NAME_bounds
"""
KEYS = ("experiment", "results", "bounds")


def main() -> None:
    """Entry point of ``bandit-plot``."""
    guarded("bandit-plot", lambda: _main(sys.argv[1:]))


def _main(argv: list[str]) -> int:
    given = parser_of_words("bandit-plot").parse_args(argv)
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
