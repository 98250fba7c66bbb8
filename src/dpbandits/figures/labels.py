"""Labels: of the lines of a table, of parameters and budgets, of numbers of rounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.display import display_name, environment_title, symbol
from ..errors import BadInput, unknown
from ..results.summary import value_text
from ..results.table import Table
from ..results.varying import of_game, varying, without_privacy
from ..settings.composed import LABEL
from .options import current

WITHOUT = "without privacy"
# What words of labels mean
MEANINGS = {
    "printed": "as in the paper",
    "coded": "as in the authors' code",
    "exact": "the least noise for the budget",
    "literal": "the paper's constant",
    "practical": "our constant",
    "unit": "that constants are 1",
    "explicit": "that constants are proved",
}
MOST_MEANS = 6  # in the title of an environment


def legend_name(name: Any) -> str:
    """The name of an algorithm or a rule in a legend, which omits labels that start with ``_``."""
    shown = display_name(str(name))
    text = current().labels.get(str(name), shown if shown == name else escaped(shown))
    return f" {text}" if text.startswith("_") else text


def line_label(algo: Any, values: Mapping[str, Any]) -> str:
    """The label of a line: an algorithm, and what tells it from its other lines, unless blank."""
    words = [setting_text(name, x) for name, x in values.items() if not pd.isna(x)]
    return ", ".join([legend_name(algo), *words])


def setting_text(name: str, value: Any) -> str:
    """A parameter and its value in a label: ``alpha = 2``, or ``binary tree`` of a word."""
    shown, text = symbol(name), rounds_text(value) if name == "horizon" else value_text(value)
    is_word = isinstance(value, str) and text.isidentifier() and len(shown) > 1
    return f"{text} {shown}" if is_word and "$" not in shown else f"{shown} = {text}"


def labelled(table: Table, but: Sequence[str] = (), horizons: bool = False) -> Table:
    """The table with a column ``line`` of its settings, the label of their line.

    There is a line for each algorithm and each value of the parameters that vary in some
    environment for some algorithm, except for those in ``but``, which are on an axis; parameters
    of the environment also if they vary between algorithms alone. With ``horizons`` there is also
    a line for each horizon. The settings of ``unprotected`` have lines of their own.
    """
    settings, game = table.settings, ["env", "horizon"]
    among = [name for name in table.varied if name not in but]
    found = varying(settings, filter(of_game, among), game)
    found += varying(settings, among, ["algo", *game], blank=True)
    varied = [name for name in among if name in found]
    if horizons and "horizon" not in but and settings["horizon"].nunique() > 1:
        varied.append("horizon")
    rows = zip(settings.to_dict("records"), unprotected(settings, "algo"), strict=True)
    lines = [
        ", ".join([line_label(row["algo"], {x: row[x] for x in varied}), *[WITHOUT] * free])
        for row, free in rows
    ]
    return table.assign(line=lines)


def unprotected(settings: pd.DataFrame, group: str) -> pd.Series:
    """Which settings have an infinite budget although their algorithm, or rule, also has a finite
    one; ``group`` is the column of its name.
    """
    names, free = settings[group], without_privacy(settings)
    return free & names.isin(names[~free])


def finite_budgets(table: Table) -> list[tuple[str, float]]:
    """The budgets that have a column of panels, as names and values: the finite ones, or infinity
    if there are none.
    """
    values = {name: sorted(table.settings[name].unique()) for name in table.budgets}
    found = [(name, x) for name, own in values.items() for x in own if np.isfinite(x)]
    return found or [(table.budgets[0], np.inf)]


def budget_title(name: str, value: float) -> str:
    """A privacy budget in the title of a panel."""
    return "not private" if np.isinf(value) else f"{symbol(name)} = {value:g}"


def rounds_text(T: float) -> str:
    """A number of rounds in a label: 300, 10^4 or 5 x 10^7."""
    return scientific(T) if T >= 10_000 else f"{T:g}"


def scientific(T: float) -> str:
    """A number as a power of ten, or a multiple of one."""
    exponent = int(np.floor(np.log10(T)))
    factor = T / 10**exponent
    power = f"10^{{{exponent}}}"
    if not np.isclose(float(f"{factor:g}") * 10.0**exponent, T, rtol=1e-12, atol=0.0):
        return f"{T:.12g}"  # one of many digits
    return f"${power}$" if factor == 1 else f"${factor:g} \\times {power}$"


def plain_text(text: str) -> str:
    """A label without the marks of matplotlib's mathematics."""
    in_a_line = re.sub(r",?\n", ", ", text.replace("\\epsilon", "eps"))
    return re.sub(r"[${}\\]", "", in_a_line)


