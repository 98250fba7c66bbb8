"""bandit-plot: draw an experiment, or any tidy tables."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from ..figures.choices import BANDS, axis_of, check_columns, chosen_settings
from ..figures.options import KEYS, FigureOptions
from ..figures.origin import files_of, formats_of, origin_in
from ..files import check_writable
from ..results.manifest import table_of
from ..results.metrics import REGRET
from ..results.table import open_tables
from ..settings.groups import file_of
from ..validation import new_file, one_of, path_of
from .command import entry_point, given_tables, is_true, named_after, results_of
from .words import value_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OF_TABLES = ("x", "y", "hue", "col", "metric", "band", "kind", "marks")
TEXTS = ("title", "font", "legend")  # keys whose values are not parsed


@entry_point("plot")
def main(given: Namespace) -> int:
    if given.show is not None:
        return _show(given)
    keys, files = given.keys, given_tables(given)
    bounds = is_true(keys, "bounds")
    formats = formats_of(keys["format"]) if "format" in keys else None
    out, written = files_of(new_file("out", keys.get("out", "-")), formats)
    chosen = _options(keys, shlex.join(["bandit-plot", *given.line]))
    if keys.get("out") == "-" and formats:
        raise BadInput(f"format={keys['format']}: out=- prints the figure as text")
    stem, figure = _of_tables(files, given, chosen) if files else _of_experiment(given, chosen)
    from ..figures.output import in_text
    from ..figures.style import save

    if keys.get("out") == "-":
        print(in_text(figure))
        return 0
    stem = stem.with_name(f"{stem.name}_bounds") if bounds else stem
    stem = out if "out" in keys else stem
    check_writable(stem.parent, keys.get("out"))
    for path in save(figure, stem, written):
        print(path)
    return 0


def _show(given: Namespace) -> int:
    """Print how the figure in a file was made."""
    if given.words:
        raise BadInput(f"{given.words[0]}: --show FILE takes no other words")
    for name, value in origin_in(path_of("--show", given.show)).items():
        print(f"{name}: {' '.join(value) if isinstance(value, list) else value}")
    return 0


def _options(keys: dict[str, str], command: str) -> FigureOptions:
    """Return the style of the figure that the keys of the command line choose.

    Values are written as in other commands, but a list of names needs no brackets.
    """
    values: dict[str, Any] = {}
    for key in filter(keys.__contains__, KEYS):
        values[key] = keys[key] if key in TEXTS else value_of(f"{key}={keys[key]}").value
        if values[key] is None:
            raise BadInput(f"{key}={keys[key]}: a value is needed")
    return FigureOptions.parse(values, command=command)


def _of_experiment(given: Namespace, chosen: FigureOptions) -> tuple[Path, Figure]:
    """Return the path of an experiment's figure without a suffix, and the figure."""
    keys, folders = given.keys, given.folders
    name, results, bounds = keys["experiment"], results_of(keys), is_true(keys, "bounds")
    for key in OF_TABLES:
        if key in keys:
            file_of("experiment", name, folders)  # raises BadInput if the experiment is unknown
            words = f"{key}={keys[key]}: the file of experiment {name} sets {key}"
            raise BadInput(
                f"{words}; for another {key} write bandit-plot {results}/{name}.csv "
                f"{key}={keys[key]}"
            )
    table_of(name, results, folders)  # raises BadInput if there is no table
    # matplotlib takes a second to import, so mistakes are reported before the import
    from ..figures.experiments import experiment_figure

    return experiment_figure(name, results, bounds, chosen, folders)


def _of_tables(files: list[Path], given: Namespace, chosen: FigureOptions) -> tuple[Path, Figure]:
    """Draw tables. Return the path of the figure without a suffix, and the figure. Print which axis
    and band were chosen.
    """
    keys, table = given.keys, open_tables(files)
    shown = chosen_settings(table, chosen)
    x, kind, hue, col = (keys.get(name) for name in ("x", "kind", "hue", "col"))
    if table.question.plays_on and kind is None:
        check_columns(shown, x, hue, col)
    band = one_of(BANDS, "band", keys.get("band", "ci"))
    if one_of(("regret", "quantiles"), "y", keys.get("y", "regret")) == "quantiles":
        if band == "std":
            band_of = "with y=quantiles the band is always 10 % to 90 % of the runs"
            raise BadInput(f"band={band}: {band_of}; leave band out")
        band = "quantiles"
    # matplotlib takes a second to import, so mistakes are reported before the import
    from ..figures.draw import figure_as_chosen

    figure = figure_as_chosen(
        table, chosen, bounds="bounds=true" if is_true(keys, "bounds") else None,
        metric=keys.get("metric", REGRET), folders=given.folders, x=x, band=band, kind=kind,
        marks=is_true(keys, "marks"), hue=hue, col=col,
    )  # fmt: skip
    if table.question.plays_on and kind is None and hue is None and col is None:
        print(f"drawn with x={x or axis_of(shown, None)} band={band}", file=sys.stderr)
    return named_after(files), figure
