"""Figures as text, for work in a terminal."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..errors import BadInput

SIZE = 90, 24  # characters of a panel
MARKS = "*o+x#@%&=~"  # of lines, which may have no colours


def in_text(figure: Figure) -> str:
    """The lines of each panel of a figure, drawn with characters.

    Raises:
        BadInput: plotext is not installed.
    """
    try:
        import plotext
    except ImportError:
        install = "pip install 'dpbandits[terminal]'"
        raise BadInput(f"out=-: plotext is not installed: {install}") from None
    return "\n".join(_panel(plotext, ax) for ax in figure.axes if ax.get_visible())


def _panel(plotext: Any, ax: Axes) -> str:
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(*SIZE)
    marks = itertools.cycle(MARKS)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for line in ax.get_lines():
        label = str(line.get_label())
        points = np.asarray(line.get_xydata(), dtype=float)
        x, y = points.T
        shown = points[(left <= x) & (x <= right) & (bottom <= y) & (y <= top)]
        if len(shown) and not label.startswith("_"):
            plotext.plot(*shown.T.tolist(), label=plain(label), marker=next(marks))
    plotext.xscale(ax.get_xscale())
    plotext.yscale(ax.get_yscale())
    plotext.title(plain(ax.get_title()))
    plotext.xlabel(plain(ax.get_xlabel()))
    plotext.ylabel(plain(ax.get_ylabel()))
    return str(plotext.uncolorize(plotext.build()))


def plain(text: str) -> str:
    """A label without the marks of matplotlib's mathematics."""
    return re.sub(r"[${}\\]", "", text.replace("\\epsilon", "eps").replace("\n", ", "))
