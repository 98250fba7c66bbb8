"""Final regret against the privacy budget, or against another parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from ..errors import BadInput
from .bands import BANDS, band_note, fill, mean_and_band
from .overlays import draw_bounds, lines_of
from .style import (
    COLOURS,
    Chart,
    budget_title,
    finish,
    labelled,
    legend_name,
    scientific,
    styled,
    styles_of,
)


def regret_vs(
    ax: Axes,
    table: pd.DataFrame,
    column: str,
    styles: dict[str, dict[str, Any]],
    band: str | None,
) -> None:
    """Draw the mean final regret of each line of a labelled table against a column.

    The axis of regret is logarithmic. A line without a finite value in the column is horizontal.
    ``band`` is a key of ``BANDS``, or None for no band.
    """
    last = table[table["t"] == table["horizon"]]
    for line, rows in last.groupby("line", sort=False):
        label = str(line)
        finite = rows[np.isfinite(rows[column])]
        if finite.empty:
            ax.axhline(rows["regret"].mean(), label=label, **styles[label])
            continue
        curve = mean_and_band(finite, column, band or "ci")
        ax.plot(curve[column], curve["mean"], label=label, marker="o", ms=3, **styles[label])
        if band is not None:
            fill(ax, curve[column], curve, curve["mean"].min() / 3, styles[label])
    ax.set_yscale("log")


def regret_label(table: pd.DataFrame) -> str:
    """The label of the axis of final regret."""
    return f"pseudo-regret at $T$ = {scientific(table['horizon'].max())}"


def order(ax: Axes, x: np.ndarray, f: Callable[[float], float], through: float, label: str) -> None:
    """Draw the order of a bound, whose constant is unknown, as a dashed line that has the height
    ``through`` at the last ``x``.
    """
    values = np.array([f(value) for value in x])
    ax.plot(x, values * through / values[-1], label=label, color="black", lw=1, ls="--")


@styled
def budget_panels(
    table: pd.DataFrame,
    title: str,
    band: str = "ci",
    terms: Mapping[str, Callable[[float], float]] | None = None,
    bounds: pd.DataFrame | None = None,
) -> Figure:
    """Final regret against the privacy budget: a panel for each environment.

    Args:
        table: a tidy table.
        title: the figure's title.
        band: a key of ``BANDS``.
        terms: functions of the budget to draw beside the measured regret, by their labels.
        bounds: curves of bounds, see ``bounds.curves``.
    """
    table = labelled(table)
    bounds = lines_of(bounds, table, "eps")
    environments = list(dict.fromkeys(table["env"]))
    figure = Chart(figsize=(max(3.2 * len(environments), 5.0), 3.6))
    axes = figure.subplots(1, len(environments), squeeze=False)[0]
    styles = styles_of(table)
    finite = table.loc[np.isfinite(table["eps"]), "eps"]
    budgets = np.geomspace(finite.min(), finite.max(), 100)
    for ax, env in zip(axes, environments, strict=True):
        regret_vs(ax, table[table["env"] == env], "eps", styles, band)
        ax.set_xscale("log")
        ax.set_xlabel(r"privacy budget $\epsilon$")
        if bounds is not None:
            draw_bounds(ax, bounds[bounds["env"] == env], styles)
        for (label, term), dash in zip((terms or {}).items(), ("--", ":", "-."), strict=False):
            values = [term(eps) for eps in budgets]
            ax.plot(budgets, values, label=label, color="black", lw=1, ls=dash)
        ax.set_title(env)
    axes[0].set_ylabel(regret_label(table))
    finish(figure, title, table, band_note(band), bounds)
    return figure


@styled
def shade_high_privacy(ax: Axes, threshold: float) -> None:
    """Shade the budgets below a threshold."""
    ax.margins(x=0)
    ax.autoscale_view()
    ax.axvspan(ax.get_xlim()[0], threshold, color="#56B4E9", alpha=0.12, lw=0)
    text = f"high privacy:\n$\\epsilon$ < {threshold:.3f}"
    ax.text(threshold * 0.95, 0.04, text, ha="right", transform=ax.get_xaxis_transform())


@styled
def contamination_panels(
    table: pd.DataFrame, title: str, k: float = 2.0, band: str = "ci"
) -> Figure:
    """Final regret against the contamination alpha: a panel for each budget.

    The order T alpha^(1-1/k) of the lower bound (Wu et al. 2023, Theorem 4.1) is drawn as a slope
    that ends at half of the largest regret.
    """
    if "env.alpha" not in table.columns:
        raise BadInput("the table has no column env.alpha, the contamination on the axis")
    table = labelled(table.rename(columns={"env.alpha": "alpha"}), but=["alpha"])
    budgets = sorted(table["eps"].unique())
    figure = Chart(figsize=(2.6 * len(budgets) + 0.4, 3.8))
    axes = figure.subplots(1, len(budgets), squeeze=False, sharey=True)[0]
    styles = styles_of(table)
    grid = np.linspace(0, table["alpha"].max(), 50)[1:]
    for ax, eps in zip(axes, budgets, strict=True):
        regret_vs(ax, table[table["eps"] == eps], "alpha", styles, band)
        top = table.loc[table["t"] == table["horizon"], "regret"].max() / 2
        name = f"order of the lower bound, $T\\,\\alpha^{{{1 - 1 / k:g}}}$ (slope only)"
        order(ax, grid, lambda a: a ** (1 - 1 / k), top, name)
        ax.set_title(budget_title(eps))
        ax.set_xlabel(r"contamination $\alpha = \alpha_1$")
    axes[0].set_ylabel(regret_label(table))
    finish(figure, title, table, band_note(band))
    return figure


@styled
def scatter_with_fit(points: pd.DataFrame, xlabel: str, title: str, table: pd.DataFrame) -> Figure:
    """Mean final regrets against a term ``x`` of theory, and the least-squares line through all.

    Args:
        points: a row for each setting: ``algo``, ``population``, ``x``, ``mean`` and ``ci_high``.
        xlabel: the meaning of x.
        title: the figure's title.
        table: the tidy table from which the points were computed.
    """
    figure = Chart(figsize=(5.8, 4.2))
    ax = figure.subplots()
    groups = points.groupby(["algo", "population"], sort=False)
    key: Any
    for (key, rows), colour, marker in zip(groups, COLOURS, "os^D", strict=False):
        label = f"{legend_name(key[0])}, {key[1]}"
        look: Any = {"yerr": rows["ci_high"] - rows["mean"], "color": colour, "fmt": marker}
        ax.errorbar(rows["x"], rows["mean"], label=label, ms=4, **look)
    slope, intercept = np.polyfit(points["x"], points["mean"], 1)
    square = np.corrcoef(points["x"], points["mean"])[0, 1] ** 2
    ends = np.array([0.0, points["x"].max()])
    label = f"fit: {intercept:.4g} + {slope:.4g} V, $R^2$ = {square:.4f}"
    ax.plot(ends, intercept + slope * ends, color="black", lw=1, label=label)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(regret_label(table))
    ax.yaxis.set_major_formatter(EngFormatter(sep=""))
    finish(figure, title, table, f"Points: mean of RUNS runs. Bars: {BANDS['ci']}.")
    return figure
