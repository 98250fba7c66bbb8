"""Figures as text: for LaTeX, and for a terminal."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cbook import is_math_text
from matplotlib.figure import Figure

from ..errors import BadInput, either, first_line
from .labels import plain_text

TEX_NAMES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
MATHEMATICS = re.compile(r"((?<!\\)\$.*?(?<!\\)\$)")  # between dollar signs
MINUS = "\N{MINUS SIGN}"
TEX = ("pdflatex", "lualatex", "xelatex")  # matplotlib measures text for PGF with one of them
SIZE = 90, 24  # width and height of a panel in characters
MARKS = "*o+x#@%&=~"  # marks of lines, since a terminal may have no colours


def pgf_settings() -> dict[Any, Any]:
    """Return the settings with which matplotlib writes PGF in the fonts of the user's document.

    Raises:
        BadInput: LaTeX is not installed.
    """
    program = next(filter(shutil.which, TEX), None)
    if program is None:
        needed = f"{either(TEX)} is needed, with which matplotlib measures text"
        raise BadInput(f"format=pgf: {needed}; format=pdf needs no LaTeX")
    return {"pgf.texsystem": program, "pgf.rcfonts": False}


@contextmanager
def texts_in_tex() -> Iterator[None]:
    """Let matplotlib convert texts for PGF by ``in_tex`` while the context is open.

    Raises:
        BadInput: LaTeX ends with an error, for example because a package is missing.
    """
    from unittest.mock import patch  # slow to import, as is the back-end

    from matplotlib.backends import backend_pgf

    try:
        with patch.object(backend_pgf, "_tex_escape", in_tex):
            yield
    except (backend_pgf.LatexError, OSError) as error:
        said = getattr(error, "latex_output", "") or str(error)
        reason = next((x for x in said.splitlines() if x.startswith("!")), first_line(error))
        raise BadInput(f"format=pgf: LaTeX cannot measure the text ({reason})") from None


def in_tex(text: str) -> str:
    """Convert a text of matplotlib to LaTeX, with special characters outside mathematics escaped.

    The percent sign and the circumflex stay, since matplotlib itself escapes them.
    """
    if not is_math_text(text):
        return _plain_in_tex(text.replace(r"\$", "$")).replace(MINUS, r"\ensuremath{-}")
    parts = MATHEMATICS.split(text)
    parts[::2] = [_plain_in_tex(part.replace(r"\$", "$")) for part in parts[::2]]
    return "".join(parts).replace(MINUS, r"\ensuremath{-}")


def usual_tex(text: str) -> str:
    """Convert a text of matplotlib for ``text.usetex``: as ``in_tex`` does, but with % and ^
    escaped, too.
    """
    parts = MATHEMATICS.split(re.sub(r"(?<!\\)%", r"\%", in_tex(text)))
    parts[::2] = [part.replace("^", r"\^{}") for part in parts[::2]]
    return "".join(parts)


def _plain_in_tex(text: str) -> str:
    return "".join(TEX_NAMES.get(c, rf"\{c}" if c in "&#_{}$" else c) for c in text)


def in_text(figure: Figure) -> str:
    """Return the title of a figure, and the lines of each panel, drawn with characters.

    Raises:
        BadInput: plotext is not installed.
    """
    try:
        import plotext
    except ImportError:
        install = "pip install 'dpbandits[report]'"
        raise BadInput(f"out=-: plotext is not installed: {install}") from None
    heading = getattr(figure, "heading", None)
    title = [plain_text(heading.get_text())] if heading is not None else []
    panels = [_panel(plotext, ax) for ax in figure.axes if ax.get_visible()]
    return "\n".join([*title, *panels])


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
            plotext.plot(*shown.T.tolist(), label=plain_text(label), marker=next(marks))
    plotext.xscale(ax.get_xscale())
    plotext.yscale(ax.get_yscale())
    plotext.title(plain_text(ax.get_title()))
    plotext.xlabel(plain_text(ax.get_xlabel()))
    plotext.ylabel(plain_text(ax.get_ylabel()))
    return str(plotext.uncolorize(plotext.build()))
