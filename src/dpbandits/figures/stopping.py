"""Figures of stopping rules: stopping times, and shares of correct estimates or of wrong answers. A
rule estimates a mean, or answers with an arm or a hypothesis.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from ..contracts.display import environment_title, symbol
from ..contracts.question import BEST_ARM, STOPPING
from ..environments.catalogue import build
from ..errors import BadInput
from ..results.summary import EXAMINED, QUANTILES, percent, summary_of, value_text
from ..results.table import Table
from ..results.varying import WITHOUT, of_game, varying
from ..settings.composed import read_group
from ..theory.azize2024 import samples_lower, samples_lower_of_divergence
from ..theory.bounds import where_it_holds
from ..theory.sajed2019 import stopping_lower, stopping_upper
from .bands import bars
from .choices import INTERVAL
from .labels import budget_title, finite_budgets, legend_name, rounds_text, unprotected
from .style import SHARE, Styles, finish, marker, styled, styles_of, subplots

DASHES = ((0, (5, 2)), (0, (1, 1.5)))  # dashes of bounds
REQUIRED = (0, (3, 1, 1, 1))  # dash of a required share
THEOREMS = {
    "upper bound of DP-NAS-EXP, probability $1 - \\beta$ (Thm 3.3)": stopping_upper,
    "lower bound of private rules, probability 1/4 (Thm 3.4)": stopping_lower,
}
LOWER = {
    "lower bound on the mean: Azize et al. 2024": samples_lower,
    "lower bound on the mean, with d of Azize et al. 2025": samples_lower_of_divergence,
}
ASIDE = 1.1  # factor between the positions of the marks of two lines at one budget


@styled
def stopping_panels(table: Table, title: str, theorems: bool = False) -> Figure:
    """Draw the mean stopping time against the absolute value of the mean, and below it the share of
    correct estimates.

    There is a column of panels for each budget and a row for each relative error. Rules without a
    budget are drawn in every column. With ``theorems`` the bounds of Sajed & Sheffet 2019 on the
    stopping time are drawn, too.

    Raises:
        BadInput: every mean is 0, which a logarithmic axis cannot show.
    """
    table = table.where(table.settings["true_mean"] != 0)
    if table.settings.empty:
        raise BadInput("every true mean in the table is 0, which a logarithmic axis cannot show")
    table = with_lines(table.assign(size=table.settings["true_mean"].abs()))
    budgets, errors = finite_budgets(table), sorted(table.settings["rel_error"].unique())
    heights, high = [1.0] * len(errors) + [0.6], 1.3 * len(errors) + 0.8
    share: Any = {"sharey": "row", "height_ratios": heights}
    figure, axes = subplots(len(heights), len(budgets), high, **share)
    styles, runs = styles_of(table.settings, "rule"), table.runs
    for style in styles.values():
        style |= {"marker": marker(style), "ms": 2.5}
    for j, (_, eps) in enumerate(budgets):
        column = runs[runs["eps"].isin([eps, np.inf])]
        for ax, a in zip(axes[:-1, j], errors, strict=True):
            inside = column[column["rel_error"] == a]
            draw_means(ax, inside, styles)
            if theorems:
                draw_bounds(ax, inside[np.isfinite(inside["eps"])])
            ax.set_title(f"{budget_title('eps', eps)}, $a$ = {a:g}")
        axes[-2, j].set_xlabel(r"$|\mu|$")
        draw_correct(axes[-1, j], column, errors, styles)
    for ax in axes[:-1, 0]:
        widen(ax)
    axes[(len(errors) - 1) // 2, 0].set_ylabel("stopping time (samples)")
    axes[-1, 0].set_ylabel("correct")
    hollow = ", and are hollow if some runs met their cap" * bool(runs["halted"].eq(0).any())
    note = (
        f"Points show the mean of RUNS runs{hollow}. Bars show the {INTERVAL}. A bar that "
        "cannot be seen is shorter than its mark. The last row is of "
        "all means together, with the 95 % interval (Clopper-Pearson)."
    )
    return finish(figure, title, table, note)


def with_lines(table: Table) -> Table:
    """Return the table with a column ``line`` of its settings: the rule and its varied parameters.

    Parameters on an axis are left out. Most parameters of an environment only set the mean, which
    is on an axis. So a parameter of the environment is part of the label only if it has several
    values for one environment and one mean.
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
    lines = lines.where(~unprotected(settings, "rule", table.records), lines + f", {WITHOUT}")
    return table.assign(line=lines)


