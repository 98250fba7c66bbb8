"""Figures of stopping rules that estimate a mean: stopping times and shares of correct
estimates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, PercentFormatter

from ..contracts.display import symbol
from ..contracts.question import STOPPING
from ..errors import BadInput
from ..results.summary import summary_of, value_text
from ..results.table import Table
from ..results.varying import of_game, varying
from ..theory.bounds import where_it_holds
from ..theory.sajed2019 import stopping_lower, stopping_upper
from .bands import INTERVAL, bars
from .labels import WITHOUT, budget_title, finite_budgets, legend_name, unprotected
from .style import SHARE, Styles, finish, marker, styled, styles_of, subplots

DASHES = ((0, (5, 2)), (0, (1, 1.5)), (0, (3, 1, 1, 1)))  # of bounds and of what is required
THEOREMS = {
    "upper bound of DP-NAS-EXP, probability $1 - \\beta$ (Thm 3.3)": stopping_upper,
    "lower bound of private rules, probability 1/4 (Thm 3.4)": stopping_lower,
}


@styled
def stopping_panels(table: Table, title: str, theorems: bool = False) -> Figure:
    """Draw the mean stopping time against the absolute mean, and below it the share of correct
    estimates.

    There is a column of panels for each budget and a row for each relative error. Rules without a
    budget are drawn in every column. With ``theorems`` the bounds of Sajed & Sheffet 2019 on the
    stopping time are drawn, too.

    Raises:
        BadInput: every mean is 0, which the logarithmic axis cannot show.
    """
    table = table.where(table.settings["true_mean"] != 0)
    if table.settings.empty:
        raise BadInput("every true mean in the table is 0, which a logarithmic axis cannot show")
    table = labelled(table.assign(size=table.settings["true_mean"].abs()))
    budgets, errors = finite_budgets(table), sorted(table.settings["rel_error"].unique())
    rows, columns = len(errors) + 1, len(budgets)
    heights = [1.0] * len(errors) + [0.6]
    high = 1.3 * len(errors) + 0.8
    figure, axes = subplots(rows, columns, high, sharey="row", height_ratios=heights)
    styles, runs = styles_of(table.settings, "rule"), table.runs
    for style in styles.values():
        style |= {"marker": marker(style), "ms": 2.5}
    for j, (_, eps) in enumerate(budgets):
        column = runs[runs["eps"].isin([eps, np.inf])]
        for ax, a in zip(axes[:-1, j], errors, strict=True):
            inside = column[column["rel_error"] == a]
            draw_times(ax, inside, styles)
            if theorems:
                draw_theorems(ax, inside[np.isfinite(inside["eps"])])
            ax.set_title(f"{budget_title('eps', eps)}, $a$ = {a:g}")
        axes[-2, j].set_xlabel(r"$|\mu|$")
        draw_correct(axes[-1, j], column, errors, styles)
    for ax in axes[:-1, 0]:
        ax.set_ylabel("stopping time (samples)")
    axes[-1, 0].set_ylabel("correct")
    note = (
        f"Points show the mean of RUNS runs, and are hollow if some runs met their cap. Bars show "
        f"the {INTERVAL}. The last row is of all means together, with the 95 % interval "
        "(Clopper-Pearson)."
    )
    return finish(figure, title, table, note)


def labelled(table: Table) -> Table:
    """Return the table with a column ``line`` of its settings: the rule and its varied parameters.

    Parameters on an axis are left out. Most parameters of an environment only set the mean, so they
    are included only if they vary for the same environment and mean.
    """
    settings, among = table.settings, [name for name in table.varied if name != "size"]
    lines = settings["rule"].map(legend_name)
    own = varying(settings, [name for name in among if not of_game(name)])
    own += varying(settings, filter(of_game, among), ["env", "true_mean"])
    if settings["env"].nunique() > 1:
        lines = lines + ", " + settings["env"].map(str)
    for name in ("beta", "R", "cap"):
        if settings[name].nunique() > 1:
            lines = lines + f", {name} = " + settings[name].astype(float).map(value_text)
    for name in own:
        words = f", {symbol(name)} = " + settings[name].map(value_text)
        lines = lines + words.where(settings[name].notna(), "")
    lines = lines.where(~unprotected(settings, "rule"), lines + f", {WITHOUT}")
    return table.assign(line=lines)


def summaries(runs: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each line with its summary at each value of a column, in ascending order.

    The summary pools the runs over all other columns.
    """
    found = summary_of(runs, ["rule", "line", column], STOPPING)
    for label, rows in found.groupby("line", sort=False):
        yield str(label), rows.sort_values(column)


def draw_times(ax: Axes, table: pd.DataFrame, styles: Styles) -> None:
    """Draw the mean stopping time of each line against the absolute mean, on logarithmic axes."""
    for label, found in summaries(table, "size"):
        style, interval = styles[label], bars(found["mean"], found["ci_low"], found["ci_high"])
        ax.plot(found["size"], found["mean"], label=label, **style)
        ax.errorbar(
            found["size"], found["mean"], yerr=interval, fmt="none", capsize=3, color=style["color"]
        )
        hollow = found[found["halted"] < found["runs"]]
        ax.plot(hollow["size"], hollow["mean"], **style | {"linestyle": "", "mfc": "white"})
    ax.set(xscale="log", yscale="log")
    ticks = sorted(table["size"].unique())
    if len(ticks) <= 6:
        ax.set_xticks(ticks, [f"{x:.3g}" for x in ticks], minor=False)
        ax.xaxis.set_minor_locator(NullLocator())


def draw_theorems(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the bounds on the stopping time for each confidence and range in the table."""
    key: Any
    for (label, theorem), dash in zip(THEOREMS.items(), DASHES, strict=False):
        for key, rows in table.groupby(["eps", "rel_error", "beta", "R"]):
            eps, a, beta, R = key
            x = np.geomspace(rows["size"].min(), rows["size"].max(), 50)
            y = [where_it_holds(theorem, R, a, mean, eps, beta) for mean in x]
            ax.plot(x, y, label=label, color="black", lw=1, ls=dash)


def draw_correct(ax: Axes, table: pd.DataFrame, errors: list[float], styles: Styles) -> None:
    """Draw the share of correct estimates of each line at each relative error, over all means."""
    lines = dict(summaries(table, "rel_error"))
    for k, (label, found) in enumerate(lines.items()):
        share = found["correct"]
        x = found["rel_error"].map(errors.index) + 0.16 * (k - (len(lines) - 1) / 2)
        interval = bars(share, found["correct_low"], found["correct_high"])
        style = styles[label] | {"linestyle": ""}
        ax.errorbar(x, share, yerr=interval, capsize=2, **style)
    for beta in sorted(table["beta"].unique()):
        ax.axhline(1 - beta, color="black", lw=1, ls=DASHES[2], label=r"required: $1 - \beta$")
    ax.set_xticks(np.arange(len(errors)), [f"{a:g}" for a in errors])
    ax.set_xlim(-0.5, len(errors) - 0.5)
    ax.margins(y=0.1)
    ax.set_gid(SHARE)
    ax.set_xlabel("relative error $a$")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
