"""Bands around curves of regret: their kinds, their drawing, and the note that explains them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..errors import BadInput
from ..results.table import Table, curve_of
from ..results.varying import SETTING
from .choices import BANDS
from .options import current

FURTHEST = 3.0  # an axis shows a band down to its curve divided by this factor


def draw_band(ax: Axes, curve: pd.DataFrame, by: str, colour: Any, has_edges: bool = False) -> None:
    """Fill the band of a curve against the column ``by``, at the points at which the curve has a
    band.

    With ``has_edges`` the band is lighter and has thin edges, so that a reader can distinguish
    overlapping bands.

    A point without neighbours gets a vertical bar, since a band needs two points. If ``by`` is t,
    the band has no width in the rounds in which all runs still have equal regret. If a part of a
    band is far below the curve, the axis does not extend to this part.
    """
    if by == "t":
        curve = curve.assign(**{end: curve[end].fillna(curve["middle"]) for end in ("low", "high")})
    low, middle = curve["low"], curve["middle"]
    if (middle >= 0).all():
        low = np.maximum(low, middle[middle > 0].min() / 1000)
    none = low.isna()  # where there is no interval
    alone = ~none & none.shift(1, fill_value=True) & none.shift(-1, fill_value=True)
    with unstretched(ax):
        if alone.any():
            own = curve[alone]
            ax.vlines(own[by], low[alone], own["high"], color=colour, alpha=0.4, lw=2)
        if has_edges:
            look: Any = {"fc": (colour, 0.06), "ec": (colour, 0.6), "lw": 0.5}
        else:
            look = {"color": colour, "alpha": 0.15, "lw": 0}
        ax.fill_between(curve[by], low, curve["high"], **look)
    for end in (low.where(middle < 0, np.maximum(low, middle / FURTHEST)), curve["high"]):
        ax.update_datalim(np.column_stack([curve[by], end]))


def scale_of(means: pd.Series) -> str:
    """Return the scale of an axis of regret: ``log`` if all means are positive or if the option
    ``yscale`` is ``log``, else ``linear``.

    Raises:
        BadInput: the option is ``log``, but no mean is positive.
    """
    if current().yscale != "log":
        return "log" if (means > 0).all() else "linear"
    if not (means > 0).any():
        raise BadInput("yscale=log: no mean is above 0; leave yscale out, or write yscale=linear")
    return "log"


@contextmanager
def unstretched(ax: Axes, holds: bool = True) -> Iterator[None]:
    """If ``holds`` is true, drawing does not change the range of the axes while the context is
    open.
    """
    limits = ax.dataLim.frozen()
    yield
    if holds:
        ax.dataLim.set(limits)


def bars(middle: pd.Series, low: pd.Series, high: pd.Series) -> list[pd.Series]:
    """Return the lengths of error bars for ``Axes.errorbar``; the lengths are 0 where there is no
    interval.
    """
    return [(middle - low).fillna(0.0), (high - middle).fillna(0.0)]


def band_note(table: Table, band: str) -> str:
    """Return the note below a figure. The note says what lines and bands show."""
    line, what = BANDS[band]
    counts = table.ends.groupby("setting").size()
    if counts.max() == 1:
        return "Lines show a single run of each setting."
    none = ""
    if curve_of(table.runs, SETTING, band)["low"].isna().any():
        none = f"; {'single and ' if counts.min() == 1 else ''}equal runs have no interval"
    hidden = f"A band that cannot be seen is narrower than its line{none}."
    return f"Lines show the {line} of RUNS runs, and bands {what}. {hidden}"