def summaries(runs: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the label of each line, and its summary at each value of ``column``, in ascending
    order.

    The summary covers all runs of the line; other columns may differ.
    """
    found = summary_of(runs, ["rule", "line", column], STOPPING)
    for label, rows in found.groupby("line", sort=False):
        yield str(label), rows.sort_values(column)


def draw_means(ax: Axes, table: pd.DataFrame, styles: Styles) -> None:
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
    if len(ticks) == 1:
        ax.set_xlim(limits_of(table["size"]))  # matplotlib gives a single point no width
    if len(ticks) <= 6:
        ax.set_xticks(ticks, [f"{x:.3g}" for x in ticks], minor=False)
        ax.xaxis.set_minor_locator(NullLocator())


def draw_bounds(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the bounds on the stopping time for each confidence and range in the table."""
    key: Any
    for (label, theorem), dash in zip(THEOREMS.items(), DASHES, strict=True):
        for key, rows in table.groupby(["eps", "rel_error", "beta", "R"]):
            eps, a, beta, R = key
            x = np.geomspace(rows["size"].min(), rows["size"].max(), 50)
            y = [where_it_holds(theorem, R, a, mean, eps, beta) for mean in x]
            ax.plot(x, y, label=label, color="black", lw=1, ls=dash)


def draw_correct(ax: Axes, table: pd.DataFrame, errors: list[float], styles: Styles) -> None:
    """Draw each line's share of correct estimates against the relative error, over all means."""
    lines = dict(summaries(table, "rel_error"))
    for k, (label, found) in enumerate(lines.items()):
        share = found["correct"]
        x = found["rel_error"].map(errors.index) + 0.16 * (k - (len(lines) - 1) / 2)
        interval = bars(share, found["correct_low"], found["correct_high"])
        style = styles[label] | {"linestyle": ""}
        ax.errorbar(x, share, yerr=interval, capsize=2, **style)
    for beta in sorted(table["beta"].unique()):
        ax.axhline(1 - beta, color="black", lw=1, ls=REQUIRED, label=r"required: $1 - \beta$")
    ax.set_xticks(np.arange(len(errors)), [f"{a:g}" for a in errors])
    ax.set_xlim(-0.5, len(errors) - 0.5)
    ax.margins(y=0.1)
    ax.set_gid(SHARE)
    ax.set_xlabel("relative error $a$")
    ax.yaxis.set_major_formatter(lambda share, _: percent(share))


@styled
def identification_panels(table: Table, title: str, theorems: bool = False) -> Figure:
    """Draw quantiles of the stopping time against eps, and below them the share of wrong answers.

    There is a column of panels for each instance. Rules without a budget are drawn as horizontal
    lines. With ``theorems`` the lower bounds on the expected stopping time are drawn, too.

    Raises:
        BadInput: no rule in the table is private, so there is no eps for the horizontal axis.
    """
    if not np.isfinite(table.settings["eps"]).any():
        raise BadInput("no rule in the table is private: eps, the axis of the figure, has no value")
    table = with_instances(table)
    runs = table.runs
    instances = runs["instance"].unique()
    share: Any = {"sharex": True, "sharey": "row", "height_ratios": [1.0, 0.4]}
    figure, axes = subplots(2, len(instances), 3.0, **share)
    styles = styles_of(table.settings, "rule")
    for (upper, lower), name in zip(axes.T, instances, strict=True):
        inside = runs[runs["instance"] == name]
        draw_quantiles(upper, inside, styles)
        draw_errors(lower, inside, styles)
        if theorems:
            draw_lower_bounds(upper, inside)
        upper.set_title(name)
        lower.set_xlabel(f"privacy budget {symbol('eps')}")
    widen(axes[0, 0])
    axes[0, 0].set_ylabel("stopping time (samples)")
    axes[1, 0].set(ylabel="wrong answers", ylim=(-0.04 * axes[1, 0].get_ylim()[1], None))
    note = (
        "Lines show the median of RUNS runs. Bars and bands contain the runs from the 10 % to the "
        "90 % quantile; the bars of lines that share a budget stand beside each other. Below, bars "
        "and bands show the 95 % interval (Clopper-Pearson) of the share of wrong answers among "
        "the runs that stopped."
    )
    if runs["halted"].eq(0).any():
        caps = sorted(runs["cap"].unique())
        own = f"the cap, {rounds_text(caps[0])}" if len(caps) == 1 else "their cap"
        note += f" A hollow mark means that more than half of the runs met {own}, and a cross that "
        note += "some runs did."
    return finish(figure, title, table, note)


def with_instances(table: Table) -> Table:
    """Return the table with the columns ``line`` and ``instance`` of its settings.

    A line is a rule with its varied parameters. A requirement such as the error probability delta
    is part of the instance's name, and not of the labels, if all lines of each instance have the
    same delta. Settings without privacy come first, so that other lines are drawn over them.
    """
    settings, varied = table.settings, table.varied
    lines = settings["rule"].map(legend_name)
    for name in varied:
        if not name.startswith("env.") and settings[name].nunique() > 1:
            is_number = pd.api.types.is_numeric_dtype(settings[name])
            beginning = f", {symbol(name)} = " if is_number else ", "
            words = beginning + settings[name].map(value_text)
            lines = lines + words.where(settings[name].notna(), "")
    instances = settings["env"].map(environment_title)
    if "true_mean" in settings:
        instances = instances + ", mean " + settings["true_mean"].map("{:.6g}".format)
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
    if settings.groupby([instances, lines])["cap"].nunique().max() > 1:
        lines = lines + ", cap = " + settings["cap"].map(rounds_text)
    without = unprotected(settings, "rule", table.records)
    lines = lines.where(~without, lines + f", {WITHOUT}")
    order = np.argsort(~without.to_numpy(), kind="stable")
    return table.assign(line=lines, instance=instances).take(order)


def draw_quantiles(ax: Axes, table: pd.DataFrame, styles: Styles) -> None:
    """Draw the median stopping time of each line against the budget, with its quantiles."""
    low, high = limits_of(table["eps"])
    for label, found in beside(table):
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

    Settings whose mean lies between the two hypotheses are left out, since either answer is right.
    """
    low, high = limits_of(table["eps"])
    table = table[table["correct"].notna() | (table["halted"] == 0)]
    for label, found in beside(table):
        style, eps = styles[label], found["beside"]
        wrong, least, most = (1.0 - found[f"correct{end}"] for end in ("", "_high", "_low"))
        if np.isfinite(eps).any():
            look = {"fmt": marker(style), "ms": 2, "lw": 1, "color": style["color"]}
            ax.errorbar(eps, wrong, yerr=bars(wrong, least, most), **look)
        else:  # across all budgets
            ax.fill_between([low, high], least, most, color=style["color"], alpha=0.2, lw=0)
            ax.plot([low, high], [*wrong, *wrong], **style)
    for name in ("delta", "alpha", "beta"):
        for risk in sorted(table[name].unique()) if name in table.columns else ():
            ax.axhline(
                risk, color="black", lw=1, ls=REQUIRED, label=f"required: at most {percent(risk)}"
            )
    ax.yaxis.set_major_formatter(lambda share, _: percent(share))
    ax.set_gid(SHARE)


def beside(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the label of each line, and its summary at each budget, in ascending order.

    The column ``beside`` is the budget, moved a little for each line, so that the marks of several
    lines at one budget do not overlap.
    """
    columns = [str(x) for x in table if x not in ("run", "value", EXAMINED, *BEST_ARM.measured)]
    found = summary_of(table, columns, BEST_ARM)
    found = found.assign(**{name: found[name].fillna(found["cap"]) for name in QUANTILES})
    number = pd.Series(pd.factorize(found["line"])[0], found.index).groupby(found["eps"])
    place = number.rank("dense") - (number.transform("nunique") + 1) / 2
    found = found.assign(beside=found["eps"] * ASIDE**place)
    for label, rows in found.groupby("line", sort=False):
        yield str(label), rows.sort_values("eps")


def limits_of(values: pd.Series) -> tuple[float, float]:
    """Return the smallest and the largest finite value, or limits around a single value."""
    finite = values[np.isfinite(values)]
    some = 2.0 if finite.nunique() == 1 else 1.0
    return finite.min() / some, finite.max() * some


def widen(ax: Axes) -> None:
    """Widen the range of the axis of stopping times if it has length 0, which happens if all panels
    show a single value.
    """
    low, high = ax.get_ylim()
    if np.isclose(low, high, rtol=1e-6):
        ax.set_ylim(low / 2, 2 * high)


def draw_lower_bounds(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the lower bounds on the expected stopping time for each delta in the table."""
    row: Any = table.iloc[0]
    spec: dict[str, Any] = read_group("env", row["env"])
    for name in (n for n in table.columns if n.startswith("env.")):
        spec[name.removeprefix("env.")] = json.loads(str(row[name]))
    means = build(spec).means.tolist()
    eps = np.geomspace(*limits_of(table["eps"]), 40)
    for (label, theorem), dash in zip(LOWER.items(), DASHES, strict=True):
        for delta in sorted(table["delta"].unique()):
            values = [where_it_holds(theorem, means, x, delta) for x in eps]
            ax.plot(eps, values, label=label, color="#555555", lw=1, ls=dash)
