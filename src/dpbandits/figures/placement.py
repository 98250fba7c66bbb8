"""The places of a figure's title, legends and note, and the size of the figure."""

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
from .options import WIDTHS, current

ROW = 0.165  # inches that a row of a legend is high
NOTE_ROW = 0.125  # inches that a row of a note is high
HEADING = 9  # points of the title of a figure
MIN_TEXT_POINTS = 7.0  # the smallest size of a text, except exponents
SIDE = 0.8  # inches beside the panels, for their labels
AROUND = 0.75  # inches of the height besides panels, title, legends and note
TITLE_ROW = 0.2  # inches between rows of panels, for their titles
MIN_HEIGHT_INCHES, MAX_HEIGHT_INCHES = 1.05, 2.3  # limits of the height of a panel
ALONE = 1.7  # least height in inches of the panels of a single row
SHAPE = 0.72  # the height of a panel divided by its width
TALL = 5.2  # largest height in inches of all rows together, if rows are not of least height
LEAST_WIDTH, LEAST_HEIGHT = 0.9, 0.35  # least width and height of a panel in inches
SENTENCE, SOURCE = r"(?<=[.:]) (?=[A-Z])", r" (?=\([A-Z])"  # ends of a sentence, of a title
WORD = r"(?:\$[^$]*\$|\S)+"  # formulas contain spaces
WORDS = rf"{WORD}(?: = {WORD})*"  # lines are not broken at an equals sign
PARTS = r"(?<=,) ", r".+"  # titles of panels are broken only after commas
MAX_LEGEND = 0.24  # largest share of the height of a figure that the legend takes
BOUND = "bound"  # the gid of lines that have their legend below the panels


def lay_out(figure: Figure, title: str, note: str, lines: Mapping[str, Any]) -> Any:
    """Place the title, the legends and the note, and give the figure its size.

    Returns:
        The text object of the title.
    """
    chosen = current()
    own = _size_of_user()
    height = chosen.height or (own[1] if own and chosen.width is None else None)
    if height is not None:
        figure.set_figheight(height)
    _shorten_titles(figure, title)
    _wrap_titles(figure)
    _join_labels(figure)
    bounds = {x: line for x, line in lines.items() if getattr(line, "get_gid", str)() == BOUND}
    measured = {label: line for label, line in lines.items() if label not in bounds}
    if note and any(line.get_marker() != "None" for line in bounds.values()):
        note += " Bounds are thin and have the colour of their line. A bound of several lines is "
        note += "black, and one of which the slope alone is known is grey."
    heading, below, legend_inches = None, {}, 0.0
    room = 72 * figure.get_figwidth() - 12
    if chosen.legend in (None, "top"):
        before = figure.get_figheight()
        heading = _legend(
            figure, measured, "upper center", wrapped(title, room, HEADING, SOURCE)
        ).get_title()
        heading.set_fontsize(HEADING)
        legend_inches = figure.get_figheight() - before
        below = bounds
    else:
        heading = figure.suptitle(title, fontsize=HEADING) if title else None
        if chosen.legend == "right":
            figure.legend(list(lines.values()), list(lines), loc="outside right center")
        elif chosen.legend == "inside":
            ax = next(ax for ax in figure.axes if ax.get_visible())
            ax.legend(list(lines.values()), list(lines), frameon=True, framealpha=0.8)
    words = wrapped(note, 0.96 * room, MIN_TEXT_POINTS)
    if below:
        legend = _legend(figure, below, "lower center", words)
        legend.get_title().set(color="#444444", fontsize=MIN_TEXT_POINTS)
        legend.get_children()[0].get_children().reverse()  # the note stands below
    elif words:
        figure.supxlabel(words, fontsize=MIN_TEXT_POINTS, color="#444444")
    _grow(figure, NOTE_ROW * (words.count("\n") + 1 if words else 0))
    _grow(figure, 0.17 * (title.count("\n") + 1 if title else 0))
    _grow(figure, max(0.0, legend_inches / MAX_LEGEND - figure.get_figheight()))
    _check_room(figure)
    return heading


def size_of(rows: int, columns: int, high: float | None = None) -> tuple[float, float]:
    """Return the size in inches of a figure with a grid of panels, without title, legends and note.

    ``high`` is the height of all rows of panels together in inches; None for a height that suits
    the width of a panel.
    """
    wide = (figure_width() - SIDE) / columns
    least = MIN_HEIGHT_INCHES if rows > 1 else ALONE
    each = min(max(least, SHAPE * wide), MAX_HEIGHT_INCHES, max(least, TALL / rows))
    return figure_width(), AROUND + (rows * each if high is None else high) + TITLE_ROW * (rows - 1)


