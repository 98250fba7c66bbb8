"""Draw the figures of experiments. Tables and figures are made again if they are missing or out of
date.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ..contracts.question import QUESTIONS, REGRET
from ..errors import BadInput, plain
from ..files import FIGURES, check_writable
from ..results.formats import SUMMARY_CSV, bare_name
from ..results.formats import beside as of_table
from ..results.manifest import is_current, refuse_to_replace, table_of, table_path
from ..results.report import write_report
from ..results.table import Table
from ..running.monte_carlo import play_request
from ..settings.compose import request_from
from ..settings.groups import file_of, names_in, question_of, read_experiment
from ..settings.request import decides_rows
from ..settings.resolve import ROWS
from ..settings.sweep import grids, names_varied
from ..validation import as_integer, read_csv
from .bounds import curves
from .choices import chosen_settings
from .draw import figure_of_experiment, has_script, script_of
from .labels import as_it_stands
from .options import FigureOptions
from .style import save


def tabulated(name: str, results: Path, changes: Mapping[str, Any]) -> Callable[[], list[Path]]:
    """Make the table of an experiment if it is missing or out of date, for ``dpbandits.reproduce``.
    Return a function that draws the figure and returns its files.
    """
    file = file_of("experiment", name)
    question = question_of(name) or REGRET
    limits = {q.limit for q in QUESTIONS} - {question.limit}
    given = {key: value for key, value in changes.items() if key not in limits}
    changed = tuple(f"{key}={plain(x)}" for key, x in given.items() if decides_rows(key))
    varies = question.limit in names_varied(question, read_experiment(name))
    longest = given.pop(question.limit, None) if varies else None
    request = request_from(question, {**given, "experiment": name, "results": results}, {})
    settings = request.settings
    if longest is not None:  # settings of at most ``longest`` rounds, or else of the fewest
        most = max(as_integer(question.limit, longest, 1), min(s.horizon for s in settings))
        settings = [setting for setting in settings if setting.horizon <= most]
    request = replace(request, changed=changed, settings=settings)
    table = table_path(request)
    figures = [results / FIGURES / f"{name}{suffix}" for suffix in (".pdf", ".png")]
    current = is_current(table, request.config, request.settings)
    if current and _are_newer(figures, table, file):
        return lambda: figures
    check_writable(results)
    if not current:
        refuse_to_replace(request)
        start = time.monotonic()
        found = play_request(request, for_pages=True)
        write_report(request, found, time.monotonic() - start if found.played else 0.0)

    def draw():
        stem, figure = experiment_figure(name, results)
        return save(figure, stem)

    return draw


def _are_newer(figures: Sequence[Path], table: Path, described: Path) -> bool:
    """Return whether the figures exist and are newer than all files on which they depend.

    A figure depends on the table's manifest, the experiment's file and the script, if there is one.
    """
    script = script_of(bare_name(table))
    before = [of_table(table, ".json"), described, *filter(Path.is_file, [script])]
    written = max(file.stat().st_mtime for file in before)
    states = [file.stat() for file in figures if file.is_file()]
    return len(states) == len(figures) and all(s.st_size and s.st_mtime >= written for s in states)


def experiment_figure(
    name: str,
    results: Path,
    bounds: bool = False,
    chosen: FigureOptions | None = None,
    folders: Sequence[str] = (),
) -> tuple[Path, Figure]:
    """Draw the figure of an experiment from its table; return its path without suffix and
    the figure.

    ``folders`` are the user's folders, which may hold the experiment's file.
    """
    file = table_of(name, results, folders)
    chosen = chosen or FigureOptions(command=f"bandit-plot experiment={name}")
    table = Table.of_file(file)
    draw = figure_of_experiment(name, table, folders)
    for key in ("only", "order", "eps", "env") if has_script(name) else ():
        if lines := getattr(chosen, key):
            words = f"the script of experiment {name} chooses the lines of its figure"
            words += f"; bandit-plot {file} draws the chosen lines"
            raise BadInput(f"{key}={plain(list(lines))}: {words}")
    table = chosen_settings(table, chosen)
    if bounds and "bounds" not in inspect.signature(draw).parameters:
        raise BadInput(
            f"bounds=true: the figure of experiment {name} takes no bounds; "
            f"bandit-plot {file} bounds=true draws the table with bounds"
        )
    beside = {"bounds": curves(table, folders=folders)} if bounds else {}
    if "summary" in inspect.signature(draw).parameters:
        beside["summary"] = summary_beside(file, table)
    with chosen.applied():
        figure = draw(as_it_stands(table), **beside)
    return results / FIGURES / name, _scaled(figure, name, table)


def summary_beside(file: Path, table: Table) -> pd.DataFrame:
    """Return the summary in the file beside a table, or compute the summary from the table if there
    is no file. The means in the file may come from more runs than the table has.
    """
    summary = of_table(file, SUMMARY_CSV)
    return read_csv(str(summary), summary) if summary.is_file() else table.summary()


def _scaled(figure: Figure, name: str, table: Table) -> Figure:
    """Return the figure; if the table has fewer runs or rounds than the experiment's file requests,
    the title says so.
    """
    asked = read_experiment(name) if name in names_in("experiment") else {}
    limit = table.question.limit
    runs, longest = table.ends["run"].nunique(), table.settings[limit]
    limits = [asked.get(limit, 0), *(x for g in grids(asked) for x in g.get(limit, []))]
    if ROWS in limits:  # the sets of data have several lengths
        fewer = longest.nunique() < table.settings["env"].nunique()
    else:
        fewer = longest.max() < max(map(float, limits))
    heading = getattr(figure, "heading", None)
    if heading and (fewer or runs < asked.get("runs", 0)):
        length = f" of {longest.max():,.0f} rounds" if longest.nunique() == 1 else ""
        heading.set_text(f"{heading.get_text()}\n({runs} runs{length}; not paper scale)")
        heading.set_multialignment("center")
    return figure
