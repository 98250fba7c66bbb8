"""Figures of regret against the round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from ..contracts.display import symbol
from ..results.metrics import METRICS
from ..results.table import Table
from ..results.varying import SETTING, without_privacy
from .bands import band_note, draw_band, scale_of
from .final_regret import exceedance, label_tails, tail_scale
from .labels import (
    environment_titles,
    finite_budgets,
    labelled,
    labelled_games,
    legend_name,
    rounds_text,
    setting_text,
)
from .layout import PANEL_INCHES, Panel, arranged, arranged_panels, label_edges, shown
from .overlays import (
    RINGS,
    draw_bounds,
    draw_references,
    draw_rings,
    lines_of,
    references_by_panel,
    references_in,
    tied,
)
from .placement import most_columns
from .style import (
    BOUND,
    MAX_LINEAR_HORIZON,
    Prefixed,
    Styles,
    finish,
    marker,
    styled,
    styles_of,
    subplots,
)

MARKED_POINTS = 10  # only curves of at most this many points have marks
DOTS = 12  # marked means beside a line of medians, approximately
EARLY = 0.02  # share of the rounds that counts as early
EVERY = ""  # the panel of settings that are drawn in all panels
EARLIEST = 1e-3  # of the rounds: where a logarithmic axis of time begins, approximately


def has_log_time(curves: pd.DataFrame, time: str | None = None) -> bool:
    """Return whether the axis of time is logarithmic.

    ``time`` is the requested scale, or None. If ``time`` is None, the axis is logarithmic in two
    cases: the horizon is above MAX_LINEAR_HORIZON, or at least half of the curves reach half of
    their final regret in the first 2 % of the rounds. On a linear axis these curves would look like
    corners, since they rise in the first rounds only.
    """
    if time is not None:
        return time == "log"
    before = curves[curves["t"] <= EARLY * curves["horizon"]]
    early, final = (
        rows.sort_values("t").groupby([SETTING, "line"])["mean"].last() for rows in (before, curves)
    )
    share = ((early.reindex(final.index) >= final / 2) & (final > 0)).mean()
    return bool(curves["horizon"].max() > MAX_LINEAR_HORIZON or share >= 0.5)


def scale_over_time(curves: pd.DataFrame) -> str:
    """Return the scale of the axis of regret that suits all curves. The scale may be logarithmic
    although a curve is 0 in the first rounds.
    """
    decisive = curves["t"].eq(curves["horizon"]) | (curves["middle"] < 0)
    return scale_of(curves.loc[decisive, "middle"])


def regret_vs_time(
    ax: Axes,
    curves: pd.DataFrame,
    styles: Styles,
    band: str,
    scale: str,
    log_time: bool = False,
    bounds: pd.DataFrame | None = None,
) -> None:
    """Draw the curves of some lines of a table against the round, with bands.

    ``scale`` is the scale of the axis of regret, ``log`` or ``linear``. With ``log_time`` the axis
    of time is logarithmic. For ``bounds`` see ``overlays.lines_of``.
    """
    horizon = curves["horizon"].max()
    start = (EARLIEST if log_time else 0.01) * horizon
    measured = {str(label): rows for label, rows in curves.groupby("line", sort=False)}
    shown = [c.loc[c["t"] >= start, "middle"].min() for c in measured.values()]
    if bounds is not None and len(bounds):
        late = bounds.loc[bounds["x"] >= 0.1 * bounds["x"].max(), "value"].min()
        shown.append(max(late, min(shown) / 100))
    highest = max(0.0, *(c["middle"].max() for c in measured.values()))
    floor = max(min(shown), min(0.1, 1e-4 * highest or 0.1)) / 1.5
    for label, curve in measured.items():
        colour = styles[label]["color"]
        marks: dict[str, Any] = {"marker": "o", "ms": 3} if len(curve) <= MARKED_POINTS else {}
        if scale == "log":  # the first rounds, or a line from 0, would take most of the axis
            begun = curve["t"] >= (start if len(curve) > MARKED_POINTS else 0)
            shown_rows = curve[begun & (curve["middle"].cummax() > floor)]
            curve = shown_rows if len(shown_rows) else curve
        ax.plot(curve["t"], curve["middle"], label=label, **marks, **styles[label])
        draw_band(ax, curve, "t", colour)
        if band == "quantiles":
            some = curve.iloc[:: max(1, len(curve) // DOTS)]
            look = {"marker": marker(styles[label]), "ms": 2.5, "color": colour}
            ax.plot(some["t"], some["mean"], ls="", **look)
    if bounds is not None:
        draw_bounds(ax, bounds, styles)
    if log_time:
        ax.set_xscale("log")
        ax.set_xlim(min(start, *(c["t"].max() / 2 for c in measured.values())), horizon)
    else:
        ax.set_xlim(0, horizon)
        ax.xaxis.set_major_formatter(Prefixed())
    if scale == "linear":
        _begin(ax, 0.0)
        ax.yaxis.set_major_formatter(Prefixed())
        return
    ax.set_yscale("log")
    _begin(ax, floor)
    ax.yaxis.set_minor_locator(LogLocator(subs="auto", numticks=10))
    ax.yaxis.set_minor_formatter(NullFormatter())


def _begin(ax: Axes, bottom: float) -> None:
    """Set the range of the axis of regret, for all panels that share this axis.

    The axis begins at ``bottom``, or lower if a line in these panels is lower. The axis ends above
    all lines in these panels.
    """
    panels = ax.get_shared_y_axes().get_siblings(ax)
    drawn = [line for panel in panels for line in panel.get_lines() if line.get_gid() != BOUND]
    values = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in drawn])
    ax.autoscale(axis="y")
    positive = values[values > 0]
    if bottom > 0 or not (values < 0).any():
        ax.set_ylim(bottom=min(bottom, positive.min(initial=np.inf) / 1.5))
    if not values.any():
        ax.set_ylim(-0.05, 1.0)


@styled
def time_panels(
    table: Table,
    title: str,
    band: str = "ci",
    bounds: pd.DataFrame | None = None,
    tails: bool = False,
    time: str | None = None,
    marks: bool = False,
    together: bool = False,
) -> Figure:
    """Draw regret against the round: a row of panels for each environment and horizon, and a column
    for each budget.

    Algorithms without a budget are drawn in every column. ``band`` is a key of ``BANDS``; for
    ``bounds`` see ``bounds.curves``. With ``tails`` the probability of large final regrets is drawn
    below each panel. ``time`` is the scale of the axis of time, ``log`` or ``linear``; None for the
    scale that suits the table, see ``has_log_time``. With ``marks`` the means that are tied with
    the best mean have rings, see ``tied``. With ``together`` the budgets of an environment share a
    panel, with a line for each budget.
    """
    if together:
        table = table.assign(**{symbol(name): table.settings[name] for name in table.budgets})
        table = table.take(np.argsort(table.settings["algo"].map(table.names.index), kind="stable"))
    titles, varied, table = environment_titles(table), table.varied, labelled(table)
    curves = table.curves(band, ["line", "env", "horizon", *table.budgets])
    bounds = lines_of(bounds, table, "t")
    ties, references = tied(table) if marks else table.settings[:0], references_in(table)
    ends, budgets = table.runs, [] if together else finite_budgets(table)
    horizons = {env: sorted(ends.loc[ends["env"] == env, "horizon"].unique()) for env in titles}
    games = [Panel(env, horizon) for env, own in horizons.items() for horizon in own]
    places, columns = _without_gaps([game.at_budgets(ends, budgets) for game in games])
    each = 2 if tails else 1  # rows of panels for each game
    rows = -(-len(places) // columns) * each
    share = "all" if len(games) == 1 and not tails else "row"
    sharing = {"sharex": _shared_time(places, columns, tails), "sharey": share}
    figure, everything = subplots(rows, columns, 1.45 * rows if tails else None, **sharing)
    axes, below = everything[::each], everything[each - 1 :: each]
    styles = styles_of(table.settings)
    log_time = has_log_time(curves, time)
    scale, beyond = scale_over_time(curves), tail_scale(ends) if tails else ""
    for (ax, panel), (tail, _) in zip(shown(axes, places), shown(below, places), strict=True):
        inside, game = panel.of(ends), panel._replace(budget=None)
        draw_references(ax, game.of(references), over_time=True)
        regret_vs_time(ax, panel.of(curves), styles, band, scale, log_time, panel.of(bounds))
        heading = panel.title(titles[panel.env]) + _differences(ends, inside, varied)
        ax.set_title(heading)
        draw_rings(ax, panel.of(ties), "horizon", styles)
        if tails:
            exceedance(tail, inside, styles, beyond)
            tail.set_title(heading)
    label_edges(axes, "round $t$", METRICS[table.metric], each_row=tails)
    if tails:
        label_tails(below, table.metric)
    note = band_note(table, band) + (RINGS if marks else "")
    return finish(figure, title, table, note)


def _without_gaps(grid: list[list[Panel | None]]) -> tuple[Sequence[Panel | None], int]:
    """Return the panels of a grid, None for an empty place, and the number of columns.

    If some games were not played at some budgets, the grid of panels has empty places. The panels
    are put in sequence instead if this leaves fewer empty places.
    """
    places, columns = arranged(grid)
    panels = [panel for row in grid for panel in row if panel is not None]
    most = min(len(grid[0]), most_columns(PANEL_INCHES))
    fewer = min(range(most, 0, -1), key=lambda n: (n < 2, -len(panels) % n))
    if -len(panels) % fewer < -len(places) % columns + len(places) - len(panels):
        return panels, fewer
    return places, columns


def _shared_time(places: Sequence[Panel | None], columns: int, tails: bool) -> Any:
    """Return which panels share the axis of time, since they have the same horizon: all panels, the
    panels of a row, or no panels.
    """
    rows = (places[i : i + columns] for i in range(0, len(places), columns))
    horizons = [{panel.horizon for panel in row if panel is not None} for row in rows]
    if max(map(len, horizons)) > 1:
        return False
    return "row" if tails or len(set.union(*horizons)) > 1 else "all"


def _differences(table: pd.DataFrame, inside: pd.DataFrame, varied: Sequence[str]) -> str:
    """Return the second line of a panel's title: the parameters in which the panel differs from
    other panels.
    """
    horizon = rounds_text(inside["horizon"].iloc[0])
    shared = [f"$T$ = {horizon}"] if table["horizon"].nunique() > 1 else []
    for name in varied:
        here = inside[name].dropna().unique()
        if len(here) == 1 and table[name].dropna().nunique() > 1:
            shared.append(setting_text(name, here[0]))
    return "\n" + ", ".join(shared) if shared else ""


def panel_per_algorithm(
    table: Table, title: str, private: str = "private", band: str = "ci", scale: str = "linear"
) -> Figure:
    """Draw a panel for each private algorithm, in which the line of this algorithm has the label
    ``private``.

    Algorithms without a budget are drawn in every panel.
    """
    algo = table.settings["algo"]
    names = algo[~without_privacy(table.settings)].unique()
    own = algo.isin(names)
    panel = algo.map({name: legend_name(name) for name in names}).where(own, EVERY)
    divided = table.assign(panel=panel, algo=algo.mask(own, private))
    return time_panel(divided, title, band, scale=scale)


@styled
def time_panel(
    table: Table,
    title: str,
    band: str = "ci",
    bounds: pd.DataFrame | None = None,
    scale: str = "linear",
    time: str | None = None,
    group: str = "algo",
) -> Figure:
    """Draw each ``line`` of a table in the panel that its column ``panel`` names.

    If the table has no column ``line``, each setting has a line. If the table has no column
    ``panel``, there is a single panel. A setting with the panel EVERY is drawn in all panels.
    ``scale`` is the scale of the axis of regret; with ``bounds`` (see ``time_panels``) the scale is
    ``log``. If a logarithmic axis cannot show all lines, the axis is linear. For ``time`` see
    ``time_panels``, and for ``group`` see ``styles_of``.
    """
    if "panel" not in table.settings:
        table = table.assign(panel=EVERY)
    if "line" not in table.settings:
        budgets = table.budgets if "eps_min" not in table.settings else ()
        values = {symbol(name): table.settings[name] for name in budgets}
        varied = {x: own.where(np.isfinite(own)) for x, own in values.items() if own.nunique() > 1}
        table = labelled_games(table.assign(**varied), ["panel"], ["panel"])
    curves, styles = table.curves(band, ["line", "panel"]), styles_of(table.settings, group)
    if scale == "log" or bounds is not None:
        scale = scale_over_time(curves)
    beside = lines_of(bounds, table, "t")
    references, log_time = references_by_panel(table), has_log_time(curves, time)
    names = [name for name in table.settings["panel"].unique() if name != EVERY] or [EVERY]
    figure, axes, places = arranged_panels([names], sharey=True)
    for ax, name in places:
        inside = curves[curves["panel"].isin([name, EVERY])]
        own = beside[beside["line"].isin(inside["line"])]
        draw_references(ax, references[references["panel"] == name], over_time=True)
        regret_vs_time(ax, inside, styles, band, scale, log_time, own)
        ax.set_title(name)
    label_edges(axes, "round $t$", METRICS[table.metric])
    return finish(figure, title, table, band_note(table, band))
