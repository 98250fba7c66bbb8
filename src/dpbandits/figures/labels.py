"""Labels: of the lines of a table, of parameters and budgets, of numbers of rounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.display import display_name, environment_title, symbol
from ..errors import BadInput, unknown
from ..results.records import SETTINGS, with_labels
from ..results.varying import (
    SETTING,
    budgets_of,
    numbers_of,
    of_game,
    settings_in,
    varied_in,
    varying,
    without_privacy,
)
from ..settings.choices import LABEL
from .options import FigureOptions, current

WITHOUT = "without privacy"
MOST_MEANS = 6  # in the title of an environment


def legend_name(name: Any) -> str:
    """The name of an algorithm or a rule in a legend, which omits labels that start with ``_``."""
    text = current().labels.get(str(name), display_name(str(name)))
    return f" {text}" if text.startswith("_") else text


def value_text(value: Any) -> str:
    """A parameter's value in a label."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def line_label(algo: Any, values: Mapping[str, Any]) -> str:
    """The label of a line: an algorithm, and what tells it from its other lines, unless blank."""
    words = [
        f"{symbol(name)} = {rounds_text(x) if name == 'horizon' else value_text(x)}"
        for name, x in values.items()
        if not pd.isna(x)
    ]
    return ", ".join([legend_name(algo), *words])


def labelled(table: pd.DataFrame, but: Sequence[str] = (), horizons: bool = False) -> pd.DataFrame:
    """The table with a column ``line``, the label of the line to which a row belongs.

    There is a line for each algorithm and each value of the parameters that vary in some
    environment for some algorithm, except for those in ``but``, which are on an axis; parameters
    of the environment also if they vary between algorithms alone. With ``horizons`` there is also
    a line for each horizon. The rows of ``unprotected`` have lines of their own.
    """
    settings = settings_in(table)
    among, game = [name for name in varied_in(table) if name not in but], ["env", "horizon"]
    found = varying(settings, filter(of_game, among), game)
    found += varying(settings, among, ["algo", *game], blank=True)
    varied = [name for name in among if name in found]
    if horizons and "horizon" not in but and settings["horizon"].nunique() > 1:
        varied.append("horizon")
    free = unprotected(settings, "algo")
    rows = zip(settings["algo"], settings[varied].itertuples(index=False), free, strict=True)
    lines = [
        ", ".join([line_label(algo, dict(zip(varied, row, strict=True))), *[WITHOUT] * without])
        for algo, row, without in rows
    ]
    return table.assign(line=np.array(lines, dtype=object)[numbers_of(table, settings)])


def unprotected(table: pd.DataFrame, group: str) -> pd.Series:
    """Which rows have an infinite budget although their algorithm, or rule, also has a finite one.

    ``group`` is the column of its name; none does in a table without budgets.
    """
    if not set(budgets_of(table)) <= set(table.columns):
        return pd.Series(False, table.index)
    free = without_privacy(table)
    return free & table[group].isin(table.loc[~free, group])


def finite_budgets(table: pd.DataFrame) -> list[tuple[str, float]]:
    """The budgets that have a column of panels, as names and values: the finite ones, or infinity
    if there are none.
    """
    found = [(b, x) for b in budgets_of(table) for x in sorted(table[b].unique()) if np.isfinite(x)]
    return found or [(budgets_of(table)[0], np.inf)]


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


def names_of(table: pd.DataFrame) -> list[str]:
    """The names of the algorithms, or of the rules, of a table."""
    column = "rule" if "rule" in table.columns else "algo"
    return list(map(str, table[column].unique())) if column in table.columns else []


def chosen_rows(table: pd.DataFrame, chosen: FigureOptions) -> pd.DataFrame:
    """The rows of a table that are drawn, in the order of the legend.

    Raises:
        BadInput: an option names an algorithm that the table does not have, or two algorithms have
            one label.
    """
    names = names_of(table)
    for key in ("only", "order", "highlight"):
        for name in getattr(chosen, key):
            if name not in names:
                raise unknown(f"algorithm in {key}:", name, names)
    column = "rule" if "rule" in table.columns else "algo"
    if chosen.only:
        table = table[table[column].isin(chosen.only)]
    if chosen.order:
        rest = [name for name in names if name not in chosen.order]
        at = table[column].map([*chosen.order, *rest].index)
        table = table.iloc[np.argsort(at.to_numpy(), kind="stable")]
    shown: dict[str, str] = {}
    for name in names_of(table):
        label = chosen.labels.get(name, display_name(name))
        if (other := shown.setdefault(label, name)) != name:
            raise BadInput(
                f"{other} and {name} have one label, {label}: labels={{{name}: TEXT}} gives another"
            )
    return table.reset_index(drop=True) if chosen.only or chosen.order else table


def check_labels(table: pd.DataFrame, lines: Iterable[str]) -> None:
    """Refuse labels of what is neither an algorithm of a table nor a line of its figure."""
    known = [*names_of(table), *map(plain_text, lines)]
    for name in current().labels:
        if name not in known:
            raise unknown("algorithm or line in labels:", name, known)


def environment_titles(table: pd.DataFrame) -> dict[str, str]:
    """The title of each environment of a table: for one that is only a law, such as ``bernoulli``,
    with the means of its arms if the table knows them.
    """
    found = {str(name): environment_title(str(name)) for name in table["env"].unique()}
    for name in found:
        records = [r for r in table.attrs.get(SETTINGS, {}).values() if r["env"] == name]
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


def usual_title(table: pd.DataFrame) -> str:
    """The title of the figure of a table: what is compared, where, and what varies."""
    names, several = names_of(table), "rules" if "rule" in table.columns else "algorithms"
    title = legend_name(names[0]).strip() if len(names) == 1 else f"{len(names)} {several}"
    where = list(environment_titles(table).values())
    title += f" on {where[0] if len(where) == 1 else f'{len(where)} environments'}"
    if "horizon" in table.columns and table["horizon"].nunique() == 1:
        title += f", $T$ = {rounds_text(table['horizon'].iloc[0])}"
    varied = [name for name in budgets_of(table) if table[name].nunique() > 1]
    others = [name for name in varied_in(table) if name not in varied]
    varied += varying(table, others)
    if "horizon" in table.columns and table["horizon"].nunique() > 1:
        varied.append("horizon")
    return title + (f", by {', '.join(map(symbol, varied))}" if varied else "")


def as_it_stands(table: pd.DataFrame) -> pd.DataFrame:
    """A table whose words are drawn as they stand, environments by their labels."""
    table = with_labels(table).rename(columns=escaped)
    for name, kind in table.dtypes.items():
        if name == SETTING or pd.api.types.is_numeric_dtype(kind):
            continue
        words = [word for word in table[name].unique() if isinstance(word, str) and "$" in word]
        if words:
            table[name] = table[name].replace({word: escaped(word) for word in words})
    return table


def escaped(text: str) -> str:
    """Text that matplotlib draws as it stands."""
    return str(text).replace("$", r"\$")
