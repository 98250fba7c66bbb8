"""Figures of the regret at the horizon: against the privacy budget or another parameter, and its
tails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..contracts.display import symbol
from ..errors import BadInput
from ..results.metrics import METRICS, REGRET
from ..results.table import Table, curve_of
from ..results.varying import SETTING
from .bands import band_note, draw_band, scale_of, unstretched
from .labels import (
    budget_title,
    environment_titles,
    labelled,
    labelled_games,
    legend_name,
    rounds_text,
)
from .layout import arranged_panels, label_edges, panels_of
from .overlays import (
    RINGS,
    SLOPE,
    draw_bounds,
    draw_references,
    draw_rings,
    lines_of,
    references_in,
    tied,
)
from .style import BOUND, SHARE, Styles, finish, marker, styled, styles_of, subplots


def final_scale(
    runs: pd.DataFrame, column: str, band: str | None, within: Sequence[str] = ()
) -> str:
    """Return the scale of an axis of final regret for all lines of ``regret_vs``.

    ``within`` are the columns in which the panels with this axis differ.
    """
    values = runs.groupby([*dict.fromkeys(["line", column, *within])], dropna=False)["value"]
    return scale_of(values.median() if band == "quantiles" else values.mean())


def regret_vs(
    ax: Axes,
    runs: pd.DataFrame,
    column: str,
    styles: Styles,
    band: str | None,
    scale: str | None = None,
) -> None:
    """Draw the final regret of each line of a labelled table against a column, with its band.

    A line without a finite value in the column, such as play without privacy, is horizontal.
    ``band`` is a key of ``BANDS``, or None for means without a band. ``scale`` is the scale of the
    axis of regret; None chooses the scale that suits these lines.
    """
    scale = scale or final_scale(runs, column, band)
    ax.set_yscale(scale)
    for line, rows in runs.groupby("line", sort=False):
        label, colour = str(line), styles[str(line)]["color"]
        finite = rows[np.isfinite(rows[column])]
        if finite.empty:
            [level] = curve_of(rows, "horizon", band).to_dict("records")
            ax.axhline(level["middle"], label=label, **styles[label])
            if band is not None and level["middle"] != 0 and np.isfinite(level["low"]):
                low = max(level["low"], level["middle"] / 1000) if scale == "log" else level["low"]
                ax.axhspan(low, level["high"], color=colour, alpha=0.2, lw=0)
            continue
        curve, medians = curve_of(finite, column, band), band == "quantiles"
        mark: Any = {"marker": "o", "ms": 3}
        if medians:
            mark = {"marker": "_", "ms": 8} if len(curve) == 1 else {}
        ax.plot(curve[column], curve["middle"], label=label, **mark, **styles[label])
        if band is not None:
            draw_band(ax, curve, column, colour)
        if medians:
            look = {"marker": marker(styles[label]), "ms": 3, "color": colour}
            ax.plot(curve[column], curve["mean"], ls="", **look)


def regret_label(table: Table) -> str:
    """Return the label of the axis of final regret, or of the metric of the table."""
    horizons, metric = table.settings["horizon"], METRICS[table.metric]
    if horizons.nunique() > 1:
        return f"{metric} at $T$"
    return f"{metric} at $T$ = {rounds_text(horizons.max())}"


def order(
    ax: Axes, x: np.ndarray, values: np.ndarray, through: float, label: str, stretches: bool = False
) -> None:
    """Draw a bound with an unknown constant as a broad grey line. Only its slope, the order of the
    bound, has a meaning.

    The line has the height ``through`` at the last ``x``. If ``stretches`` is true, the axes extend
    to the whole line; otherwise the axes may cut the line.
    """
    slope = values * through / values[-1]
    with unstretched(ax, not stretches):
        ax.plot(x, slope, label=label, color=SLOPE, lw=4, alpha=0.35, zorder=1, gid=BOUND)


@styled
def budget_panels(
    table: Table,
    title: str,
    band: str = "ci",
    terms: Mapping[str, Callable[[float], float]] | None = None,
    bounds: pd.DataFrame | None = None,
    x: str = "eps",
    marks: bool = False,
) -> Figure:
    """Draw final regret against the privacy budget, in a panel for each environment.

    ``terms`` maps labels to functions of the budget, which are drawn beside the measured regret.
    See ``time_panels`` for ``band``, ``bounds`` and ``marks``. Algorithms that take another budget
    than ``x`` are left out; the note names them.
    """
    takes = table.settings[x].notna()
    algo = table.settings["algo"]
    without = sorted({*algo} - {*algo[takes]})
    table = labelled(table.where(takes), horizons=True)
    bounds, runs = lines_of(bounds, table, x), table.runs
    ties, references = tied(table) if marks else table.settings[:0], references_in(table)
    environments = environment_titles(table)
    figure, axes, panels = arranged_panels([list(environments.items())])
    styles = styles_of(table.settings)
    finite = runs.loc[np.isfinite(runs[x]), x]
    budgets = np.geomspace(finite.min(), finite.max(), 100)
    for ax, (env, heading) in panels:
        regret_vs(ax, runs[runs["env"] == env], x, styles, band)
        ax.set(title=heading, xscale="log")
        draw_references(ax, references[references["env"] == env], over_time=False)
        draw_bounds(ax, bounds[bounds["env"] == env], styles)
        draw_rings(ax, ties[ties["env"] == env], x, styles)
        for (label, term), dash in zip((terms or {}).items(), ("--", ":", "-."), strict=False):
            values = [term(budget) for budget in budgets]
            ax.plot(budgets, values, label=label, color="black", lw=1, ls=dash, gid=BOUND)
    label_edges(axes, f"privacy budget {symbol(x)}", regret_label(table))
    note = band_note(table, band) + (RINGS if marks else "")
    if without:
        left_out = ", ".join(map(legend_name, without))
        note += f" Algorithms without {symbol(x)} are left out: {left_out}."
    return finish(figure, title, table, note)


@styled
def parameter_panels(table: Table, title: str, x: str, band: str = "ci") -> Figure:
    """Draw final regret against a parameter that the table varies.

    There is a row of panels for each environment, and a column for each budget.
    """
    table = labelled(table, but=[x], horizons=True)
    figure, axes, panels = panels_of(table)
    styles, values = styles_of(table.settings), table.settings[x].dropna()
    scale = final_scale(table.runs, x, band, ["env", *table.budgets])
    for ax, inside in panels:
        regret_vs(ax, inside, x, styles, band, scale)
        if values.min() > 0 and (x == "horizon" or values.max() > 20 * values.min()):
            ax.set_xscale("log")
    label_edges(axes, symbol(x, table.names), regret_label(table))
    return finish(figure, title, table, band_note(table, band))


@styled
def contamination_panels(table: Table, title: str, k: float = 2.0, band: str = "ci") -> Figure:
    """Draw final regret against the contamination alpha, in a panel for each budget.

    A grey line below all others shows the order T alpha^(1-1/k) of the lower bound (Wu et al. 2023,
    Theorem 4.1).
    """
    if "env.alpha" not in table.settings:
        raise BadInput("the table has no column env.alpha, the contamination on the axis")
    table = labelled_games(table, ["env.alpha"])
    runs = table.runs
    budgets = sorted(runs["eps"].unique())
    figure, axes = subplots(1, len(budgets), sharex=True, sharey=True)
    styles, scale = styles_of(table.settings), final_scale(runs, "env.alpha", band, ["eps"])
    grid = np.linspace(0, runs["env.alpha"].max(), 50)[1:]
    name = f"slope only, constant unknown: lower bound $T\\,\\alpha^{{{1 - 1 / k:g}}}$"
    last = runs[runs["env.alpha"] == runs["env.alpha"].max()]
    height = last.groupby(["line", "eps"])["value"].mean().min() / 3
    for ax, eps in zip(axes.flat, budgets, strict=True):
        regret_vs(ax, runs[runs["eps"] == eps], "env.alpha", styles, band, scale)
        order(ax, grid, grid ** (1 - 1 / k), height, name, stretches=True)
        ax.set_title(budget_title("eps", eps))
    label_edges(axes, r"contamination $\alpha = \alpha_1$", regret_label(table))
    return finish(figure, title, table, band_note(table, band))


def tail_scale(runs: pd.DataFrame) -> str:
    """Return the scale of the axis of regret for tails: ``log`` if it shows all curves."""
    return "log" if (runs.groupby(SETTING)["value"].max() > 0).all() else "linear"


def exceedance(ax: Axes, runs: pd.DataFrame, styles: Styles, scale: str = "log") -> None:
    """Draw a curve for each value of the column ``line``: the share of runs whose final regret
    exceeds x, against x.

    ``scale`` is the scale of the axis of regret; the other axis is logarithmic.
    """
    for line, rows in runs.groupby("line", sort=False):
        regrets = np.sort(rows["value"])
        above = 1.0 - np.arange(len(regrets) + 1) / len(regrets)  # the last share is 0
        mark = "o" if len(regrets) == 1 else None  # a single run has no step
        ends = [*regrets, regrets[-1]]
        ax.step(ends, above, label=str(line), marker=mark, **styles[str(line)])
    ax.set(xscale=scale, yscale="log", gid=SHARE)


def label_tails(axes: np.ndarray, metric: str = REGRET) -> None:
    """Label the axes of panels that ``exceedance`` has drawn for a metric."""
    name = "regret" if metric == REGRET else METRICS[metric]
    label_edges(axes, f"{name} $x$ at $T$", f"$P(${name}$ > x)$", each_row=True)


@styled
def tail_panels(table: Table, title: str) -> Figure:
    """Draw the share of the runs whose final regret exceeds x.

    Each environment has a row of panels, and each budget a column. Algorithms without a budget are
    drawn in every column.
    """
    table = labelled(table, horizons=True)
    figure, axes, panels = panels_of(table)
    styles, scale = styles_of(table.settings), tail_scale(table.runs)
    for ax, inside in panels:
        exceedance(ax, inside, styles, scale)
    label_tails(axes, table.metric)
    note = f"Steps show the share of RUNS runs whose {regret_label(table)} exceeds $x$."
    return finish(figure, title, table, note)
