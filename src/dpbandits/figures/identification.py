"""Figures of rules that name an arm or a hypothesis: stopping times and shares of wrong answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from ..contracts.display import environment_title, symbol
from ..contracts.question import BEST_ARM
from ..environments.catalogue import build
from ..errors import BadInput
from ..results.summary import percent, summary_of, value_text
from ..results.table import Table
from ..settings.composed import read_group
from ..theory.azize2024 import samples_lower, samples_lower_of_divergence
from ..theory.bounds import where_it_holds
from .bands import bars
from .labels import WITHOUT, legend_name, rounds_text, unprotected
from .style import SHARE, Styles, finish, marker, styled, styles_of, subplots

LOWER = {
    "lower bound on the mean: Azize et al. 2024": samples_lower,
    "lower bound on the mean, with d of Azize et al. 2025": samples_lower_of_divergence,
}
DASHES = ((0, (5, 2)), (0, (1, 1.5)))  # of the lower bounds
REQUIRED = (0, (3, 1, 1, 1))  # of the risk that is required
ASIDE = 1.1  # factor between the budgets at which the marks of two lines stand


@styled
def identification_panels(table: Table, title: str, theorems: bool = False) -> Figure:
    """Draw quantiles of the stopping time, and below them the share of wrong answers, against eps.

    There is a column of panels for each instance. Rules without a budget are drawn as horizontal
    lines. With ``theorems`` the lower bounds on the expected stopping time are drawn, too.

    Raises:
        BadInput: no rule in the table is private, so there is no axis.
    """
    if not np.isfinite(table.settings["eps"]).any():
        raise BadInput("no rule in the table is private: eps, the axis of the figure, has no value")
    table = labelled(table)
    runs = table.runs
    instances = runs["instance"].unique()
    share: Any = {"sharex": True, "sharey": "row", "height_ratios": [1.0, 0.4]}
    figure, axes = subplots(2, len(instances), 3.0, **share)
    styles = styles_of(table.settings, "rule")
    for (upper, lower), name in zip(axes.T, instances, strict=True):
        inside = runs[runs["instance"] == name]
        draw_times(upper, inside, styles)
        draw_errors(lower, inside, styles)
        if theorems:
            draw_theorems(upper, inside)
        upper.set_title(name)
        lower.set_xlabel(f"privacy budget {symbol('eps')}")
    axes[0, 0].set_ylabel("stopping time (samples)")
    axes[1, 0].set_ylabel("wrong answers")
    note = (
        "Lines show the median of RUNS runs. Bars and bands contain the runs from the 10 % to the "
        "90 % quantile; the bars of lines that share a budget stand beside each other. Below, bars "
        "show the 95 % interval (Clopper-Pearson) of the share of wrong answers among the runs "
        "that stopped."
    )
    if runs["halted"].eq(0).any():
        caps = sorted(runs["cap"].unique())
        own = f"the cap, {rounds_text(caps[0])}" if len(caps) == 1 else "their cap"
        note += f" A hollow mark means that more than half of the runs met {own}, and a cross that "
        note += "some runs did."
    return finish(figure, title, table, note)


def labelled(table: Table) -> Table:
    """Return the table with the columns ``line`` and ``instance`` of its settings.

    A line is a rule with its varied parameters. A requirement on the answer, such as delta, is part
    of the instance's name if it is the same for all lines of each instance. Settings without
    privacy come first, so that other lines are drawn over them.
    """
    settings, varied = table.settings, table.varied
    lines = settings["rule"].map(legend_name)
    for name in varied:
        if not name.startswith("env.") and settings[name].nunique() > 1:
            words = settings[name].map(lambda x: "" if pd.isna(x) else f", {value_text(x)}")
            lines = lines + words
    instances = settings["env"].map(environment_title)
    if "true_mean" in settings:
        instances = instances + ", mean " + settings["true_mean"].map(value_text)
    else:
        for name in (n for n in varied if n.startswith("env.")):
            blank = settings[name].isna()
            words = " " + settings[name].map(lambda x: value_text(x).strip("[]"))
            instances = instances + words.str.replace(",", ", ").mask(blank, "")
    for name in (n for n in ("delta", "mu0", "mu1", "alpha", "beta") if n in settings):
        if settings[name].nunique() > 1:
            words = f"{symbol(name)} = " + settings[name].map(value_text)
            if settings.groupby(instances)[name].nunique().max() == 1:
                instances = instances + instances.map(lambda x: ", " if "\n" in x else "\n") + words
            else:
                lines = lines + ", " + words
    without = unprotected(settings, "rule")
    lines = lines.where(~without, lines + f", {WITHOUT}")
    order = np.argsort(~without.to_numpy(), kind="stable")
    return table.assign(line=lines, instance=instances).take(order)


def draw_times(ax: Axes, table: pd.DataFrame, styles: Styles) -> None:
    """Draw the median stopping time of each line against the budget, with its quantiles."""
    low, high = limits_of(table)
    for label, found in lines_of(table):
        style, eps = styles[label], found["beside"]
        if np.isfinite(eps).any():
            ends = bars(found["median"], found["q10"], found["q90"])
            look = {"fmt": marker(style), "ms": 3, "lw": 1, "color": style["color"]}
            ax.errorbar(eps, found["median"], ends, **look)
        else:  # across all budgets
            found = pd.concat([found, found])
            eps = pd.Series([low, high])
            ax.fill_between(eps, found["q10"], found["q90"], color=style["color"], alpha=0.2, lw=0)
        ax.plot(eps, found["median"], label=label, **style)
        some = found["halted"].to_numpy() < found["runs"].to_numpy()
        mark = style | {"linestyle": "", "ms": 5}
        ax.plot(eps[some], found["median"][some], **mark, marker="x")
        none = (found["median"] >= found["cap"]).to_numpy()
        ax.plot(eps[none], found["median"][none], **mark, marker="o", mfc="white")
    ax.set(xscale="log", yscale="log")
    if table["eps"][np.isfinite(table["eps"])].nunique() == 1:
        ax.set_xlim(low, high)  # matplotlib gives a single point no width


def draw_errors(ax: Axes, table: pd.DataFrame, styles: Styles) -> None:
    """Draw the share of wrong answers of each line against the budget, with its interval.

    The function leaves out settings whose answers cannot be called right or wrong.
    """
    table = table[table["correct"].notna() | (table["halted"] == 0)]
    for label, found in lines_of(table):
        found = found[np.isfinite(found["eps"])]
        wrong = 1.0 - found["correct"]
        interval = bars(wrong, 1.0 - found["correct_high"], 1.0 - found["correct_low"])
        look = {"fmt": marker(styles[label]), "ms": 2, "lw": 1, "color": styles[label]["color"]}
        ax.errorbar(found["beside"], wrong, yerr=interval, **look)
    for name in ("delta", "alpha", "beta"):
        for risk in sorted(table[name].unique()) if name in table.columns else ():
            ax.axhline(
                risk, color="black", lw=1, ls=REQUIRED, label=f"required: at most {percent(risk)}"
            )
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    ax.set_ylim(bottom=-0.04 * ax.get_ylim()[1])
    ax.set_gid(SHARE)


def lines_of(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each line with its summary at each budget, in ascending order.

    The column ``beside`` moves the marks of lines that share a budget apart, around this budget.
    """
    columns = [str(x) for x in table if x not in ("run", "value", *BEST_ARM.measured)]
    found = summary_of(table, columns, BEST_ARM)
    number = pd.Series(pd.factorize(found["line"])[0], found.index).groupby(found["eps"])
    place = number.rank("dense") - (number.transform("nunique") + 1) / 2
    found = found.assign(beside=found["eps"] * ASIDE**place)
    for label, rows in found.groupby("line", sort=False):
        yield str(label), rows.sort_values("eps")


def limits_of(table: pd.DataFrame) -> tuple[float, float]:
    """Return the smallest and the largest finite budget, or limits around a single budget."""
    finite = table["eps"][np.isfinite(table["eps"])]
    some = 2.0 if finite.nunique() == 1 else 1.0
    return finite.min() / some, finite.max() * some


def draw_theorems(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the lower bounds on the expected stopping time for each delta in the table."""
    row: Any = table.iloc[0]
    spec: dict[str, Any] = read_group("env", row["env"])
    for name in (n for n in table.columns if n.startswith("env.")):
        spec[name.removeprefix("env.")] = json.loads(str(row[name]))
    means = build(spec).means.tolist()
    eps = np.geomspace(*limits_of(table), 40)
    for (label, theorem), dash in zip(LOWER.items(), DASHES, strict=True):
        for delta in sorted(table["delta"].unique()):
            values = [where_it_holds(theorem, means, x, delta) for x in eps]
            ax.plot(eps, values, label=label, color="#555555", lw=1, ls=dash)
