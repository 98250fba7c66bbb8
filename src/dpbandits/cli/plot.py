"""bandit-plot: draw an experiment, or any tidy tables."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from matplotlib.figure import Figure

from ..errors import BadInput, unknown
from ..figures.bands import BANDS
from ..figures.bounds import curves
from ..figures.draw import axis_of, figure_of_table
from ..figures.experiments import as_it_stands, escaped, experiment_figure
from ..figures.metrics import name_axes, refuse_bounds, refuse_spread
from ..figures.style import FORMATS, SCALES, rescale, save
from ..figures.terminal import in_text
from ..files import check_writable
from ..results.concat import read_tables
from ..results.metrics import METRICS, REGRET
from ..results.records import with_metric
from ..settings.user_files import user_folders
from ..validation import one_of
from .command import (
    entry_point,
    is_true,
    named_after,
    names_and_keys,
    results_of,
    stem_of,
    tables_of,
    takes_folder,
)

OF_TABLES = ("x", "y", "metric", "band", "kind", "marks", "title")


@entry_point("plot", takes_folder)
def main(given: Namespace) -> int:
    names, keys = names_and_keys("plot", given.words, files=True)
    bounds = is_true(keys, "bounds")
    formats = _formats(keys.get("format", "pdf,png"))
    out = stem_of(keys, Path("-"))
    scale = one_of(SCALES, "scale", keys["scale"]) if "scale" in keys else None
    files = [table for name in names for table in tables_of(Path(name))]
    folders = user_folders(given.config_dir)
    if files:
        stem, figure = _of_tables(files, keys, bounds, folders)
    else:
        stem, figure = _of_experiment(keys, bounds)
    if scale is not None:
        rescale(figure, scale)
    if keys.get("out") == "-":
        if "format" in keys:
            raise BadInput(f"format={keys['format']}: out=- prints text")
        print(in_text(figure))
        return 0
    stem = stem.with_name(f"{stem.name}_bounds") if bounds else stem
    if "out" in keys:
        stem = out
        if stem.suffix[1:] in FORMATS:
            if "format" in keys:
                raise BadInput(f"format={keys['format']}: the name out={out} decides")
            stem, formats = stem.with_suffix(""), [stem.suffix[1:]]
    check_writable(stem.parent)
    for path in save(figure, stem, formats):
        print(path)
    return 0


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
    return experiment_figure(keys["experiment"], results_of(keys), bounds)


def _of_tables(
    files: list[Path], keys: dict[str, str], bounds: bool, folders: tuple[str, ...]
) -> tuple[Path, Figure]:
    """The figure of tables, and its path without a suffix; says what was chosen."""
    table = read_tables(files)
    title = files[0].stem if len(files) == 1 else f"{files[0].stem} and {len(files) - 1} more"
    title = escaped(keys.get("title", title))
    if bounds and "rule" in table.columns:
        raise BadInput("bounds=true: bounds are drawn beside regret, not beside stopping times")
    x, kind = keys.get("x"), keys.get("kind")
    band = one_of(BANDS, "band", keys.get("band", "ci"))
    if one_of(("regret", "quantiles"), "y", keys.get("y", "regret")) == "quantiles":
        if band == "std":
            raise BadInput(f"band={band}: y=quantiles has the band of 10 % to 90 % of the runs")
        band = "quantiles"
    metric = one_of(METRICS, "metric", keys.get("metric", REGRET))
    if bounds:
        refuse_bounds(metric)
    refuse_spread(metric, kind, band)
    table = with_metric(table, metric, folders)
    drawn = curves(table, folders=folders) if bounds else None
    marks, table = is_true(keys, "marks"), as_it_stands(table)
    figure = figure_of_table(table, title, drawn, x=x, band=band, kind=kind, marks=marks)
    name_axes(figure, metric)
    if "rule" not in table.columns and kind is None:
        print(f"drawn with x={axis_of(table, x)} band={band}", file=sys.stderr)
    return named_after(files), figure
