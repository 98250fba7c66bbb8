"""What a figure shows besides measured regret: curves of bounds, reference lines (uniform play and
the best constant action on labelled data and logs), and rings.

A ring marks a mean that the test of ``dpbandits.compare`` does not distinguish from the smallest
mean in the same environment and horizon, at the same budget. Algorithms without privacy are
compared only with other algorithms without privacy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..comparison.table import compare, games
from ..environments.labelled import LINES
from ..results.intervals import rounded
from ..results.metrics import REGRET
from ..results.records import NO_RECORD
from ..results.references import References
from ..results.table import Table
from ..results.varying import SETTING
from .bands import unstretched
from .bounds import COLUMNS, POINTS
from .style import BOUND, Styles, ink

# The kind of a bound (such as an order) determines its dash. Its side (upper or lower) determines
# its possible markers, which measured lines do not have. Several bounds of one kind and side take
# these markers in turn
DASHES: dict[str, Any] = {
    "exact": "-", "asymptotic": (0, (6, 1.5, 1, 1.5)), "worst case": (0, (1, 2)),
    "order": (0, (4, 2)), "refuted": (0, (4, 2)),
}  # fmt: skip
MARKS = {"upper": "v<8", "lower": "^>*"}
SLOPE = "#888888"  # the colour of curves of which only the slope has a meaning
MARKS_OF_SLOPES = "vsDoPp"
WITHOUT_CONSTANT = ("order", "refuted")
REFERENCES: dict[str, Any] = {  # labels and dashes of the reference lines
    "uniform": ("uniform play", (0, (1, 2))),
    "constant": ("best constant action", (0, (5, 2))),
}
RINGS = (
    " A ring marks a mean that the test does not tell apart from the smallest mean of its "
    "budget at $T$ (95 % for all games at once)."
)


def lines_of(bounds: pd.DataFrame | None, table: Table, axis: str) -> pd.DataFrame:
    """Return the curves of bounds against ``axis`` (t or a budget).

    The rows of a curve have the columns of its setting in the labelled ``table``, such as ``line``.
    If there are no bounds, the frame has no rows.
    """
    settings = table.settings.reset_index(names=SETTING)
    if bounds is None:
        return settings.head(0).assign(**dict.fromkeys([*COLUMNS, "mark"]))
    against = bounds.loc[bounds["axis"] == axis, [SETTING, *COLUMNS]]
    found = against.merge(settings, on=SETTING)
    return found.assign(mark=_marks(found) if len(found) else None)


def _marks(bounds: pd.DataFrame) -> list[str]:
    """Return the marker of each point of some curves.

    Two upper (or lower) bounds of one kind have the same dash, and may have the same colour. So
    each bound gets a different marker.
    """
    alike = bounds.groupby(["kind", "side"])["label"]
    numbers = alike.transform(lambda labels: pd.factorize(labels)[0])
    found = []
    for kind, side, i in zip(bounds["kind"], bounds["side"], numbers, strict=True):
        marks = {"order": MARKS_OF_SLOPES, "refuted": "x"}.get(kind, MARKS[side])
        found.append(marks[i % len(marks)])
    return found


def draw_bounds(ax: Axes, bounds: pd.DataFrame, styles: Styles) -> None:
    """Draw the curves of ``lines_of``, thin and with markers. A bound has the colour of the
    algorithm's line.

    A curve is black if several lines share it, or if it is a lower bound and the figure has a
    single line. If the constant of a bound is unknown, only the slope of its curve has a meaning.
    The curve of such a bound is grey and does not stretch the axes.
    """
    key: Any
    single = bounds["line"].nunique() == 1
    for key, rows in bounds.groupby(["label", "kind", "side", "mark"], sort=False):
        label, kind, side, mark = key
        look: Any = {"ls": DASHES[kind], "lw": 0.9, "ms": 4, "mfc": "white", "mew": 0.8}
        look["marker"] = mark
        slope = kind in WITHOUT_CONSTANT
        common = SLOPE if slope else ink()
        shared: dict[bytes, list[tuple[str, pd.DataFrame]]] = {}
        for line, curve in rows.groupby("line", sort=False):
            points = curve.drop_duplicates("x").sort_values("x")
            shared.setdefault(points["value"].to_numpy().tobytes(), []).append((str(line), points))
        for curves in shared.values():
            line, points = curves[0]
            own = len(curves) == 1 and not (single and side == "lower")
            colour = styles[line]["color"] if own and not slope else common
            with unstretched(ax, slope):
                ax.plot(
                    points["x"], points["value"], color=colour, markevery=0.17, gid=BOUND, **look
                )
        ax.plot([], [], color=common, label=label, gid=BOUND, **look)


def references_in(table: Table) -> pd.DataFrame:
    """Return the reference lines for labelled data and logs, computed from the records of a table.

    A row describes one ``line`` (uniform play or the best constant action) in an ``env`` at a
    ``horizon``, and in a ``panel`` if settings have panels. The mean after t rounds is ``rate``
    t^``power``. If the table has runs of the algorithm ``uniform_play`` or ``best_constant``, the
    line of this algorithm is left out.
    """
    power, rows = float(table.metric == REGRET), []  # other metrics are averages
    place = [name for name in ("env", "horizon", "panel") if name in table.settings]
    for own, about in zip(table.settings.index, table.settings.to_dict("records"), strict=True):
        known, T = References.of(table.records.get(own, NO_RECORD)), about["horizon"]
        if known is not None:
            left = [line for line, player in LINES.items() if player not in table.names]
            at = [about[name] for name in place]
            rows += [(*at, x, getattr(known, x) / T, power) for x in left]
    found = pd.DataFrame(rows, columns=[*place, "line", "rate", "power"])
    return found.drop_duplicates()


def references_by_panel(table: Table) -> pd.DataFrame:
    """Return the reference lines of the panels of a table that show a single environment and
    horizon.
    """
    games = table.settings[["panel", "env", "horizon"]].drop_duplicates()["panel"].value_counts()
    found = references_in(table)
    return found[found["panel"].map(games) == 1]


def draw_references(ax: Axes, references: pd.DataFrame, over_time: bool) -> None:
    """Draw the reference lines that ``references_in`` returns, thin and grey: as functions of the
    round if ``over_time``, else at the horizon. If the lines of several
    data sets in a panel differ, the panel has no lines.
    """
    ends = rounded(references["rate"] * references["horizon"] ** references["power"])
    found = references.assign(end=ends).drop_duplicates(["line", "end"])
    for row in found.to_dict("records") if found["line"].is_unique else ():
        label, dash = REFERENCES[row["line"]]
        look: Any = {"label": label, "ls": dash, "color": SLOPE, "lw": 1.0, "zorder": 1.5}
        if over_time:
            t = np.append(np.geomspace(1, row["horizon"], POINTS)[:-1], row["horizon"])
            ax.plot(t, row["rate"] * t ** row["power"], gid=BOUND, **look)
        else:
            ax.axhline(row["end"], gid=BOUND, **look)


def tied(table: Table) -> pd.DataFrame:
    """Return the rows of ``dpbandits.compare`` that are tied with the best row of their game.

    The table must have the column ``line``. Games with a single algorithm have no rows.
    """
    found = compare(table)
    several = [rows[rows["tied"]] for rows in games(found, table.question) if len(rows) > 1]
    return pd.concat(several) if several else found[:0]


def draw_rings(ax: Axes, ties: pd.DataFrame, x: str, styles: Styles) -> None:
    """Draw a ring at the mean of each row of ``ties`` (see ``tied``). The column ``x`` has the
    horizontal positions.
    """
    for label, rows in ties.groupby("line", sort=False):
        look = {"mfc": "none", "mec": styles[str(label)]["color"], "clip_on": False, "zorder": 3}
        ax.plot(rows[x], rows["mean"], "o", ms=8, mew=1.2, **look)