def figure_width() -> float:
    """Return the width of figures in inches.

    The width is set in the options, or in the user's settings of matplotlib; otherwise it is the
    width of a paper's text.
    """
    return current().width or (_size_of_user() or [WIDTHS["text"]])[0]


def most_columns(least: float) -> int:
    """Return how many panels that are ``least`` inches wide fit beside each other."""
    return max(1, int((figure_width() - SIDE) / least))


def _shorten_titles(figure: Figure, title: str) -> None:
    """Shorten the titles of panels by words that the figure shows elsewhere.

    Words in the figure's title are removed. Words that all panels of a row or a column have in
    common are shown once, at the end of the row or above the column.
    """
    panels = [ax for ax in figure.axes if ax.get_visible() and ax.get_subplotspec() is not None]
    parts = {ax: re.split(r", |,?\n", ax.get_title()) for ax in panels if ax.get_title()}
    if not parts:
        return
    common = set.intersection(*map(set, parts.values()))
    said = {x for x in common if re.search(rf"(?<!\w){re.escape(x)}(?!\w)", title, re.I)}
    parts = {ax: [x for x in own if x not in said] for ax, own in parts.items()}

    places: dict[Any, Any] = {ax: ax.get_subplotspec() for ax in parts}
    at = {ax: (place.rowspan.start, place.colspan.start) for ax, place in places.items()}

    def shared(i: int) -> dict[Any, set[str]]:
        """Return, for each panel, the words that the titles of all panels in its row (i = 0) or
        column (i = 1) have.
        """
        lines = {ax: [set(parts[x]) for x in parts if at[x][i] == at[ax][i]] for ax in parts}
        return {ax: set.intersection(*words) for ax, words in lines.items()}

    rows, columns = shared(0), shared(1)
    last = {row: max(c for r, c in at.values() if r == row) for row, _ in at.values()}
    is_grid = len(last) > 1 and max(last.values()) > 0
    if is_grid and all(set(own) <= rows[ax] | columns[ax] for ax, own in parts.items()):
        for ax, own in parts.items():
            row, column = at[ax]
            beside = [x for x in own if x in rows[ax] and x not in columns[ax]]
            if beside and column == last[row]:
                look: Any = {"rotation": 270, "va": "center", "transform": ax.transAxes}
                ax.text(1.03, 0.5, ", ".join(beside), size=ax.title.get_fontsize(), **look)
            parts[ax] = [x for x in own if x in columns[ax]] if row == min(last) else []
    else:  # a panel needs no title if the panel above has the same title
        of_place = {at[ax]: own for ax, own in parts.items()}
        above = {ax: of_place.get((row - 1, column)) for ax, (row, column) in at.items()}
        parts = {ax: [] if own == above[ax] else own for ax, own in parts.items()}
    for ax in panels:
        ax.set_title(", ".join(parts.get(ax, [])))


