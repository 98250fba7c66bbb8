"""Labels of lines, parameters, budgets and numbers of rounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.display import display_name, environment_title, own_labels, symbol
from ..errors import BadInput, together, unknown
from ..results.records import NO_RECORD, Record
from ..results.summary import value_text
from ..results.table import Table
from ..results.varying import SETTING, WITHOUT, of_game, varying, without_privacy
from ..settings.composed import LABEL
from .options import current, with_math

# The meanings of words that occur in labels
MEANINGS = {
    "printed": "as in the paper",
    "coded": "as in the authors' code",
    "exact": "the least noise for the budget",
    "unit": "constants of 1",
    "explicit": "the constants of the proof",
    "eigenvalue": "from the smallest eigenvalue of the matrix of contexts instead of its bound",
    "Honaker's tree": "a binary tree with Honaker's estimates",
    "calibrated": "a quantile of the noise",
}
# Words of labels for values that are names in code
READABLE = {
    "honaker": "Honaker's",
    "kary": "19-ary",
    "literal": "the paper's",
    "practical": "our",
}
MOST_MEANS = 6  # most means in the title of an environment


def legend_name(name: Any) -> str:
    """Return the name of an algorithm or a rule in a legend.

    matplotlib omits labels that start with ``_``, so a space is put before such a label.
    """
    shown = display_name(str(name))
    text = current().labels.get(str(name), shown if shown == name else escaped(shown))
    return f" {text}" if text.startswith("_") else text


def line_label(algo: Any, values: Mapping[str, Any]) -> str:
    """Return the label of a line: the algorithm, and the values in which the lines of this
    algorithm differ.
    """
    words = [setting_text(name, x, [algo]) for name, x in values.items() if not pd.isna(x)]
    return ", ".join([legend_name(algo), *words])


def setting_text(name: str, value: Any, algos: Iterable[Any] = ()) -> str:
    """Return a parameter and its value as a label: ``alpha = 2``, or ``binary tree`` for a value
    that is a word.

    Values that are names in code get a readable text from READABLE, such as ``the paper's bonus``.
    An environment is shown by its title. If users' algorithms among ``algos`` declare labels, the
    labels replace names and words.
    """
    if name == "env":
        return environment_title(str(value))
    text = rounds_text(value) if name == "horizon" else value_text(value)
    shown, labels = symbol(name, algos), own_labels(algos)
    if isinstance(value, str) and value in READABLE and value not in labels:
        return f"{READABLE[value]} {shown}"
    if isinstance(value, str) and text in labels:
        text = labels[text]
    for word in {name, value} & labels.keys() if labels else ():
        with_math("labels", labels[word])
    is_word = isinstance(value, str) and text.isidentifier() and len(shown) > 1
    is_word = is_word and name != "version"  # which may begin with a digit or with a letter
    return f"{text} {shown}" if is_word and "$" not in shown else f"{shown} = {text}"


def labelled(
    table: Table, but: Sequence[str] = (), horizons: bool = False, environments: bool = False
) -> Table:
    """Return the table with a column ``line``, the label of each setting's line.

    Each algorithm has a line for each value of the parameters that vary for some algorithm in some
    game (an environment and a horizon). A parameter of the environment also counts as varying if
    only different algorithms have different values of it. Parameters in ``but`` are on an axis and
    do not count. With ``horizons`` each horizon has its own line, and with ``environments`` each
    environment. If an algorithm was run with and without privacy, its settings without privacy have
    their own line (see ``unprotected``).
    """
    settings, game = table.settings, ["env", "horizon"]
    among = [name for name in table.varied if name not in but]
    found = varying(settings, filter(of_game, among), game)
    found += varying(settings, among, ["algo", *game], blank=True)
    varied = [name for name in among if name in found]
    if horizons and "horizon" not in but and settings["horizon"].nunique() > 1:
        varied.append("horizon")
    if environments and "env" not in but and settings["env"].nunique() > 1:
        varied.insert(0, "env")
    free = unprotected(settings, "algo", table.records)
    lines = [
        ", ".join([line_label(row["algo"], {x: row[x] for x in varied}), *[WITHOUT] * bare])
        for row, bare in zip(settings.to_dict("records"), free, strict=True)
    ]
    return table.assign(line=lines)


def labelled_games(table: Table, but: Sequence[str] = (), within: Sequence[str] = ()) -> Table:
    """Return ``labelled`` for panels that show several games: an environment or a horizon is part
    of a line's label if the algorithm has several of them for one value of the columns ``within``.
    """
    several = varying(table.settings, ["env", "horizon"], ["algo", *within])
    return labelled(table, but, horizons="horizon" in several, environments="env" in several)


def unprotected(
    settings: pd.DataFrame, group: str, records: Mapping[str, Record] | None = None
) -> pd.Series:
    """Return which settings have an infinite budget although their algorithm or rule is private, as
    bool series. The series is false if no setting has a finite budget.

    An algorithm or rule is private if it has a finite budget in other settings, or if a record says
    so.

    Args:
        settings: a row for each setting, whose id is in a column or is the index.
        group: the column with the name of the algorithm or rule.
        records: the records of settings by their ids.
    """
    names, free = settings[group], without_privacy(settings)
    ids = settings.get(SETTING, settings.index)
    of_record = ((records or {}).get(own, NO_RECORD).get("notion", "none") for own in ids)
    private = np.array([notion not in (None, "none") for notion in of_record])
    is_private = names.isin(names[~free]) | (private & (~free).any())
    return without_privacy(settings, unknown=False) & is_private


def finite_budgets(table: Table) -> list[tuple[str, float]]:
    """Return the names and values of the finite budgets, such as ``("eps", 0.5)``.

    If no budget is finite, the only value is infinity. Figures have a column of panels for each
    budget.
    """
    values = {name: sorted(table.settings[name].unique()) for name in table.budgets}
    found = [(name, x) for name, own in values.items() for x in own if np.isfinite(x)]
    return found or [(table.budgets[0], np.inf)]


def budget_title(name: str, value: float) -> str:
    """Return a privacy budget as text for the title of a panel."""
    return "not private" if np.isinf(value) else f"{symbol(name)} = {value:g}"


def rounds_text(T: float) -> str:
    """Return a number of rounds as text for a label: 300, 10^4 or 5 x 10^7."""
    return scientific(T) if T >= 10_000 else f"{T:g}"


def scientific(T: float) -> str:
    """Return a number as a power of ten, or as a multiple of a power of ten."""
    exponent = int(np.floor(np.log10(T)))
    factor = T / 10**exponent
    power = f"10^{{{exponent}}}"
    if not np.isclose(float(f"{factor:g}") * 10.0**exponent, T, rtol=1e-12, atol=0.0):
        return f"{T:.12g}"  # a number with many digits
    return f"${power}$" if factor == 1 else f"${factor:g} \\times {power}$"


def plain_text(text: str) -> str:
    """Return a label without the dollar signs and braces of matplotlib's mathematics."""
    in_a_line = re.sub(r",?\n", ", ", text.replace("\\epsilon", "eps"))
    return re.sub(r"[${}\\]", "", in_a_line)


