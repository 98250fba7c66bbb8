"""Tables in LaTeX for a paper, with booktabs. Users choose columns, bold best values and pivots."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.display import own_labels, symbol
from ..contracts.parameters import BUDGETS
from ..contracts.question import COMPARED, STATISTICS, Question
from ..errors import BadInput, plain, unknown
from ..validation import as_integer, one_of, text
from .frames import columns_apart
from .summary import (
    FORMATS,
    HEADINGS,
    MATH,
    NAMES,
    columns_shown,
    describing,
    latex_table,
    value_text,
    with_cut_runs,
)
from .varying import SETTING, of_game, varying

KEYS = ("columns", "best", "pivot", "digits", "labels")
BEST = "tied", "bold", "plain"  # bold means the same as tied
INTERVAL = "interval"  # the column of a table that shows ci_low and ci_high
BOLD = "\ue000", "\ue001"  # marks before and after bold text
MATHEMATICS = re.compile(r"\\\$|(?<!\\)\$(.*?)(?<!\\)\$")  # in labels, and dollar signs
GAME = ("env", "horizon", "cap", "true_mean", *BUDGETS)
MOST_DIGITS = 10
OF_ANSWERS = ("env", "horizon", "goal", "name")  # columns in which answers may differ


@dataclass(frozen=True)
class TableOptions:
    """The options of a table for a paper, as ``parse_table_options`` makes them."""

    columns: tuple[str, ...] = ()  # in their order; if empty, the default columns
    best: bool = False  # whether the rows that may be the best of their game are bold
    pivot: str | None = None  # this column becomes one column for each of its values
    digits: int = 3  # significant digits
    labels: Mapping[str, str] = field(default_factory=dict)  # labels of words, such as algorithms


def parse_table_options(given: Mapping[str, Any]) -> TableOptions | None:
    """Check the values of some of KEYS and return them as options; None if no value is given.

    Raises:
        BadInput: a value is not allowed.
    """
    found: dict[str, Any] = {}
    for key in (key for key in KEYS if given.get(key) is not None):
        value = given[key]
        if key == "columns":
            value = [x.strip() for x in value.split(",")] if isinstance(value, str) else value
            if not isinstance(value, Sequence) or not all(isinstance(x, str) for x in value):
                raise BadInput(f"{key}={plain(value)}: names of columns are needed: [algo,mean]")
            found[key] = tuple(dict.fromkeys(value))
        elif key == "best":
            found[key] = one_of(BEST, key, value) != "plain"
        elif key == "labels":
            if not isinstance(value, Mapping) or not value:
                raise BadInput(f"{key}={plain(value)}: labels are needed, such as {{dp_se: DP-SE}}")
            found[key] = {text(key, name): text(key, label) for name, label in value.items()}
        elif key == "pivot":
            found[key] = text(key, value)
        else:
            found[key] = as_integer(key, value, 1, MOST_DIGITS)
    return TableOptions(**found) if found else None


def latex_of(
    frame: pd.DataFrame, shown: Sequence[str], options: TableOptions, measured: str = "mean"
) -> str:
    """Return a summary, a comparison or an answer as a table for LaTeX.

    A column is shown although the user did not choose it if rows would look alike without it. If
    the best rows of several games (environment, horizon and budget) are bold, the table also shows
    the columns in which the games differ.

    Args:
        frame: a row for each setting.
        shown: the columns that are shown if ``options`` choose none.
        options: the form of the table.
        measured: the first column with measured values, such as ``mean``. The row with its smallest
            value is the best; if there is a column ``tied``, all tied rows are the best. The cells
            of a pivot show ``measured`` unless ``options`` choose other columns.

    Raises:
        BadInput: the frame lacks a column, several rows belong in one cell of a pivot, two rows do
            not differ in any column, or a label is for a word that the table does not contain.
    """
    known = [*frame.columns, INTERVAL]
    columns = list(options.columns or shown)
    for name in columns:
        if name not in known:
            raise unknown("column", name, known)
    first = describing(frame, measured)
    if options.pivot is None:
        own = sorted((x for x in first if x != SETTING), key=lambda name: name not in NAMES)
        columns = _telling_apart(frame, columns, own, own)
        shown = [name for name in columns if name in own]
        if frame.duplicated(shown).any() if shown else len(frame) > 1:
            raise BadInput("two rows of the table look alike; add a column in which they differ")
    best = _best(frame, measured) & options.best
    if best.any():  # the values of a pivot are heads of columns and tell games apart, too
        columns = _telling_apart(frame, columns, _game(frame), first, options.pivot)
    text = pd.DataFrame(
        {
            name: _cells(frame, name, None if name in first else options.digits)
            for name in dict.fromkeys([*columns, measured])
        }
    )
    text = _labelled(frame, text, options.labels)
    if best.any():
        text.loc[best, measured] = BOLD[0] + text.loc[best, measured] + BOLD[1]
    if options.pivot is None:
        table = text[columns]
    else:
        described = {*first, *GAME, *NAMES, "name", options.pivot}
        before = [name for name in columns if name in described]
        cells = [name for name in options.columns if name not in described] or [measured]
        table = _pivoted(frame, first, text, before, options.pivot, cells)
    algos = _algorithms(frame)
    header = [
        HEADINGS.get(name, symbol(name, algos)) if name in known else name for name in table.columns
    ]
    align = ["left" if name in NAMES else "right" for name in table.columns]
    return (
        latex_table(header, table.to_numpy().tolist(), align)
        .replace(BOLD[0], r"\textbf{")
        .replace(BOLD[1], "}")
    )


def latex_of_summary(
    summary: pd.DataFrame, question: Question, options: TableOptions | None
) -> str:
    """Return a summary as a table for LaTeX."""
    shown = [*columns_shown(summary, question), "mean", "interval", "runs"]
    return latex_of(summary, shown, options or TableOptions())


def latex_of_budgets(found: pd.DataFrame, options: TableOptions | None) -> str:
    """Return an answer of ``dpbandits.budget`` as a table for LaTeX.

    The row with the smallest budget is the best; values of eps are not compared with values of rho.
    In a table of several budgets, the best row is the row with the smallest mean at each budget.
    Rows whose intervals begin below the upper end of the best row's interval are tied with the
    best.
    """
    group = str(found.columns[0])
    is_sheet = "slow" in found
    measured = "samples" if is_sheet else "budget"
    game = [x for x in OF_ANSWERS if x in found and found[x].nunique(dropna=False) > 1]
    first = [group, *columns_apart(found), *game]
    found = found[[*first, *(x for x in found if x not in first)]]  # before the measured columns
    shown = [*first, "budget", "low", "high", "reached"]
    if is_sheet:
        weeks = [] if found["weeks"].isna().all() else ["weeks"]
        shown = [*first, "eps", "samples", INTERVAL, "slow", *weeks, "ended", "wrong", "agree"]
    shown.append("without_privacy" if group == "rule" else "runs")
    of = [found[x] for x in (*game, *["eps"] * is_sheet)] or pd.Series(0, found.index)
    # equal runs have no interval, but their mean may be the smallest; cut runs have no mean
    equal = found["high"].isna() & (found.get("ended", 0.0) == 1.0)
    low, high = (found[end].where(~equal, found[measured]) for end in ("low", "high"))
    level = found[measured].where(high.notna())
    least = level == level.groupby(of, dropna=False).transform("min")
    upper = high.where(least).groupby(of, dropna=False).transform("min")
    several = level.groupby(of, dropna=False).transform("size") > 1
    tied = (low <= upper) & level.notna() & several
    frame = found.assign(ci_low=found["low"], ci_high=found["high"], tied=tied)
    return latex_of(frame, shown, _of_answer(frame, options or TableOptions(), measured), measured)


def _of_answer(frame: pd.DataFrame, options: TableOptions, measured: str) -> TableOptions:
    """Return the options with the column names of an answer. For example, the mean number of
    samples is called ``samples`` in a table of several budgets, and not ``mean``.

    Raises:
        BadInput: the user chose a column that summaries or comparisons have, but answers do not.
    """
    same = {"mean": measured} if measured == "samples" else {}
    columns = [same.get(name, name) for name in options.columns]
    if columns and options.pivot != "name" and frame.get("name", pd.Series()).nunique() > 1:
        columns = [*columns[:1], "name", *columns[1:]]  # eps or rho
    for name in columns:
        if name not in frame and name in {*STATISTICS, *COMPARED, *BUDGETS}:
            has = f"an answer has {measured}, with {INTERVAL}, ci_low and ci_high, and no {name}"
            raise BadInput(f"unknown column {name!r}: {has}")
    return replace(options, columns=tuple(dict.fromkeys(columns)))


def _telling_apart(
    frame: pd.DataFrame,
    columns: list[str],
    among: Sequence[str],
    describing: Sequence[str],
    known: str | None = None,
) -> list[str]:
    """Return the columns, and further columns from ``among`` if some rows would look alike without
    them.

    Added columns come after the columns ``describing`` a setting. Rows that differ in the column
    ``known`` do not look alike.
    """
    alike = [name for name in among if name in columns or name == known]
    for name in (name for name in among if name not in alike):
        parts = frame.groupby(alike, dropna=False)[name] if alike else frame[name]
        if np.max(parts.nunique(dropna=False)) > 1:
            place = max((i + 1 for i, x in enumerate(columns) if x in describing), default=0)
            columns = [*columns[:place], name, *columns[place:]]
            alike.append(name)
    return columns


def _labelled(frame: pd.DataFrame, text: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the cells with words replaced by their labels."""
    words = [str(n) for n in text if n in frame and not pd.api.types.is_numeric_dtype(frame[n])]
    known = {str(x) for name in words for x in frame[name].dropna()}
    for name in labels:
        if name not in known:
            raise unknown("word in labels:", name, known)
    every = {**own_labels(_algorithms(frame)), **labels}
    shown = {name: MATHEMATICS.sub(_marked, label) for name, label in every.items()}
    for name in words if shown else ():
        text[name] = frame[name].astype(str).map(shown).fillna(text[name])
        if text[name].nunique() < frame[name].nunique():
            raise BadInput(f"labels={plain(every)}: two names of {name} have one label")
    return text


