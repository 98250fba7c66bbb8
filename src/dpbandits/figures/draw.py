"""Draw the figure that an experiment's file describes, or else the figure that suits a table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ..contracts.importing import import_file
from ..contracts.parameters import BUDGETS
from ..contracts.question import STOPPING, Question
from ..errors import BadInput, plain, similar, unknown
from ..files import package_folder
from ..results.frames import answer_in
from ..results.metrics import METRICS, NASH, REGRET
from ..results.table import Table, of_frames
from ..settings.composed import composed_experiment
from ..settings.groups import names_in, read_experiment
from ..validation import as_number, one_of, text, yes_no
from .answers import figure_of_answer
from .bounds import curves
from .choices import BANDS, axis_of, check_columns, chosen_settings, columns_of_words
from .columns import column_panels
from .final_regret import budget_panels, contamination_panels, parameter_panels, tail_panels
from .labels import as_it_stands, usual_title
from .options import SCALES, FigureOptions
from .regret_vs_time import panel_per_algorithm, time_panel, time_panels
from .stopping import identification_panels, stopping_panels
from .style import closed_if_refused
from .wins import wins_panels

Draw = Callable[..., Figure]  # a function of a table and perhaps of curves of bounds

KINDS: dict[str, Draw] = {
    "time": time_panel,
    "time_panels": time_panels,
    "time_per_algorithm": panel_per_algorithm,
    "budget": budget_panels,
    "contamination": contamination_panels,
    "stopping": stopping_panels,
    "identification": identification_panels,
    "tail": tail_panels,
    "wins": wins_panels,
}
OF_TABLES = ("tail", "wins")  # kinds that ``dp.plot`` accepts for a table of regret

AXES: dict[str, Draw] = {"t": time_panels} | {x: partial(budget_panels, x=x) for x in BUDGETS}

METRIC = "metric"  # an option of every kind: the statistic that is drawn
# Options that a file may give for its kind of figure, and the functions that check their values
OPTIONS: dict[str, Callable[[str, Any], Any]] = {
    METRIC: partial(one_of, METRICS),
    "title": text,
    "band": partial(one_of, BANDS),
    "private": text,
    "k": as_number,
    "theorems": yes_no,
    "tails": yes_no,
    "together": yes_no,
    "scale": partial(one_of, SCALES),
    "time": partial(one_of, SCALES),
}


USUAL = {"band": "ci", "metric": REGRET}  # arguments that are not None by default


def figure_of(table: Any, chosen: FigureOptions, **given: Any) -> Figure:
    """Draw the figure of a user's tidy table, of a list of such tables, or of a result of
    ``dpbandits.budget``.

    Raises:
        BadInput: the argument is none of these, or it cannot be drawn with these options.
    """
    one_of(BANDS, "band", given["band"])
    answer = answer_in(table)
    with closed_if_refused():
        if answer is None:
            return figure_as_chosen(of_frames(table), chosen, **given)
        asked = {"eps": chosen.eps or None, "env": chosen.env or None, **given}
        for key, value in asked.items():
            if value not in (None, False, USUAL.get(key)):
                shown = "true" if key in ("bounds", "marks") else plain(value)
                raise BadInput(f"{key}={shown}: a figure of dp.budget takes no {key}")
        with chosen.applied():
            return figure_of_answer(answer)


def figure_as_chosen(
    table: Table,
    chosen: FigureOptions,
    *,
    bounds: str | None = None,
    metric: str = REGRET,
    folders: Sequence[str] = (),
    **given: Any,
) -> Figure:
    """Draw the figure of a table with the requested options, bounds and title.

    Args:
        table: a table.
        chosen: the options of the figure's style.
        bounds: None to draw no bounds; otherwise the argument that requests bounds, as text for
            error messages.
        metric: the statistic that is drawn, one of METRICS.
        folders: the user's folders, with the reward laws that records name.
        **given: see ``figure_of_table``.

    Raises:
        BadInput: the table cannot be drawn with these options.
    """
    if bounds is not None and not table.question.plays_on:
        raise BadInput(f"{bounds}: bounds are drawn beside regret, not beside stopping times")
    table = table.measured(metric, folders)
    if bounds is not None and table.metric != REGRET:
        raise BadInput(f"metric={table.metric}: bounds apply only to pseudo-regret")
    refuse_spread(table.metric, given.get("kind"), given.get("band", "ci"))
    table = chosen_settings(table, chosen)
    drawn = curves(table, bounds, folders) if bounds is not None else None
    table = as_it_stands(table)
    with chosen.applied():
        return figure_of_table(table, usual_title(table), drawn, **given)


def figure_of_table(
    table: Table,
    title: str,
    bounds: pd.DataFrame | None = None,
    x: str | None = None,
    band: str = "ci",
    kind: str | None = None,
    marks: bool = False,
    hue: str | None = None,
    col: str | None = None,
) -> Figure:
    """Draw the figure of a table: stopping times, or regret against time or against the budget.

    The arguments are the arguments of ``dpbandits.plot``, except that ``bounds`` are the curves
    that ``bounds.curves`` returns. If ``x`` is None, the axis is a budget with more than four
    values; if there is no such budget, the axis is time.

    Raises:
        BadInput: the table has no column ``x``, or its kind of figure does not take one of the
            arguments.
    """
    if kind not in (None, *OF_TABLES):
        near = similar(plain(kind), OF_TABLES)
        hint = f"; did you mean {near}?" * (near is not None)
        raise BadInput(
            f"kind={plain(kind)}: {' or '.join(OF_TABLES)} is needed; or leave kind out{hint}"
        )
    given: dict[str, Any] = {"kind": kind, "x": x, "hue": hue, "col": col}
    if not table.question.plays_on:
        what = "a figure of stopping times"
        draw = stopping_panels if table.question == STOPPING else identification_panels
    elif kind is not None:
        what, draw = f"a figure of kind={given.pop('kind')}", KINDS[kind]
    else:
        what, draw = against(table, x, hue, col)
        given = {}
    given |= {"band": None if band == "ci" else band, "bounds": bounds, "marks": marks or None}
    taken = inspect.signature(draw).parameters
    for key, value in given.items():
        if value is not None and key not in taken:
            shown, others = plain(value), ""
            if key in ("bounds", "marks"):
                shown, others = "true", f"; figures against t, eps or rho take {key}"
            raise BadInput(f"{key}={shown}: {what} takes no {key}{others}")
    return draw(table, title, **{key: x for key, x in given.items() if x is not None})


def against(table: Table, x: str | None, hue: str | None, col: str | None) -> tuple[str, Draw]:
    """Return the kind of a figure of regret, as text for messages, and the function that draws this
    kind of figure.
    """
    if hue is not None or col is not None or x in columns_of_words(table):
        check_columns(table, x, hue, col)
        axis = x or axis_of(table, None)
        what = "a figure with hue=, with col=, or with x= of words"
        return what, partial(column_panels, x=axis, hue=hue, col=col)
    x = axis_of(table, x)
    return f"a figure against x={x}", AXES.get(x, partial(parameter_panels, x=x))


def figure_of_experiment(name: str, table: Table, folders: Sequence[str] = ()) -> Draw:
    """Return the function that draws the table of an experiment.

    If the experiment's file has a key ``figure``, the function draws the kind of figure that the
    key names. Without a key ``figure``, the result is the function ``draw`` of the experiment's
    script. If there is no script either, the function draws the figure that suits the table. The
    file may be in one of the user's ``folders``. Only experiments of the package have scripts, so
    that the name of a user's experiment never decides which code runs.

    Raises:
        BadInput: the file names an unknown kind of figure, an unknown option, or a kind that cannot
            draw the table.
    """
    if has_script(name):
        draw: Draw = load_script(name).draw
        return draw
    known = name in names_in("experiment", folders)
    described = composed_experiment(name, tuple(folders)).get("figure") if known else None
    if described is None:
        return partial(figure_of_table, title=name)
    return from_file(name, described, table)


def from_file(name: str, described: Any, table: Table) -> Draw:
    """Return the function that draws the kind of figure that an experiment's file names, with the
    options in the file.
    """
    kind, metric, options = parse_figure(name, described, table.question)
    draw = partial(KINDS[kind], **options)
    return draw if metric == REGRET else lambda table: draw(table.measured(metric))


def parse_figure(name: str, described: Any, question: Question) -> tuple[str, str, dict[str, Any]]:
    """Check the key ``figure`` of an experiment that answers a question.

    Returns:
        The kind of the figure, its metric and its other options.
    """
    if not isinstance(described, Mapping):
        example = "{kind: time, title: TITLE} is needed"
        raise BadInput(f"figure={plain(described)} of experiment {name}: {example}")
    kind = described.get("kind")
    if kind is None:
        needed = f"a kind is needed: {', '.join(KINDS)}"
        raise BadInput(f"figure={plain(described)} of experiment {name}: {needed}")
    if kind not in list(KINDS):
        raise unknown(f"figure.kind of experiment {name}:", plain(kind), KINDS)
    parameters = inspect.signature(KINDS[kind]).parameters
    known = [option for option in OPTIONS if option in (METRIC, *parameters)]
    options = {"title": name, METRIC: REGRET}
    for option in (x for x in described if x != "kind"):
        if option not in known:
            place = f"option of figure.kind={kind} of experiment {name}:"
            raise unknown(place, plain(option), ["kind", *known])
        options[option] = OPTIONS[option](f"figure.{option}", described[option])
    metric = options.pop(METRIC)
    if question.plays_on == (kind in ("stopping", "identification")):
        found = "regret" if question.plays_on else "stopping times"
        raise BadInput(f"figure.kind={kind} of experiment {name}: this kind cannot draw {found}")
    refuse_spread(metric, kind, options.get("band", "ci"))
    return kind, metric, options


def has_script(name: str) -> bool:
    """Return whether a script of the package draws the table of an experiment."""
    known = name in names_in("experiment")
    return known and read_experiment(name).get("figure") is None and script_of(name).is_file()


def script_of(name: str) -> Path:
    """Return the path of the script that draws an experiment of the package; the script may not
    exist.
    """
    return package_folder("experiments") / f"{name}.py"


def load_script(name: str) -> ModuleType:
    """Import the plotting script of an experiment of the package."""
    return import_file(script_of(name), "experiment")


def refuse_spread(metric: str, kind: str | None, band: str) -> None:
    """Refuse bands or tails of Nash regret, which would show a spread over runs.

    Nash regret is one number for all runs together. Values of single runs only serve to compute its
    confidence interval.
    """
    if metric == NASH and (kind == "tail" or band != "ci"):
        given = "kind=tail" if kind == "tail" else f"band={band}"
        raise BadInput(f"{given}: Nash regret is one number for all runs, so it has no spread")
