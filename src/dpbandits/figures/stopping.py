"""Figures of stopping rules drawn from their tables alone: stopping time and confidence."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, PercentFormatter

from ..errors import BadInput
from ..results.outcomes import clopper_pearson
from ..results.summary import mean_of
from .regret import BANDS, COLOURS, DASHES, STYLE, finish, named

MARKERS = "osD^vP"
OF_BOUNDS = ((0, (5, 2)), (0, (1, 1.5)), (0, (3, 1, 1, 1)))
Bound = Callable[[float, float, float, float, float], float | None]


def stopping_panels(
    table: pd.DataFrame, title: str, bounds: Mapping[str, Bound] | None = None
) -> Figure:
    """Mean stopping time against the absolute mean, a column of panels for each budget and a row
    for each relative error; below them the share of correct estimates.

    Rules that are not private appear in every column.

    Args:
        table: a tidy table of stopping times.
        title: what stands above the legend.
        bounds: label and value at (mean, eps, rel_error, beta, R) of curves to draw beside the
            measured ones; None where there is none.
    """
    table = table[table["true_mean"] != 0]
    if table.empty:
        raise BadInput("every mean in the table is 0: there is no axis to draw it on")
    with matplotlib.rc_context(STYLE):
        table = labelled(table.assign(size=table["true_mean"].abs()))
        budgets = sorted(b for b in table["eps"].unique() if np.isfinite(b)) or [np.inf]
        errors = sorted(table["rel_error"].unique())
        rows, columns = len(errors) + 1, len(budgets)
        figure = Figure(figsize=(max(2.6 * columns, 5.2) + 0.4, 2.2 * rows + 0.6))
        heights = [1.0] * len(errors) + [0.6]
        axes = figure.subplots(rows, columns, squeeze=False, sharey="row", height_ratios=heights)
        styles = styles_of(table)
        for (i, a), (j, eps) in itertools.product(enumerate(errors), enumerate(budgets)):
            inside = table[table["eps"].isin([eps, np.inf]) & (table["rel_error"] == a)]
            times(axes[i, j], inside, styles)
            private = inside[np.isfinite(inside["eps"])]
            for (label, bound), dash in zip((bounds or {}).items(), OF_BOUNDS, strict=False):
                curve(axes[i, j], private, bound, label, dash)
            budget = "not private" if np.isinf(eps) else f"$\\epsilon$ = {eps:g}"
            axes[i, j].set_title(f"{budget}, relative error $a$ = {a:g}")
        for j, eps in enumerate(budgets):
            axes[-2, j].set_xlabel(r"$|\mu|$")
            confidence(axes[-1, j], table[table["eps"].isin([eps, np.inf])], errors, styles)
        for ax in axes[:-1, 0]:
            ax.set_ylabel("stopping time (samples)")
        axes[-1, 0].set_ylabel("correct")
        note = (
            f"Points: mean of RUNS runs, hollow if some met their cap. Bars: {BANDS['ci']}.\n"
            "Last row: all means together, 95 % interval (Clopper-Pearson)."
        )
        finish(figure, title, table, note)
        return figure


def labelled(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a column ``line``: its rule, and what else varies but for the axes."""
    own = [name for name in ("env", "beta", "R", "cap") if table[name].nunique() > 1]
    lines = table["rule"].map(named)
    for name in own:
        lines = lines + table[name].map(
            lambda x, name=name: f", {name} = {x:g}" if isinstance(x, int | float) else f", {x}"
        )
    return table.assign(line=lines)


def styles_of(table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """A colour, a dash and a marker for each line, the same in every panel."""
    return {
        label: {
            "color": COLOURS[i % len(COLOURS)],
            "linestyle": DASHES[i % len(DASHES)],
            "marker": MARKERS[i % len(MARKERS)],
            "ms": 4,
        }
        for i, label in enumerate(table["line"].unique())
    }


def times(ax: Axes, table: pd.DataFrame, styles: dict[str, dict[str, Any]]) -> None:
    """Mean stopping time of each line against the absolute mean; log axes."""
    for label, rows in table.groupby("line", sort=False):
        found = mean_of(rows, ["size"], "stopping_time").sort_values("size")
        half = (found["ci_high"] - found["mean"]).fillna(0.0)
        style = styles[str(label)]
        ax.plot(found["size"], found["mean"], label=str(label), **style)
        ax.errorbar(found["size"], found["mean"], yerr=half, fmt="none", color=style["color"])
        capped = rows.groupby("size")["halted"].min().reindex(found["size"]).to_numpy() == 0
        hollow = found[capped]
        ax.plot(hollow["size"], hollow["mean"], **style | {"linestyle": "", "mfc": "white"})
    ax.set_xscale("log")
    ax.set_yscale("log")
    ticks = sorted(table["size"].unique())
    if len(ticks) <= 6:
        ax.set_xticks(ticks, [f"{x:.3g}" for x in ticks], minor=False)
        ax.xaxis.set_minor_locator(NullLocator())


def curve(ax: Axes, table: pd.DataFrame, bound: Bound, label: str, dash: Any) -> None:
    """A bound on the stopping time where it holds, for each confidence and range in the table."""
    key: Any
    for key, rows in table.groupby(["eps", "rel_error", "beta", "R"]):
        x = np.geomspace(rows["size"].min(), rows["size"].max(), 50)
        values = [bound(m, *key) for m in x]
        y = np.array([np.nan if v is None else v for v in values])
        ax.plot(x, y, label=label, color="black", lw=1, ls=dash)


def confidence(
    ax: Axes, table: pd.DataFrame, errors: list[float], styles: dict[str, dict[str, Any]]
) -> None:
    """Share of correct estimates of each line at each relative error, all means together."""
    lines = list(table["line"].unique())
    halted = table[table["halted"] == 1]
    for k, label in enumerate(lines):
        rows = halted[halted["line"] == label].groupby("rel_error")["correct"]
        right, n = (
            x.reindex(errors, fill_value=0).to_numpy(float) for x in (rows.sum(), rows.count())
        )
        share = np.where(n > 0, right / np.maximum(n, 1), np.nan)
        low, high = clopper_pearson(right, n)
        x = np.arange(len(errors)) + 0.16 * (k - (len(lines) - 1) / 2)
        bars = np.where(n > 0, [share - low, high - share], 0.0)
        ax.errorbar(x, share, yerr=bars, capsize=2, **styles[label] | {"linestyle": ""})
    for beta in sorted(table["beta"].unique()):
        ax.axhline(1 - beta, color="black", lw=1, ls=OF_BOUNDS[2], label=r"required: $1 - \beta$")
    ax.set_xticks(np.arange(len(errors)), [f"{a:g}" for a in errors])
    ax.set_xlim(-0.5, len(errors) - 0.5)
    ax.margins(y=0.1)
    ax.set_xlabel("relative error $a$")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