def _algorithms(frame: pd.DataFrame) -> list[str]:
    """Return the names of the algorithms or rules of a table."""
    return [str(x) for name in ("algo", "rule") if name in frame for x in frame[name].unique()]


def _marked(found: re.Match[str]) -> str:
    """Return the replacement of a match: mathematics gets a mark MATH on each side, and an escaped
    dollar sign becomes a plain dollar sign.
    """
    return f"{MATH}{found[1]}{MATH}" if found[1] else "$"


def _cells(frame: pd.DataFrame, name: str, digits: int | None) -> pd.Series:
    """Return a column as text. Without ``digits``, its numbers have all their digits."""
    if name == INTERVAL:
        low, high = (_cells(frame, end, digits) for end in ("ci_low", "ci_high"))
        return (low + " to " + high).where(low != "", "")
    if name in NAMES:
        return frame[name].map(NAMES[name])
    if name in FORMATS:
        return frame[name].map(lambda x: "" if pd.isna(x) else FORMATS[name](x))
    return with_cut_runs(frame, name, frame[name].map(lambda x: _number(x, digits)))


def _number(x: Any, digits: int | None) -> str:
    """Return a number as text with ``digits`` significant digits, with an exponent only if its
    absolute value is below 1e-4 or at least 1e15.

    Values that are not finite floats are returned as words.
    """
    if isinstance(x, bool | np.bool_):
        return "yes" if x else "no"
    if not isinstance(x, float) or not np.isfinite(x):
        return "" if pd.isna(x) else str(x)
    if digits is None:
        return value_text(x)
    rounded = float(f"{x:.{digits}g}")
    if not 1e-4 <= abs(rounded) < 1e15:
        return f"{rounded:g}"
    places = max(0, digits - 1 - int(np.floor(np.log10(abs(rounded)))))
    return f"{rounded:,.{places}f}"