def check_labels(names: Iterable[str], lines: Iterable[str]) -> None:
    """Refuse a user's labels for words that are neither in ``names`` nor names of the figure's
    lines.
    """
    known = [*names, *map(plain_text, lines)]
    for name in current().labels:
        if name not in known:
            raise unknown("algorithm or line in labels:", name, known)


def refuse_same_labels(named: Mapping[str, str]) -> None:
    """Refuse labels that give two lines one entry of the legend; ``named`` maps lines to labels."""
    shown: dict[str, str] = {}
    for line, label in named.items():
        if (other := shown.setdefault(label, line)) != line:
            lines = f"{plain_text(other)} and {plain_text(line)}"
            raise BadInput(f"labels: the lines {lines} have the same label, {label}")


def environment_titles(table: Table) -> dict[str, str]:
    """Return the title of each environment of a table.

    If an environment is only a law, such as ``bernoulli``, its title includes the means of its
    arms, if the table contains the means.
    """
    found = {str(name): environment_title(str(name)) for name in table.settings["env"].unique()}
    for name in found:
        records = [r for r in table.records.values() if r["env"] == name]
        specs = [r["env_spec"] for r in records if LABEL not in r]
        means = [spec.get("means") for spec in specs if spec.get("law") == name]
        first = means[0] if means and means.count(means[0]) == len(means) else None
        if isinstance(first, list) and len(first) <= MOST_MEANS:
            found[name] += " " + ", ".join(value_text(x) for x in first)
    return found


def inside_sentence(title: str) -> str:
    """Return the title of an environment as part of a sentence, with a first word such as "A" in
    lower case.
    """
    return re.sub("^(A|One|Ten) ", lambda word: word[0].lower(), title)


def usual_title(table: Table) -> str:
    """Return the title of a figure: the compared algorithms, the environment, and the
    varied keys.
    """
    settings, group, limit = table.settings, table.question.group, table.question.limit
    names, several = table.names, "rules" if group == "rule" else "algorithms"
    title = legend_name(names[0]).strip() if len(names) == 1 else f"{len(names)} {several}"
    where = [inside_sentence(title) for title in environment_titles(table).values() if title]
    if where:
        title += f" on {where[0] if len(where) == 1 else f'{len(where)} environments'}"
    of_rounds = limit == "horizon"
    if of_rounds and settings[limit].nunique() == 1:
        title += f", $T$ = {rounds_text(settings[limit].iloc[0])}"
    own = settings[~without_privacy(settings) | unprotected(settings, group, table.records)]
    varied = [name for name in table.budgets if own[name].nunique() > 1]
    varied += varying(settings, table.varied)
    if of_rounds and settings.groupby("env")[limit].nunique().max() > 1:
        varied.append(limit)
    return title + (f", by {', '.join(map(symbol, varied))}" if varied else "")


def meanings(labels: Iterable[str]) -> str:
    """Return a sentence that explains the words of labels that MEANINGS explains; empty if there
    are none.
    """
    words = " ".join(labels)
    used = [f'"{x}" means {MEANINGS[x]}' for x in MEANINGS if re.search(rf"\b{x}\b", words)]
    return f" In labels, {together(used)}." if used else ""


def as_it_stands(table: Table) -> Table:
    """Return the table with the labels of environments. All words are escaped, so that matplotlib
    draws them unchanged. If several environments have the same title, the name of each environment
    is added to the title in parentheses.
    """
    settings = table.with_labels().settings.rename(columns=escaped)
    env = settings["env"]
    titles = env.map(environment_title)
    alike = env.groupby(titles.to_numpy()).transform("nunique") > 1
    settings["env"] = env.mask(alike, titles + " (" + env + ")")
    words = settings.select_dtypes(exclude=["number", "bool"])
    shown = words.map(lambda x: escaped(x) if isinstance(x, str) else x)
    return replace(table, settings=settings.assign(**shown))


def escaped(text: str) -> str:
    """Escape text so that matplotlib draws it unchanged."""
    return str(text).replace("$", r"\$")
