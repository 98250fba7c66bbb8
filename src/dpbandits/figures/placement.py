"""Where the title, the legends and the note of a figure stand, and how large it is."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath

from ..errors import BadInput
from .options import current

ROW = 0.2  # inches that a row of a legend is high
ROWS = 2  # of the upper legend that figures have room for; they grow by those above
NOTE_ROW = 0.13  # inches that a row of a note is high
SIDE = 0.8  # inches beside the panels, for their labels
AROUND = 1.1  # inches of a figure's height that are not its panels
LEAST_PANEL = 0.35  # inches that a panel is wide and high, at least
WORD = r"(?:\$[^$]*\$|\S)+"  # formulas contain spaces
BOUND = "bound"  # the gid of lines that have their legend below the panels


def lay_out(figure: Figure, title: str, note: str, lines: Mapping[str, Any]) -> Any:
    """Place the title, the legends and the note, and give the figure its size; returns the text of
    the title.
    """
    chosen = current()
    _resize(figure)
    _wrap_titles(figure)
    bounds = {x: line for x, line in lines.items() if getattr(line, "get_gid", str)() == BOUND}
    measured = {label: line for label, line in lines.items() if label not in bounds}
    if note and any(line.get_marker() != "None" for line in bounds.values()):
        note += " Bounds: thin, in the colour of their line; black: of several lines; "
        note += "grey: slope only."
    heading = None
    if chosen.legend in (None, "top"):
        size = matplotlib.rcParams["font.size"]
        heading = _legend(figure, measured, "upper center", size, ROWS, title, 10).get_title()
        below = bounds
    else:
        heading = figure.suptitle(title, fontsize=10) if title else None
        below = {}
        if chosen.legend == "right":
            figure.legend(list(lines.values()), list(lines), loc="outside right center")
        elif chosen.legend == "inside":
            ax = next(ax for ax in figure.axes if ax.get_visible())
            ax.legend(list(lines.values()), list(lines), frameon=True, framealpha=0.8, fontsize=7.5)
    words = wrapped(note, 72 * figure.get_figwidth() - 12, 7.5)
    if below:
        _grow(figure, 0.15)
        legend = _legend(figure, below, "lower center", 8, 0, words, 7.5)
        legend.get_title().set(color="#444444", multialignment="center")
    elif words:
        figure.supxlabel(words, fontsize=7.5, color="#444444")
    _grow(figure, NOTE_ROW * max(0, words.count("\n") - 1))
    _check_room(figure)
    return heading


def _resize(figure: Figure) -> None:
    """Give a figure the width and the height that are asked for. A narrower figure is as much lower
    as its panels are narrower, down to the half.
    """
    chosen, width, own = current(), figure.get_figwidth(), _size_of_user()
    new = chosen.width or (own[0] if own else width)
    height = chosen.height or (own[1] if own and chosen.width is None else None)
    if height is None:
        panels = figure.get_figheight() - AROUND
        height = AROUND + panels * min(1.0, max(0.5, new / width))
    figure.set_size_inches(new, height)


def _wrap_titles(figure: Figure) -> None:
    """Break titles that are longer than their panel is wide, after commas; the figure grows by the
    lines that each row of panels gets.
    """
    grown: dict[int, int] = {}  # lines, by row
    for ax in figure.axes:
        place = ax.get_subplotspec()
        if place is None or not ax.get_title():
            continue
        room = 0.92 * 72 * (figure.get_figwidth() - SIDE) / place.get_gridspec().ncols
        lines, size = [""], float(ax.title.get_fontsize())
        for part in re.split(r"(?<=,) |(?=\n)", ax.get_title()):
            longer = f"{lines[-1]} {part}".strip()
            if part.startswith("\n") or text_width(longer, size) > room:
                lines.append(part.strip())
            else:
                lines[-1] = longer
        own = ax.get_title().count("\n") + 1
        ax.set_title("\n".join(filter(None, lines)))
        grown[place.rowspan.start] = max(grown.get(place.rowspan.start, 0), len(lines) - own)
    _grow(figure, NOTE_ROW * sum(grown.values()))


def _size_of_user() -> list[float]:
    """The width and the height of figures that the user has set in matplotlib; empty for none."""
    own = list(matplotlib.rcParams["figure.figsize"])
    return own if own != list(matplotlib.rcParamsDefault["figure.figsize"]) else []


def _grow(figure: Figure, inches: float) -> None:
    """Make a figure higher, unless its height is given."""
    if current().height is None and (current().width is not None or not _size_of_user()):
        figure.set_figheight(figure.get_figheight() + inches)


def _legend(
    figure: Any, lines: Mapping[str, Any], place: str, size: float, free: int, title: str,
    title_size: float,
) -> Any:  # fmt: skip
    """A legend above or below the panels, in as few rows as the width has room for; the figure
    grows by the rows above those that are ``free``. Letters shrink if a label is too long.
    """
    room = 72 * figure.get_figwidth() - 12
    longest = max((text_width(label, size) for label in lines), default=0.0)
    size *= min(1.0, max(0.6, room / (longest + 5 * size)))
    longest = max((text_width(label, size) for label in lines), default=0.0)
    columns = max(1, min(len(lines), int(room / (longest + 6 * size))))
    rows = -(-len(lines) // columns)
    columns = -(-len(lines) // rows) if rows else 1
    _grow(figure, ROW * max(0, rows - free))
    title = title if place == "lower center" else wrapped(title, room, title_size)
    legend = figure.legend(
        list(lines.values()), list(lines), ncols=columns, fontsize=size, title=title or None,
        title_fontsize=title_size, loc=f"outside {place}", handlelength=3.0,
    )  # fmt: skip
    legend.get_title().set_multialignment("center")
    return legend


def text_width(text: str, size: float) -> float:
    """The width of the widest line of a text, in points, in the current font."""
    lines = (line for line in text.splitlines() if line.strip())
    ends = (TextPath((0, 0), line, size=size).vertices for line in lines)  # and control points
    return max((float(np.ptp(points[:, 0])) for points in ends if len(points)), default=0.0)


def wrapped(text: str, room: float, size: float) -> str:
    """A text in lines of at most ``room`` points. Lines end with a sentence where these fit, and
    not beside an equals sign.
    """
    lines = [""]
    for sentence in re.split(r"(?<=[.:]) (?=[A-Z])", " ".join(text.split())):
        if lines[-1] and text_width(f"{lines[-1]} {sentence}", size) > room:
            lines.append("")
        for word in re.findall(rf"{WORD}(?: = {WORD})*", sentence):
            if lines[-1] and text_width(f"{lines[-1]} {word}", size) > room:
                lines.append("")
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def _check_room(figure: Figure) -> None:
    """Refuse a size in which the panels have no room beside their title, legend and note."""
    if current().width is None and current().height is None:
        return
    with warnings.catch_warnings(record=True) as collapsed:
        warnings.filterwarnings("always", "constrained_layout not applied", UserWarning)
        figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    boxes = [ax.get_position() for ax in figure.axes if ax.get_visible()]
    least = min(min(box.width * width, box.height * height) for box in boxes)
    if collapsed or least < LEAST_PANEL:
        size = f"width={width:.3g}, height={height:.3g}"
        raise BadInput(
            f"{size}: no room for {len(boxes)} panel{'s' * (len(boxes) != 1)}; a larger size, "
            "legend=none, note=false, fewer tables, only= or x=eps is needed"
        )
