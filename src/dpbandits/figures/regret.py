"""Figures drawn from tidy tables alone: regret against time and against the privacy budget."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter
from scipy.special import stdtrit

from ..files import write_atomically
from ..results.tables import COLUMNS

# Okabe & Ito's palette, told apart by colour-blind readers; dashes tell lines apart in print
COLOURS = ["#D55E00", "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#999999"]
DASHES = ["-", (0, (5, 1.5)), (0, (3, 1, 1, 1)), (0, (1, 1))]
NAMES = {
    "ucb": "UCB",
    "kl_ucb": "KL-UCB",
    "dp_ucb": "DP-UCB",
    "dp_ucb_bound": "DP-UCB (tight bonus)",
    "dp_se": "DP-SE",
    "adap_ucb": "AdaP-UCB",
    "adap_klucb": "AdaP-KLUCB",
    "heldp_ucb_l": "HeLDP-UCB-L",
    "heldp_ucb_b": "HeLDP-UCB-B",
    "heldp_ucb_ls": "HeLDP-UCB-LS",
    "heldp_ucb_bs": "HeLDP-UCB-BS",
    "robust_ucb": "Robust UCB",
    "dpr_ucb": "DPR-UCB",
    "dpr_se": "DPR-SE",
    "ldpr_se": "LDPR-SE",
    "prae_r": "PRAE-R",
    "prae_c": "PRAE-C",
    "nas": "NAS",
    "dp_nas": "DP-NAS",
    "dp_nas_exp": "DP-NAS-EXP",
}
STYLE: Any = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
    "savefig.dpi": 150,
}
BANDS = {
    "std": "± one standard deviation",
    "ci": "95 % interval of the mean (Student's t)",
}
# how bounds are drawn, by kind and by side: none looks like what was measured
KINDS: dict[str, Any] = {
    "exact": "-",
    "asymptotic": (0, (6, 1.5, 1, 1.5)),
    "worst case": (0, (1, 2)),
    "order": (0, (4, 2)),
    "refuted": (0, (4, 2)),
}
SIDES = {"upper": "v", "lower": "^"}
LONG = 1e9  # rounds beyond which time is drawn on a logarithmic axis
Draw = Callable[..., Figure]


def labelled(table: pd.DataFrame, but: Sequence[str] = ()) -> pd.DataFrame:
    """The table with a column ``line``: the label of the line that a row belongs to.

    There is a line for each algorithm and each parameter that varies, anywhere in the table, for
    one algorithm in one environment; ``but`` are not told, since they are an axis.
    """
    games = table.groupby(["algo", "env", "horizon"])
    told = [x for x in table.columns if x not in [*COLUMNS, *but]]
    varied = [x for x in told if games[x].nunique().max() > 1]
    key: Any
    labels: dict[Any, str] = {}
    for key, rows in table.groupby(["algo", *varied], sort=False, dropna=False):
        values = [
            f"{name} = {plain_value(value)}"
            for name, value in zip(varied, key[1:], strict=True)
            if not pd.isna(value)
        ]
        labels |= dict.fromkeys(rows.index, ", ".join([named(key[0]), *values]))
    return table.assign(line=pd.Series(labels))


def named(name: Any) -> str:
    """What an algorithm is called in a legend, which leaves out what starts with ``_``."""
    return NAMES.get(name, f" {name}" if str(name).startswith("_") else str(name))


def plain_value(value: Any) -> str:
    """A parameter's value for a label."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def styles_of(table: pd.DataFrame) -> dict[str, dict]:
    """A colour and a dash for each line of a labelled table, the same in every panel."""
    return {
        label: {
            "color": COLOURS[i % len(COLOURS)],
            "linestyle": DASHES[(i + i // len(COLOURS)) % len(DASHES)],
        }
        for i, label in enumerate(table["line"].unique())
    }


def mean_and_band(rows: pd.DataFrame, by: str, band: str) -> pd.DataFrame:
    """Mean regret and the edges of its band at each value of a column."""
    groups = rows.groupby(by)["regret"].agg(["mean", "std", "count"]).reset_index()
    half = groups["std"].fillna(0.0)
    if band == "ci":
        n = groups["count"].to_numpy()
        half = half * stdtrit(np.maximum(n - 1.0, 1.0), 0.975) / np.sqrt(n)
    return groups.assign(low=groups["mean"] - half, high=groups["mean"] + half)


def regret_vs_time(
    ax: Axes,
    table: pd.DataFrame,
    styles: dict[str, dict],
    band: str,
    scale: str = "log",
    bounds: pd.DataFrame | None = None,
) -> None:
    """Mean pseudo-regret of each line against the round, with its band; ``scale`` is that of y.

    ``bounds`` are curves of bounds, see ``draw_bounds``.
    """
    lines = table.groupby("line", sort=False)
    measured = {str(label): mean_and_band(rows, "t", band) for label, rows in lines}
    shown = [c.loc[c["t"] >= 0.01 * c["t"].max(), "mean"].min() for c in measured.values()]
    if bounds is not None and len(bounds):
        late = bounds.loc[bounds["x"] >= 0.1 * bounds["x"].max(), "value"].min()
        shown.append(max(late, min(shown) / 100))
    floor = max(min(shown), 0.1) / 2  # the first rounds would take most of a logarithmic axis
    for label, curve in measured.items():
        ax.plot(curve["t"], curve["mean"], label=label, **styles[label])
        fill(ax, curve["t"], curve, floor / 10, styles[label])
    if bounds is not None:
        draw_bounds(ax, bounds, styles)
    horizon = table["horizon"].max()
    if horizon > LONG:
        ax.set_xscale("log")
        ax.set_xlim(table.loc[table["regret"] > floor, "t"].min() / 2, horizon)
    else:
        ax.set_xlim(0, horizon)
        ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    if scale == "linear":
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_formatter(EngFormatter(sep=""))
        return
    ax.set_yscale("log")
    ax.set_ylim(bottom=floor)
    ax.yaxis.set_minor_locator(LogLocator(subs="auto", numticks=10))
    ax.yaxis.set_minor_formatter(NullFormatter())


def fill(ax: Axes, x: pd.Series, curve: pd.DataFrame, floor: float, style: dict) -> None:
    """The band of a curve, cut at a floor that a logarithmic axis can show."""
    low = np.maximum(curve["low"], floor)
    ax.fill_between(x, low, curve["high"], color=style["color"], alpha=0.2, lw=0)


def lines_of(bounds: pd.DataFrame | None, table: pd.DataFrame, axis: str) -> pd.DataFrame | None:
    """The curves of bounds that belong to an axis, each with the ``line`` of a labelled table."""
    if bounds is None:
        return None
    of_axis = bounds[bounds["axis"] == axis]
    told = [c for c in of_axis.columns if c in table.columns and (c, axis) != ("eps", "eps")]
    return of_axis.merge(table[[*told, "line"]].drop_duplicates(), on=told)


def draw_bounds(ax: Axes, bounds: pd.DataFrame, styles: dict[str, dict]) -> None:
    """Curves of bounds, thin and with marks: in the colour of the line that they are about, black
    if they are about several, or are a lower bound of the only one.

    Args:
        ax: where to draw.
        bounds: a row for each point: ``line``, ``x``, ``value``, and ``label``, ``kind`` and
            ``side`` of the bound.
        styles: the styles of the lines.
    """
    key: Any
    single = bounds["line"].nunique() == 1
    for key, rows in bounds.groupby(["label", "kind", "side"], sort=False):
        label, kind, side = key
        look: Any = {"ls": KINDS[kind], "lw": 0.9, "ms": 4, "mfc": "white", "mew": 0.8}
        look["marker"] = "x" if kind == "refuted" else SIDES[side]
        shared: dict[bytes, list[tuple[str, pd.DataFrame]]] = {}
        for line, curve in rows.groupby("line", sort=False):
            points = curve.drop_duplicates("x").sort_values("x")
            shared.setdefault(points["value"].to_numpy().tobytes(), []).append((str(line), points))
        for lines in shared.values():
            own = len(lines) == 1 and not (single and side == "lower")
            colour = styles[lines[0][0]]["color"] if own else "black"
            ax.plot(lines[0][1]["x"], lines[0][1]["value"], color=colour, markevery=0.17, **look)
        ax.plot([], [], color="black", label=label, **look)


def panels(
    table: pd.DataFrame, title: str, band: str = "std", bounds: pd.DataFrame | None = None
) -> Figure:
    """Regret against time: a row of panels for each environment and horizon, a column for each
    budget.

    Algorithms that are not private appear in every column. ``bounds`` are curves of bounds with
    the columns of the table that tell settings, and ``axis``, ``x``, ``value``, ``label``, ``kind``
    and ``side``.
    """
    with matplotlib.rc_context(STYLE):
        table = labelled(table)
        bounds = lines_of(bounds, table, "t")
        budgets = sorted(b for b in table["eps"].unique() if np.isfinite(b)) or [np.inf]
        pairs = table[["env", "horizon"]].drop_duplicates()
        games = list(pairs.itertuples(index=False, name=None))
        rows, columns = len(games), len(budgets)
        size = (max(2.3 * columns, 4.6) + 0.4, 2.1 * rows + 1.1)
        figure = Figure(figsize=size)
        share: Any = "row" if table["horizon"].nunique() > 1 else "all"
        axes = figure.subplots(rows, columns, squeeze=False, sharex=share, sharey="row")
        styles = styles_of(table)
        for (i, game), (j, eps) in itertools.product(enumerate(games), enumerate(budgets)):
            ax, (env, horizon) = axes[i, j], game
            inside = (table["env"] == env) & (table["horizon"] == horizon)
            inside &= table["eps"].isin([eps, np.inf])
            if inside.any():
                beside = None if bounds is None else at_panel(bounds, env, horizon, eps)
                regret_vs_time(ax, table[inside], styles, band, bounds=beside)
            else:
                ax.set_axis_off()
            budget = "not private" if np.isinf(eps) else f"$\\epsilon$ = {eps:g}"
            ax.set_title(f"{env}, {budget}{differences(table, inside, horizon)}")
            if j == 0:
                ax.set_ylabel("pseudo-regret")
            if i == rows - 1:
                ax.set_xlabel("round $t$")
        note = f"Lines: mean of RUNS runs. Bands: {BANDS[band]}."
        finish(figure, title, table, note, bounds)
        return figure


def differences(table: pd.DataFrame, inside: pd.Series, horizon: float) -> str:
    """A second line for a panel's title: what all its lines share, but not those of others."""
    shared = [f"$T$ = {scientific(horizon)}"] if table["horizon"].nunique() > 1 else []
    for name in (x for x in table.columns if x not in [*COLUMNS, "line"]):
        here = table.loc[inside, name].dropna().unique()
        if len(here) == 1 and table[name].dropna().nunique() > 1:
            shared.append(f"{name} = {plain_value(here[0])}")
    return "\n" + ", ".join(shared) if shared else ""


def at_panel(bounds: pd.DataFrame, env: str, horizon: int, eps: float) -> pd.DataFrame:
    """The curves of a panel; those of algorithms that are not private belong to every budget."""
    inside = (bounds["env"] == env) & (bounds["horizon"] == horizon)
    return bounds[inside & bounds["eps"].isin([eps, np.inf])]


def one_panel(
    table: pd.DataFrame, title: str, band: str = "std", bounds: pd.DataFrame | None = None
) -> Figure:
    """Regret against time in one panel: a line for each setting.

    Axes are linear, but for that of regret if there are bounds (see ``panels``).
    """
    return side_by_side({"": table}, title, band, bounds)


def side_by_side(
    tables: dict[str, pd.DataFrame],
    title: str,
    band: str = "std",
    bounds: pd.DataFrame | None = None,
) -> Figure:
    """Regret against time with linear axes: a panel for each named table, a line for each setting.

    Lines of the same label look the same in every panel. With ``bounds`` (see ``panels``) regret
    has a logarithmic axis.
    """
    with matplotlib.rc_context(STYLE):
        whole = pd.concat(tables, names=["panel"]).reset_index("panel").reset_index(drop=True)
        panel = whole.pop("panel")
        if "eps_min" not in whole.columns and whole["eps"].nunique() > 1:
            whole[r"$\epsilon$"] = whole["eps"].where(np.isfinite(whole["eps"]))
        whole = labelled(whole)
        bounds = lines_of(bounds, whole, "t")
        scale = "linear" if bounds is None else "log"
        figure = Figure(figsize=(4.0 * len(tables) + 1.0, 4.0))
        axes = figure.subplots(1, len(tables), squeeze=False, sharey=True)[0]
        styles = styles_of(whole)
        for ax, name in zip(axes, tables, strict=True):
            rows = whole[panel == name]
            beside = None if bounds is None else bounds[bounds["line"].isin(rows["line"])]
            regret_vs_time(ax, rows, styles, band, scale, beside)
            ax.set_title(name)
            ax.set_xlabel("round $t$")
        axes[0].set_ylabel("pseudo-regret")
        note = f"Lines: mean of RUNS runs. Bands: {BANDS[band]}."
        finish(figure, title, whole, note, bounds)
        return figure


def scatter_with_fit(points: pd.DataFrame, xlabel: str, title: str, table: pd.DataFrame) -> Figure:
    """Mean regrets against a term ``x`` of theory, and the line of least squares through all.

    Args:
        points: columns algo, population, x, mean, std and count; a row for each setting.
        xlabel: what x is.
        title: what stands above the legend.
        table: the tidy table that the points sum up.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(5.8, 4.2))
        ax = figure.subplots()
        half = points["std"] * stdtrit(points["count"] - 1.0, 0.975) / np.sqrt(points["count"])
        groups = points.groupby(["algo", "population"], sort=False)
        key: Any
        for (key, rows), colour, marker in zip(groups, COLOURS, "os^D", strict=False):
            label = f"{named(key[0])}, {key[1]}"
            bars = {"yerr": half[rows.index], "color": colour, "fmt": marker, "ms": 4}
            ax.errorbar(rows["x"], rows["mean"], label=label, **bars)
        slope, intercept = np.polyfit(points["x"], points["mean"], 1)
        square = np.corrcoef(points["x"], points["mean"])[0, 1] ** 2
        ends = np.array([0.0, points["x"].max()])
        label = f"fit: {intercept:.4g} + {slope:.4g} V, $R^2$ = {square:.4f}"
        ax.plot(ends, intercept + slope * ends, color="black", lw=1, label=label)
        ax.set_xlabel(xlabel)
        ax.set_ylabel(f"pseudo-regret at $T$ = {scientific(table['horizon'].max())}")
        ax.yaxis.set_major_formatter(EngFormatter(sep=""))
        finish(figure, title, table, f"Points: mean of RUNS runs. Bars: {BANDS['ci']}.")
        return figure


def regret_vs(
    ax: Axes, table: pd.DataFrame, column: str, styles: dict[str, dict], band: str | None
) -> None:
    """Mean final regret of each line against a column, with its band if any; logarithmic y."""
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


def regret_vs_eps(ax: Axes, table: pd.DataFrame, styles: dict[str, dict], band: str) -> None:
    """Mean final regret of each line against the privacy budget, with its band; log axes."""
    regret_vs(ax, table, "eps", styles, band)
    ax.set_xscale("log")
    ax.set_xlabel(r"privacy budget $\epsilon$")


def order(ax: Axes, x: np.ndarray, f: Callable[[float], float], through: float, label: str) -> None:
    """The order of a bound, whose constant is not known: a dashed line through a given height at
    the last ``x``.
    """
    values = np.array([f(value) for value in x])
    ax.plot(x, values * through / values[-1], label=label, color="black", lw=1, ls="--")


def contamination_panels(
    table: pd.DataFrame, title: str, k: float = 2.0, band: str = "ci"
) -> Figure:
    """Final regret against the contamination alpha: a panel for each budget.

    The order T alpha^(1-1/k) of the lower bound (Wu et al. 2023, Thm 4.1) is drawn as a slope
    through half of the largest regret.
    """
    with matplotlib.rc_context(STYLE):
        alpha = "env.alpha"
        table = labelled(table.assign(alpha=table[alpha]).drop(columns=alpha), but=["alpha"])
        budgets = sorted(table["eps"].unique())
        figure = Figure(figsize=(2.6 * len(budgets) + 0.4, 3.8))
        axes = figure.subplots(1, len(budgets), squeeze=False, sharey=True)[0]
        styles = styles_of(table)
        grid = np.linspace(0, table["alpha"].max(), 50)[1:]
        for ax, eps in zip(axes, budgets, strict=True):
            regret_vs(ax, table[table["eps"] == eps], "alpha", styles, band)
            top = table.loc[table["t"] == table["horizon"], "regret"].max() / 2
            name = f"order of the lower bound, $T\\,\\alpha^{{{1 - 1 / k:g}}}$ (slope only)"
            order(ax, grid, lambda a: a ** (1 - 1 / k), top, name)
            ax.set_title(f"$\\epsilon$ = {eps:g}")
            ax.set_xlabel(r"contamination $\alpha = \alpha_1$")
        axes[0].set_ylabel(f"pseudo-regret at $T$ = {scientific(table['horizon'].max())}")
        finish(figure, title, table, f"Lines: mean of RUNS runs. Bands: {BANDS[band]}.")
        return figure


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
        title: what stands above the legend.
        band: a key of BANDS.
        terms: label and value at each budget of curves to draw beside the measured ones.
        bounds: curves of bounds, see ``panels``.
    """
    with matplotlib.rc_context(STYLE):
        table = labelled(table)
        bounds = lines_of(bounds, table, "eps")
        environments = list(dict.fromkeys(table["env"]))
        figure = Figure(figsize=(max(3.2 * len(environments), 5.0), 3.6))
        axes = figure.subplots(1, len(environments), squeeze=False)
        styles = styles_of(table)
        finite = table.loc[np.isfinite(table["eps"]), "eps"]
        budgets = np.geomspace(finite.min(), finite.max(), 100)
        for ax, env in zip(axes[0], environments, strict=True):
            regret_vs_eps(ax, table[table["env"] == env], styles, band)
            if bounds is not None:
                draw_bounds(ax, bounds[bounds["env"] == env], styles)
            for (label, term), dash in zip((terms or {}).items(), ("--", ":", "-."), strict=False):
                values = [term(eps) for eps in budgets]
                ax.plot(budgets, values, label=label, color="black", lw=1, ls=dash)
            ax.set_title(env)
        axes[0, 0].set_ylabel(f"pseudo-regret at $T$ = {scientific(table['horizon'].max())}")
        note = f"Lines: mean of RUNS runs. Bands: {BANDS[band]}."
        finish(figure, title, table, note, bounds)
        return figure


def shade_high_privacy(ax: Axes, threshold: float) -> None:
    """Shade the budgets below a threshold and name it on the axis."""
    with matplotlib.rc_context(STYLE):
        ax.margins(x=0)
        ax.autoscale_view()
        ax.axvspan(ax.get_xlim()[0], threshold, color="#56B4E9", alpha=0.12, lw=0)
        text = f"high privacy:\n$\\epsilon$ < {threshold:.3f}"
        ax.text(threshold * 0.95, 0.04, text, ha="right", transform=ax.get_xaxis_transform())


def finish(
    figure: Figure, title: str, table: pd.DataFrame, note: str, bounds: pd.DataFrame | None = None
) -> None:
    """Title and legend above the panels; below, a note on what lines and bands mean.

    With bounds, the figure grows by what their labels need.
    """
    lines: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            lines.setdefault(label, handle)
    handles, labels = list(lines.values()), list(lines)
    wide = figure.get_figwidth() > 6
    columns = len(labels) if wide and len(labels) <= 5 else 2
    letters = max(len(re.sub(r"\\[a-z]+|[${}^_\\,]", "", label)) for label in labels)
    columns = max(1, min(columns, int(figure.get_figwidth() / (0.065 * letters + 0.5))))
    heading: Any = {"loc": "outside upper center", "title": title, "title_fontsize": 10}
    figure.legend(handles, labels, ncols=columns, **heading)
    note = note.replace("RUNS", str(table["run"].nunique()))
    if not wide:
        note = note.replace(". ", ".\n", 1)
    if bounds is not None and len(bounds):
        rows = -(-len(labels) // columns)
        figure.set_figheight(figure.get_figheight() + 0.2 * max(rows - 2, 0))
        note += "\nBounds: thin with marks, in the colour of their line; black: of several lines."
    figure.supxlabel(note, fontsize=7.5, color="#444444")


def scientific(T: float) -> str:
    """A number of rounds for an axis: 10^7 or 5 x 10^7."""
    exponent = int(np.floor(np.log10(T)))
    factor = T / 10**exponent
    power = f"10^{{{exponent}}}"
    return f"${power}$" if factor == 1 else f"${factor:g} \\times {power}$"


def picture(table: pd.DataFrame, title: str, bounds: pd.DataFrame | None = None) -> Figure:
    """The figure that suits a table: against the budget if that varies much, else against time."""
    budgets = table["eps"][np.isfinite(table["eps"])].nunique()
    if budgets > 4:
        return budget_panels(table, title, bounds=bounds)
    return panels(table, title, band="ci", bounds=bounds)


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as PDF and PNG: the same bytes for the same figure."""
    paths = []
    for suffix, metadata in ((".pdf", {"CreationDate": None}), (".png", {"Software": None})):
        buffer = io.BytesIO()
        with matplotlib.rc_context(STYLE):
            figure.savefig(buffer, format=suffix[1:], metadata=metadata)
        path = stem.with_name(stem.name + suffix)
        write_atomically(path, buffer.getvalue())
        paths.append(path)
    return paths