def check_labels(names: Iterable[str], lines: Iterable[str]) -> None:
    """Refuse labels of what is neither one of some names nor a line of the figure."""
    known = [*names, *map(plain_text, lines)]
    for name in current().labels:
        if name not in known:
            raise unknown("algorithm or line in labels:", name, known)


def check_different(names: Iterable[str]) -> None:
    """Refuse labels with which two algorithms look alike."""
    shown: dict[str, str] = {}
    for name in names:
        label = current().labels.get(name, display_name(name))
        if (other := shown.setdefault(label, name)) != name:
            raise BadInput(
                f"{other} and {name} have one label, {label}: labels={{{name}: TEXT}} gives another"
            )


def environment_titles(table: Table) -> dict[str, str]:
    """The title of each environment of a table: for one that is only a law, such as ``bernoulli``,
    with the means of its arms if the table knows them.
    """
    found = {str(name): environment_title(str(name)) for name in table.settings["env"].unique()}
    for name in found:
        records = [r for r in table.records.values() if r["env"] == name]
        specs = [r["env_spec"] for r in records if LABEL not in r]
        means = [spec.get("means") for spec in specs if spec.get("law") == name]
        first = means[0] if means else None
        if (
            isinstance(first, list)
            and len(first) <= MOST_MEANS
            and means.count(first) == len(means)
        ):
            found[name] += " " + ", ".join(value_text(x) for x in first)
    return found


def usual_title(table: Table) -> str:
    """The title of a figure: the compared algorithms, the environment, and the varied keys."""
    settings, group, limit = table.settings, table.question.group, table.question.limit
    names, several = table.names, "rules" if group == "rule" else "algorithms"
    title = legend_name(names[0]).strip() if len(names) == 1 else f"{len(names)} {several}"
    where = [title for title in environment_titles(table).values() if title]
    if where:
        title += f" on {where[0] if len(where) == 1 else f'{len(where)} environments'}"
    of_rounds = limit == "horizon"
    if of_rounds and settings[limit].nunique() == 1:
        title += f", $T$ = {rounds_text(settings[limit].iloc[0])}"
    varied = [name for name in table.budgets if settings[name].nunique() > 1]
    varied += varying(settings, table.varied)
    if of_rounds and settings[limit].nunique() > 1:
        varied.append(limit)
    return title + (f", by {', '.join(map(symbol, varied))}" if varied else "")


def meanings(labels: Iterable[str]) -> str:
    """A sentence that explains the words of labels in MEANINGS; empty if there are none."""
    words = " ".join(labels)
    used = [f'"{x}" means {MEANINGS[x]}' for x in MEANINGS if re.search(rf"\b{x}\b", words)]
    return f" In labels, {', and '.join(used)}." if used else ""


def as_it_stands(table: Table) -> Table:
    """A table whose words are drawn as they stand, environments by their labels."""
    settings = table.with_labels().settings.rename(columns=escaped)
    words = settings.select_dtypes(exclude=["number", "bool"])
    shown = {str(name): column.map(_as_drawn) for name, column in words.items()}
    return replace(table, settings=settings.assign(**shown))


def _as_drawn(value: Any) -> Any:
    return escaped(value) if isinstance(value, str) else value


def escaped(text: str) -> str:
    """Text that matplotlib draws as it stands."""
    return str(text).replace("$", r"\$")