def _join_labels(figure: Figure) -> None:
    """Show the label of an axis once, in the middle of the figure, if all panels have the same
    label and the label is longer than the axis of a panel.
    """
    size = float(matplotlib.rcParams["axes.labelsize"])
    rooms = {"x": figure.get_figwidth() - SIDE, "y": figure.get_figheight() - AROUND}
    for axis, room in rooms.items():
        named = [ax for ax in figure.axes if ax.get_visible() and getattr(ax, f"get_{axis}label")()]
        spans: list[Any] = [ax.get_subplotspec() for ax in named]
        lines = {(place.rowspan if axis == "x" else place.colspan).start for place in spans}
        words = {getattr(ax, f"get_{axis}label")() for ax in named}
        if len(named) < 2 or len(words) > 1 or len(lines) > 1:
            continue
        (text,), even = words, len(named) % 2 == 0
        if text_width(text, size) < 0.9 * 72 * room / len(named):
            continue
        for ax in named:
            ax.set(**{f"{axis}label": ""})
        middle = named[(len(named) - 1) // 2]
        if axis == "x":
            middle.set_xlabel(text, x=1.1 if even else 0.5)
        else:
            middle.set_ylabel(text, y=-0.1 if even else 0.5)


def _wrap_titles(figure: Figure) -> None:
    """Break the titles that are wider than their panel, at commas, and make the figure higher for
    the additional lines.
    """
    grown: dict[int, int] = {}  # lines, by row
    for ax in figure.axes:
        place = ax.get_subplotspec()
        if place is None or not ax.get_title():
            continue
        room = 0.94 * 72 * (figure.get_figwidth() - SIDE) / place.get_gridspec().ncols
        title = wrapped(ax.get_title(), room, float(ax.title.get_fontsize()), *PARTS)
        ax.set_title(title)
        grown[place.rowspan.start] = max(grown.get(place.rowspan.start, 0), title.count("\n"))
    _grow(figure, NOTE_ROW * sum(grown.values()))


def _size_of_user() -> list[float]:
    """Return the width and the height of figures in the user's settings of matplotlib; empty if the
    user has not set the size.
    """
    own = list(matplotlib.rcParams["figure.figsize"])
    return own if own != list(matplotlib.rcParamsDefault["figure.figsize"]) else []


def _grow(figure: Figure, inches: float) -> None:
    """Make a figure higher by some inches, unless the user chose its height."""
    if current().height is None and (current().width is not None or not _size_of_user()):
        figure.set_figheight(figure.get_figheight() + inches)


def _legend(figure: Any, lines: Mapping[str, Any], place: str, title: str) -> Any:
    """Make a legend above or below the panels, in as few rows as the width allows.

    The figure grows by the height of these rows.
    """
    size = float(matplotlib.rcParams["legend.fontsize"])
    room = 72 * figure.get_figwidth() - 12
    labels = [wrapped(label, room - 6 * size, size) for label in lines]
    wide = [text_width(label, size) + 5.8 * size for label in labels]  # with its line and spaces
    columns = len(labels) or 1  # matplotlib divides lines among columns as array_split does
    while columns > 1 and sum(x.max() for x in np.array_split(wide, columns)) > room + size:
        columns -= 1
    rows = -(-len(labels) // columns)
    columns = -(-len(labels) // rows) if rows else 1
    broken = max((label.count("\n") for label in labels), default=0)
    _grow(figure, ROW * rows + NOTE_ROW * broken * rows)
    legend = figure.legend(
        list(lines.values()), labels, ncols=columns, title=title or None, loc=f"outside {place}",
        handlelength=3.0, borderaxespad=0.2,
    )  # fmt: skip
    legend.get_title().set_multialignment("center")
    return legend


def text_width(text: str, size: float) -> float:
    """Return the width of the widest line of a text, in points, in the current font."""
    lines = (line for line in text.splitlines() if line.strip())
    ends = (TextPath((0, 0), line, size=size).vertices for line in lines)  # or control points
    return max((float(np.ptp(points[:, 0])) for points in ends if len(points)), default=0.0)


def wrapped(text: str, room: float, size: float, ends: str = SENTENCE, words: str = WORDS) -> str:
    """Break a text into lines of at most ``room`` points.

    Where possible, a line ends with a sentence; the pattern ``ends`` matches the ends of sentences.
    The pattern ``words`` matches the parts of a text that are never broken.
    """
    lines = [""]
    for sentence in re.split(ends, " ".join(text.split())):
        if lines[-1] and text_width(f"{lines[-1]} {sentence}", size) > room:
            lines.append("")
        for word in re.findall(words, sentence):
            if lines[-1] and text_width(f"{lines[-1]} {word}", size) > room:
                lines.append("")
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def _check_room(figure: Figure) -> None:
    """Refuse a figure that is too small for its panels, title, legend and note."""
    if current().width is None and current().height is None:
        return
    with warnings.catch_warnings(record=True) as collapsed:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", "constrained_layout not applied", UserWarning)
        figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    boxes = [ax.get_position() for ax in figure.axes if ax.get_visible()]
    is_narrow = any(box.width * width < LEAST_WIDTH for box in boxes)
    if collapsed or is_narrow or any(box.height * height < LEAST_HEIGHT for box in boxes):
        size = f"width={width:.3g}, height={height:.3g}"
        raise BadInput(
            f"{size}: no room for {len(boxes)} panel{'s' * (len(boxes) != 1)}, at least "
            f"{LEAST_WIDTH:g} inches wide and {LEAST_HEIGHT:g} inches high; a larger size, "
            "legend=none, note=false, fewer tables, only= or x=eps is needed"
        )
