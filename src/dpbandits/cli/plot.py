"""bandit-plot: draw an experiment, or any tidy tables."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from matplotlib.figure import Figure

from ..errors import BadInput, unknown
from ..figures.bands import BANDS
from ..figures.draw import axis_of, figure_of_table
from ..figures.experiments import (
    curves_of,
    escaped,
    experiment_figure,
    records_of,
    together,
)
from ..figures.metrics import name_axes
from ..figures.style import FORMATS, rescale, save
from ..figures.terminal import in_text
from ..files import check_writable
from ..results.metrics import METRICS, NASH, REGRET, measured_by
from .command import entry_point, one_of, parser_of_words

USAGE = """\
usage: bandit-plot experiment=NAME [results=DIR] [bounds=true] [out=PATH] [format=FORMATS]
       bandit-plot TABLE.csv|FOLDER [TABLE.csv|FOLDER ...] [KEY=VALUE ...]

Draw regret, or stopping times, from tidy tables, as PDF and PNG. Nothing is run. A table from
elsewhere needs the columns algo, t and regret, and run for bands.

  bandit-plot experiment=azize2022_fig4    results/azize2022_fig4.csv, as in the paper;
                                           written to results/figures/
  bandit-plot results/a.csv results/b.csv  the tables in one figure, beside the first. A setting
                                           in both is drawn once; settings that look alike are
                                           told apart by the manifests (.json) beside the tables
  bandit-plot results                      all tables of a folder

  x=t|eps|rho|PARAMETER   the axis: time, a budget, or what the tables vary (also the horizon)
  y=regret|quantiles      the mean of the runs, or their median with 10 % to 90 %
  metric=nash|average     Nash regret or average regret in the place of pseudo-regret; Nash regret
                          needs the manifest (.json) beside each table
  band=ci|std             of means: the 95 % interval of the mean, or one standard deviation
  kind=tail               the probability that regret exceeds x
  scale=log|linear        the axis of regret
  bounds=true             with the bounds of theorems, for the settings in the manifest (.json)
                          beside each table; written to NAME_bounds
  title=TEXT
  out=PATH                where the figure is written; out=- draws it in the terminal
  format=pdf,png,svg      the kinds of files; pdf,png by default
"""
OF_TABLES = ("x", "y", "metric", "band", "kind", "title")
KEYS = ("experiment", "results", "bounds", "scale", "out", "format", *OF_TABLES)


@entry_point("bandit-plot")
def main(argv: list[str]) -> int:
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
    bounds = one_of(keys, "bounds", ("true", "false"), "false") == "true"
    formats = _formats(keys.get("format", "pdf,png"))
    out = Path(keys.get("out", "-"))
    if not out.name or out.is_dir():
        raise BadInput(f"out={keys['out']}: the path of a file is needed, not of a folder")
    files = [table for file in files for table in _tables_of(file)]
    stem, figure = _of_tables(files, keys, bounds) if files else _of_experiment(keys, bounds)
    if "scale" in keys:
        rescale(figure, one_of(keys, "scale", ("log", "linear"), "log"))
    if keys.get("out") == "-":
        print(in_text(figure))
        return 0
    stem = stem.with_name(f"{stem.name}_bounds") if bounds else stem
    if "out" in keys:
        stem = out
        if stem.suffix[1:] in FORMATS:
            stem, formats = stem.with_suffix(""), [stem.suffix[1:]]
    check_writable(stem.parent)
    for path in save(figure, stem, formats):
        print(path)
    return 0


def _tables_of(path: Path) -> list[Path]:
    """A table, or all tables of a folder."""
    if not os.path.isdir(path):
        return [path]
    found = sorted(path.glob("*.csv"))
    if not found:
        raise BadInput(f"{path}: the folder has no tables (*.csv)")
    return found


def _formats(given: str) -> list[str]:
    formats = given.strip("[]").split(",")
    for name in formats:
        if name not in FORMATS:
            raise unknown("format", name, FORMATS)
    return formats


def _of_experiment(keys: dict[str, str], bounds: bool) -> tuple[Path, Figure]:
    """The figure of an experiment, and its path without a suffix."""
    for key in OF_TABLES:
        if key in keys:
            raise BadInput(f"{key}: the file of an experiment decides; it is a key for tables")
    return experiment_figure(keys["experiment"], Path(keys.get("results", "results")), bounds)


def _of_tables(files: list[Path], keys: dict[str, str], bounds: bool) -> tuple[Path, Figure]:
    """The figure of tables, and its path without a suffix; says what was chosen."""
    table = together(files)
    title = files[0].stem if len(files) == 1 else f"{files[0].stem} and {len(files) - 1} more"
    title = escaped(keys.get("title", title))
    if bounds and "rule" in table.columns:
        raise BadInput("bounds=true: bounds are drawn beside regret, not beside stopping times")
    x, kind = keys.get("x"), keys.get("kind")
    band = one_of(keys, "band", tuple(BANDS), "ci")
    if one_of(keys, "y", ("regret", "quantiles"), "regret") == "quantiles":
        if band == "std":
            raise BadInput(f"band={band}: y=quantiles has the band of 10 % to 90 % of the runs")
        band = "quantiles"
    metric = one_of(keys, "metric", tuple(METRICS), REGRET)
    if metric != REGRET and bounds:
        raise BadInput(f"metric={metric}: bounds are of pseudo-regret")
    if metric == NASH and "rule" not in table.columns:
        table = measured_by(table, metric, records_of(table, files, "metric=nash"))
    else:
        table = measured_by(table, metric, None)
    curves = curves_of(table, files) if bounds else None
    figure = figure_of_table(table, title, curves, x=x, band=band, kind=kind)
    name_axes(figure, metric)
    if "rule" not in table.columns and kind is None:
        print(f"drawn with x={axis_of(table, x)} band={band}", file=sys.stderr)
    more = f"-and-{len(files) - 1}-more" if len(files) > 1 else ""
    return files[0].with_name(files[0].stem + more), figure