def _best(frame: pd.DataFrame, measured: str) -> pd.Series:
    """Return which rows are the best of their game: the tied rows if there is a column ``tied``,
    else the rows with the smallest value.

    A game with a single row has no best row.
    """
    groups = frame.groupby(_game(frame) or np.zeros(len(frame)), dropna=False, sort=False)[measured]
    smallest = frame[measured] == groups.transform("min")
    best = frame["tied"] if "tied" in frame.columns else smallest
    return best & (groups.transform("size") > 1)


def _game(frame: pd.DataFrame) -> list[str]:
    """Return the columns that determine to which game a row belongs."""
    return [name for name in frame.columns if name in GAME or of_game(name)]


def _head(rows: pd.DataFrame, pivot: str) -> str:
    """Return the heading of a pivot's column: the value of ``pivot``, numbers as mathematics."""
    text = str(_cells(rows, pivot, None).iloc[0])
    try:
        float(text)
    except ValueError:
        return text
    sign = symbol(pivot, _algorithms(rows))
    return f"{sign[:-1]} = {text}$" if sign.startswith("$") else f"{sign} = {text}"


def _pivoted(
    frame: pd.DataFrame,
    first: list[str],
    text: pd.DataFrame,
    columns: list[str],
    pivot: str,
    measured: list[str],
) -> pd.DataFrame:
    """Return the table with a column for each value of ``pivot``.

    A cell holds the first of the ``measured`` columns, and the other measured columns in
    parentheses. The columns in ``first`` describe a setting.
    """
    groups = [name for name in ("algo", "rule") if name in frame]
    differing = varying(frame, set(columns) - {*groups}, groups, blank=True)
    several = {*differing, *(name for name in columns if frame[name].nunique() > 1)}
    before = [name for name in columns if name != pivot and name in several]
    if pivot not in frame.columns or pivot in measured:
        raise unknown("column in pivot:", pivot, [n for n in frame.columns if n in GAME])
    before = before or [name for name in columns if name in NAMES and name != pivot]
    found = sorted(frame[pivot].dropna().unique())
    values = {x: _head(frame[frame[pivot] == x], pivot) for x in found}
    heads = list(values.values())
    without = MATHEMATICS.sub(_marked, f"no {symbol(pivot, _algorithms(frame))}")
    if frame[pivot].isna().any():
        heads.append(without)
    rows: dict[tuple[str, ...], dict[str, Any]] = {}  # for each cell, the index of a row
    for i in frame.index:
        cells = rows.setdefault(tuple(text.loc[i, before]), {})
        name = values.get(frame.loc[i, pivot], without)
        if name in cells:
            pair = frame.loc[[cells[name], i], first]
            apart = [n for n in first if n != SETTING and pair[n].nunique(dropna=False) > 1]
            needed = f"add {' or '.join(apart)} to columns=" if apart else "no column differs"
            raise BadInput(f"pivot={pivot}: several rows belong in one cell; {needed}")
        cells[name] = i
    filled = [
        [*key, *(_cell(text.loc[cells[name], measured]) if name in cells else "" for name in heads)]
        for key, cells in rows.items()
    ]
    return pd.DataFrame(filled, columns=[*before, *heads])


def _cell(measured: Sequence[str]) -> str:
    """Return the text of a cell: the first measured text, and the other measured texts in
    parentheses.
    """
    one, *others = measured
    inside = ", ".join(filter(None, others))
    return f"{one} ({inside})" if inside else one
