"""The common style of all figures: colours and dashes, title, legend and note, and files."""

from __future__ import annotations

import io
import logging
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from itertools import count, cycle, product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import is_color_like, to_hex, to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text
from matplotlib.ticker import EngFormatter, FixedLocator, FuncFormatter, LogLocator, ScalarFormatter

from ..contracts.display import line_of, own_labels
from ..errors import BadInput, in_a_line, together
from ..files import write_atomically
from ..results.metrics import REGRET
from ..results.table import Table
from ..results.varying import WITHOUT
from .colours import APART, distance
from .labels import check_labels, meanings, plain_text, refuse_same_labels, scientific
from .options import DEFAULT, PALETTE, PALETTES, current
from .origin import FORMATS, comment, metadata, origin_of
from .output import MATHEMATICS, pgf_settings, texts_in_tex, usual_tex
from .placement import BOUND, lay_out, size_of

DASHES: dict[str, Any] = {
    "solid": "-",
    "dashed": (0, (5, 1.5)),
    "dashdotted": (0, (3, 1, 1, 1)),
    "dotted": (0, (1, 1)),
    "long": (0, (9, 2)),
    "dash and dots": (0, (5, 1, 1, 1, 1, 1)),
    "sparse": (0, (1, 2.5)),
    "long and short": (0, (7, 1, 3, 1)),
    "loose": (0, (3, 3)),
}
PATTERNS = list(DASHES.values())
# Dashes for lines that look like an earlier line with each of PATTERNS
FURTHER: list[Any] = [
    (0, (6, 4)), (0, (1, 1, 1, 4)), (0, (4, 2.5, 1, 2.5)), (0, (9, 1, 1, 1)),
    (0, (3, 1, 3, 1, 1, 1)), (0, (2.5, 1, 2.5, 4)), (0, (9, 1, 1, 1, 1, 1, 1, 1)),
]  # fmt: skip
MARKERS = "osD^vP<X>phd*8H1"  # markers of points, one for each of the dashes
LIGHTEST, DARKEST = 0.3, 0.35  # largest share of white, or of black, in a shade
LIGHT = 1.7  # sum of red, green and blue above which a colour is light
STYLE = matplotlib.rc_params_from_file(
    Path(__file__).with_name("dpbandits.mplstyle"), use_default_template=False
)
ALIKE = 0.008  # share of the height of a panel: nearer lines coincide
logging.getLogger("fontTools").setLevel(logging.ERROR)  # no warnings of dates in LaTeX's fonts
MAX_NAMED_PANELS = 3  # panels named in a sentence about lines that coincide
SHARE = "share"  # the gid of panels whose axis shows shares
MAX_LINEAR_HORIZON = 1e9  # above it the axis of time is logarithmic

Styles = dict[str, dict[str, Any]]  # matplotlib's properties of each line, by its label
# The colours of lines that are not highlighted
OTHERS = ("#B0B0B0", "#777777", "#959595", "#CBCBCB", "#666666")


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Let a function draw its figure in our style, with the font of the current options."""

    @wraps(draw)
    def drawn(*given: Any, **named: Any) -> Figure:
        # the user's axes keep their colours, which may be light on black
        style = {k: x for k, x in STYLE.items() if current().ax is None or "color" not in k}
        with matplotlib.rc_context({**style, **current().rc()}), warnings.catch_warnings():
            # matplotlib warns of limits that are equal up to rounding, and widens them
            warnings.filterwarnings("ignore", "Attempting to set identical", UserWarning)
            # our note names the lines that a logarithmic axis does not show
            warnings.filterwarnings("ignore", "Data has no positive values", UserWarning)
            return draw(*given, **named)

    return drawn


class Chart(Figure):
    """A figure that Jupyter displays although it was made without pyplot.

    The files of a figure state its origin: the command, the version and the settings.
    """

    heading: Any = None  # the text of its title
    origin: dict[str, Any] | None = None  # what its files hold, see ``origin.origin_of``
    resolution: float | None = None  # dots per inch of its files; None by default

    def _repr_png_(self) -> bytes:
        return rendered(self, "png")

    def _ipython_display_(self) -> None:
        """Display the figure once: Jupyter would show a figure of pyplot again at the end
        of the cell.
        """
        display = sys.modules["IPython.display"].display  # IPython calls this method
        display({"image/png": self._repr_png_(), "text/plain": repr(self)}, raw=True)
        if self.canvas.manager is not None and "inline" in matplotlib.get_backend():
            sys.modules["matplotlib.pyplot"].close(self)

    def show(self, warn: bool = True) -> None:
        """Open a window with the figure, even if the figure was made without pyplot (see
        matplotlib).
        """
        if self.canvas.manager is None:
            import matplotlib.pyplot as plt

            window = plt.figure()
            type(window.canvas).new_manager(self, window.number)
            plt.close(window)
        super().show(warn)

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure, see matplotlib; files in PDF, PNG and SVG state the origin of the
        figure.
        """
        suffix = options.get("format") or Path(str(fname)).suffix[1:]
        if suffix in FORMATS and suffix != "pgf":
            options["metadata"] = metadata(suffix, self.origin) | options.get("metadata", {})
        if self.resolution is not None:
            options.setdefault("dpi", self.resolution)
        with matplotlib.rc_context({"savefig.facecolor": "auto"}):  # the figure's colour, white
            super().savefig(fname, **options)


@contextmanager
def closed_if_refused() -> Iterator[None]:
    """If the code in this context raises an error, close the figures of pyplot that it made."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    before = pyplot.get_fignums() if pyplot else []
    try:
        yield
    except BaseException:
        if pyplot is not None:
            for number in set(pyplot.get_fignums()) - set(before):
                pyplot.close(number)
        raise


def rendered(figure: Figure, suffix: str) -> bytes:
    """Return the contents of a figure's file in one of FORMATS.

    Raises:
        BadInput: the format is PGF, which needs LaTeX, but LaTeX is missing or ends with an error.
    """
    buffer = io.BytesIO()
    if suffix != "pgf":
        with matplotlib.rc_context(STYLE):
            figure.savefig(buffer, format=suffix)
        return buffer.getvalue()
    with matplotlib.rc_context({**STYLE, **pgf_settings()}), texts_in_tex():
        figure.savefig(buffer, format=suffix)
    return comment(getattr(figure, "origin", None)) + buffer.getvalue()


def save(figure: Figure, stem: Path, formats: Sequence[str] = ("pdf", "png")) -> list[Path]:
    """Write a figure in some of FORMATS, and return the paths of the files."""
    paths = [stem.with_name(f"{stem.name}.{suffix}") for suffix in formats]
    contents = [rendered(figure, suffix) for suffix in formats]
    for path, content in zip(paths, contents, strict=True):
        write_atomically(path, content)
    return paths


class Prefixed(EngFormatter):
    """Format the numbers of a linear axis: 2k, 3M; numbers below 1 stay unchanged."""

    def __init__(self) -> None:
        super().__init__(sep="")

    def __call__(self, x: float, pos: int | None = None) -> str:
        if not 0 < abs(x) < 1:
            return super().__call__(x, pos)
        return f"${x:g}$" if self.get_useMathText() or self.get_usetex() else f"{x:g}"


def rescale(panels: Sequence[Axes]) -> None:
    """Give the axes of all panels the scales that the current options choose.

    A logarithmic axis of time begins at the first positive point of a line. A linear axis begins at
    0, or lower if a line has a point below 0.
    """
    for axis in ("x", "y"):
        scale = getattr(current(), f"{axis}scale")
        for ax in panels if scale is not None else ():
            if axis == "y" and ax.get_gid() == SHARE and ax.get_yscale() == "linear":
                continue  # shares may be 0
            before = ax.get_xscale()
            ax.set(**{f"{axis}scale": scale})
            points = _points(ax, axis)
            if scale == "linear":
                if not (points < 0).any():
                    ax.set(**{f"{axis}lim": (0, None)})
                getattr(ax, f"{axis}axis").set_major_formatter(Prefixed())
            elif axis == "x" and before != scale:
                positive = np.append(points, ax.get_xlim()[1])
                ax.set_xlim(left=positive[positive > 0].min())


def _points(ax: Axes, axis: str) -> np.ndarray:
    """Return the coordinates on an axis of all points of a panel's lines."""
    places = (getattr(line, f"get_{axis}data")() for line in ax.get_lines())
    return np.concatenate([np.empty(0), *(np.asarray(x, dtype=float) for x in places)])


def styles_of(lines: pd.DataFrame, group: str = "algo") -> Styles:
    """Return a colour and a dash for each ``line`` of algorithms, the same in every panel.

    The column ``group`` has the names of the algorithms. An algorithm has the colour and the dash
    that it declares, the same in all figures; other algorithms get unused colours and dashes.
    Colours in the option ``colors`` take precedence. Several lines of one algorithm have different
    shades of its colour and different dashes; the line without privacy is the darkest. If the user
    highlights some algorithms, the other lines are grey and take the dashes in turn.

    A line has the dash that its algorithm declares, with two exceptions. First, a line gets another
    dash if an earlier line has the same dash and a colour that looks alike in grey or to
    colour-blind readers. Lines for which no dash is left take a dash from the list FURTHER. Second,
    if the figure has one line for each algorithm, no two lines have the same dash as long as there
    are unused dashes.
    """
    of_names = lines.groupby(group, sort=False)["line"]
    labels = {str(name): list(rows.unique()) for name, rows in of_names}
    chosen, greys = current(), count()
    looks = list(_looks(labels))
    colours = [chosen.colors.get(x, look[0]) for x, look in zip(labels, looks, strict=True)]
    single = all(len(own) == 1 for own in labels.values())
    styles: Styles = {}
    drawn: list[tuple[str, Any]] = []
    for (name, own), named, (_, first) in zip(labels.items(), colours, looks, strict=True):
        if len(own) > 1 and colours.count(named) == 1:
            first = 0  # a parameter's value then has the same dash for all algorithms
        colour = ink() if named == PALETTE["black"] else named
        private = [label for label in own if not label.endswith(WITHOUT)]
        shades = {label: shade(colour, i, len(private)) for i, label in enumerate(private)}
        for i, label in enumerate(own):
            base, wanted = shades.get(label, mixed(colour, 0.0, 0.5)), first + i
            if chosen.highlight and name not in chosen.highlight:
                again, wanted = divmod(next(greys), len(PATTERNS))
                base = OTHERS[again % len(OTHERS)]
            wanted %= len(PATTERNS)

            def alike(pattern: Any, base: str = base) -> tuple[int, int, int]:
                same = [other for other, dash in drawn if dash == pattern]
                near = sum(distance(base, other) < APART for other in same)
                return same.count(base), near, len(same) if single else 0

            pattern = min(PATTERNS[wanted:] + PATTERNS[:wanted], key=alike)
            if alike(pattern)[1]:
                pattern = min([pattern, *FURTHER], key=alike)
            drawn.append((base, pattern))
            behind = {"zorder": 1.9} if base in OTHERS else {}
            styles[label] = {"color": base, "linestyle": pattern} | behind
    return styles


def _looks(names: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield a pair for each algorithm: the code of its colour, and the number of its first dash.
    The caller then applies the option ``colors``.

    An algorithm has the colour and the dash that it declares; other algorithms get unused colours
    and dashes. If the palette has a colour for each algorithm, and two algorithms declare the same
    colour, the second algorithm gets an unused colour. The colours of a palette other than the
    default are taken in order.
    """
    dashes, codes = list(DASHES), PALETTE.values()
    if current().palette != PALETTES[DEFAULT]:
        colours = current().palette
        yield from ((colours[i % len(colours)], i // len(colours)) for i in range(len(names)))
        return
    declared = {name: _line_of(name) for name in names}
    taken = {look[0] for look in declared.values() if look is not None}
    taken |= {code.upper() for code in current().colors.values()}
    enough = len(names) <= len(PALETTE)
    free = [colour for colour in codes if enough and colour not in taken]
    looks = [(colour, dash) for dash, colour in product(DASHES, codes)]
    looks = [look for look in looks if look not in declared.values()]
    left = cycle(sorted(looks, key=lambda look: look[0] in taken))  # unused colours come first
    seen: set[str] = set()
    for name in names:
        own = (free.pop(0), "solid") if declared[name] is None and free else None
        colour, dash = own or declared[name] or next(left)
        if colour in seen and free:
            colour = free.pop()
        seen.add(colour)
        yield colour, dashes.index(dash)


def _line_of(name: str) -> tuple[str, str] | None:
    """Return the code of the colour and the dash that an algorithm declares."""
    if (line := line_of(name)) is None:
        return None
    colour, dash = line
    if colour not in PALETTE and not is_color_like(colour):
        words = f"{colour} is no colour; {', '.join(PALETTE)}, or a colour of matplotlib is needed"
        raise BadInput(f"{name}: LINE={colour}, {dash}: {words}")
    return PALETTE.get(colour) or to_hex(colour).upper(), dash


def marker(style: Mapping[str, Any]) -> str:
    """Return the marker for points of a line in this style; each dash has a different marker."""
    return MARKERS[[*PATTERNS, *FURTHER].index(style["linestyle"])]


def ink() -> str:
    """Return the colour of lines that are usually black: white if the user's axes are dark."""
    ax = current().ax
    red, green, blue, opaque = (1, 1, 1, 1) if ax is None else to_rgba(ax.get_facecolor())
    return "#FFFFFF" if opaque and red + green + blue < 1 else PALETTE["black"]


def shade(colour: str, i: int, n: int) -> str:
    """Return the ``i``-th of ``n`` shades of a colour, from lighter to darker.

    The last shade is the colour itself. For a light colour, the first shade is the colour itself.
    """
    light = sum(to_rgb(colour)) > LIGHT
    most = (i if light else n - 1 - i) / (n - 1) if n > 1 else 0.0
    return mixed(colour, 0.0, DARKEST * most) if light else mixed(colour, 1.0, LIGHTEST * most)


def mixed(colour: str, end: float, part: float) -> str:
    """Mix a colour with a ``part`` of black (``end`` 0) or white (``end`` 1)."""
    red, green, blue = ((1 - part) * x + part * end for x in to_rgb(colour))
    return to_hex((red, green, blue))


def finish(
    figure: Any, title: str, table: Table | None, note: str, names: Sequence[str] = ()
) -> Figure:
    """Give a figure its title, legend, note and size, according to the current options.

    By default the title and the legend stand above the panels, and the note and the legend of
    bounds below the panels. The figure grows by the height of these texts. The word ``RUNS`` in the
    note is replaced by the number of runs of each setting in the table. If there is no table,
    ``names`` are the algorithms of the figure.

    Raises:
        BadInput: the user gave a label to an algorithm or line that the figure does not have, or
            the panels have no room.
    """
    chosen = current()
    panels = [chosen.ax] if chosen.ax is not None else figure.axes
    rescale(panels)
    for ax in (ax for ax in panels if ax.get_gid() != SHARE):
        if table is not None and table.metric != REGRET and chosen.yscale != "log":
            ax.set_yscale("linear")  # the other metrics lie between 0 and the best mean
            if not (_points(ax, "y") < 0).any():
                ax.set_ylim(bottom=0.0)
            ax.yaxis.set_major_formatter(ScalarFormatter())
        if chosen.ylim is not None:
            if ax.get_yscale() == "log" and chosen.ylim[0] <= 0:
                low, high = (f"{x:g}" for x in chosen.ylim)
                how = "a logarithmic axis shows numbers above 0; yscale=linear shows all numbers"
                raise BadInput(f"ylim=[{low},{high}]: {how}")
            ax.set_ylim(chosen.ylim)
    lines: dict[str, Any] = {}
    for ax in panels:
        label_logarithms(ax)
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            lines.setdefault(label, handle)
    check_labels(names if table is None else table.names, lines)
    title = title if chosen.title is None else chosen.title
    said = _beginning(lines, title)
    labels = {**own_labels(names if table is None else table.names), **chosen.labels}
    named = {x: labels.get(plain_text(x), x.removeprefix(said)) for x in lines}
    refuse_same_labels(named)
    lines = {named[label]: line for label, line in lines.items()}
    if chosen.ax is not None:
        _finish_axes(chosen.ax, chosen.title, lines)
        return figure
    ids = [] if table is None else table.settings.index.unique().tolist()
    figure.origin, figure.resolution = origin_of(ids, chosen.command), chosen.dpi
    if table is not None:
        runs = table.ends.groupby("setting").size()
        counts = sorted(runs.unique())
        between = " or " if len(counts) == 2 else " to "
        note = note.replace("RUNS", between.join(map(str, dict.fromkeys([counts[0], counts[-1]]))))
        note += meanings([*lines, *_words_of(panels)])
    below = note + _not_shown(panels, named) + _hidden(panels, named) if chosen.note else ""
    for text in (title, below, *lines, *_texts_of(panels)):
        refuse_missing_characters(text)
    figure.heading = lay_out(figure, title, below, lines)
    if matplotlib.rcParams["text.usetex"]:
        escape_texts(figure)
    return figure


def _beginning(labels: Iterable[str], title: str) -> str:
    """Return the common beginning of labels that the legend can omit, or an empty text. If all
    lines belong to one algorithm, and the title names the algorithm, the labels need not repeat the
    name and a comma.
    """
    starts = [start for start, comma, _ in (x.partition(", ") for x in labels) if comma]
    names = {x.partition(", ")[0] for x in labels}
    said = {x for x in names if re.search(rf"(?<![\w-]){re.escape(x)}(?![\w-])", title)}
    several = {x for x in starts if starts.count(x) > 1}
    return f"{said.pop()}, " if several == said and len(said) == 1 else ""


def _texts_of(panels: Iterable[Axes]) -> Iterator[str]:
    """Yield the texts of panels without the numbers at their axes.

    The method ``Figure.findobj`` would do this, too, but would take a fifth of the time of a
    figure.
    """
    for ax in panels:
        yield from (ax.get_title(), *(words.get_text() for words in ax.texts))
        for axis in (ax.xaxis, ax.yaxis):
            yield axis.get_label_text()
            if isinstance(axis.get_major_locator(), FixedLocator):
                yield from axis.get_major_formatter().format_ticks(list(axis.get_majorticklocs()))


def _words_of(panels: Iterable[Axes]) -> Iterator[str]:
    """Yield the titles of panels, and the labels in the legends of panels."""
    for ax in panels:
        legend = ax.get_legend()
        yield ax.get_title()
        yield from (words.get_text() for words in legend.get_texts()) if legend else ()


def refuse_missing_characters(text: str) -> None:
    """Refuse a text with a character (outside mathematics) that none of the figure's fonts has."""
    if text.isascii() or matplotlib.rcParams["text.usetex"]:
        return
    family = tuple(matplotlib.rcParams["font.family"])
    for c in MATHEMATICS.sub("", text):
        if not c.isspace() and ord(c) not in _characters_of(family):
            raise BadInput(
                f"{in_a_line(text, 60)}: the font {family[0]} has no character {c} "
                f"(U+{ord(c):04X}); font=NAME chooses an installed font with this character"
            )


@cache
def _characters_of(family: tuple[str, ...]) -> set[int]:
    """Return the code points of all characters that the fonts of a family have."""
    files = (findfont(FontProperties(family=name)) for name in family)
    return {number for file in files for number in get_font(file).get_charmap()}


def escape_texts(figure: Figure) -> None:
    """Convert all texts of a figure to LaTeX.

    This conversion is needed with ``text.usetex``, where matplotlib passes texts to LaTeX
    unchanged.
    """
    for words in figure.findobj(Text):
        words.set_text(usual_tex(words.get_text()))
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            if isinstance(axis.get_major_locator(), FixedLocator):
                ticks = list(axis.get_majorticklocs())
                labels = axis.get_major_formatter().format_ticks(ticks)
                axis.set_ticks(ticks, [usual_tex(x) for x in labels])


def own_legend(ax: Axes, place: Any = "best") -> None:
    """Put a legend inside a panel; the legend of the figure then omits the lines of this panel."""
    ax.legend(loc=place, fontsize=7, handlelength=3.0)
    for line in ax.get_lines():
        line.set_label(f"_{line.get_label()}")


def _in_words(labels: Iterable[str], named: Mapping[str, str]) -> str:
    """Return the names of lines in the legend, joined by commas and "and". A name that contains a
    comma is in quotes.
    """
    names = (named.get(label, label) for label in labels)
    return together(f'"{x}"' if ", " in x else x for x in names)


def _not_shown(panels: Iterable[Axes], named: Mapping[str, str]) -> str:
    """Return a sentence with the names of lines that have points which a logarithmic axis cannot
    show.
    """
    shown = [ax for ax in panels if ax.get_visible() and ax.get_gid() != SHARE]
    logs = [ax for ax in shown if ax.get_yscale() == "log"]
    # a line from the bottom to the top of a panel has other coordinates
    lines = [x for ax in logs for x in ax.get_lines() if x.get_transform() == ax.transData]
    low = [x for x in lines if x.get_gid() != BOUND and (np.asarray(x.get_ydata()) <= 0).any()]
    every = dict.fromkeys(str(line.get_label()) for line in low)
    labels = [label for label in every if not label.startswith("_")]
    words = " The logarithmic axis does not show values at or below 0, which these lines have: "
    return f"{words}{_in_words(labels, named)}." if labels else ""


def _hidden(panels: Iterable[Axes], named: Mapping[str, str]) -> str:
    """Return a sentence that names the lines that coincide, and the panels if lines coincide only
    in some panels.

    The names are the names in the legend. If no lines coincide, the sentence is empty.
    """
    found: dict[tuple[str, ...], list[str]] = {}  # titles of panels, by lines that coincide
    shown = [ax for ax in panels if ax.get_visible() and ax.get_gid() != SHARE]
    for ax in shown:
        for group in _coinciding(ax):
            found.setdefault(group, []).append(" ".join(ax.get_title().split()))
    words = []
    for group, titles in found.items():
        few = all(titles) and len(titles) <= MAX_NAMED_PANELS
        where = f" ({'; '.join(titles) if few else f'in {len(titles)} of {len(shown)} panels'})"
        words.append(_in_words(group, named) + where * (len(titles) < len(shown)))
    return f" These lines coincide: {'; '.join(words)}." if words else ""


def _coinciding(ax: Axes) -> list[tuple[str, ...]]:
    """Return groups of labels of a panel's lines that differ by less than ALIKE of its height."""
    groups: list[tuple[tuple[str, ...], np.ndarray]] = []
    for line in ax.get_lines():
        label, points = str(line.get_label()), np.asarray(line.get_data(), dtype=float).T
        if label.startswith("_") or line.get_gid() == BOUND or not len(points):
            continue
        place = ax.transAxes.inverted().transform(ax.transData.transform(points))
        for i, (labels, other) in enumerate(groups):
            if other.shape == place.shape and np.allclose(place, other, rtol=0, atol=ALIKE):
                groups[i] = (*labels, label), other
                break
        else:
            groups.append(((label,), place))
    return [labels for labels, _ in groups if len(labels) > 1]


def subplots(rows: int, columns: int, high: float | None = None, **share: Any) -> Any:
    """Make a figure with a grid of panels, or use the user's axes as the only panel.

    The options determine the width of the figure. The figure is pyplot's current figure if pyplot
    is in use and the option ``in_pyplot`` is true. ``high`` is the height of all rows of panels
    together, in inches; None for a height that suits the width of a panel.

    Returns:
        The figure and the array of its panels.

    Raises:
        BadInput: the user's axes have no room for several panels.
    """
    ax = current().ax
    if ax is None:
        pyplot = sys.modules.get("matplotlib.pyplot") if current().in_pyplot else None
        size = size_of(rows, columns, high)
        figure = pyplot.figure(FigureClass=Chart, figsize=size) if pyplot else Chart(figsize=size)
        return figure, figure.subplots(rows, columns, squeeze=False, **share)
    if rows * columns > 1:
        needed = "choose one environment and one budget, or leave ax out"
        raise BadInput(f"ax: the figure has {rows * columns} panels, and ax is one panel; {needed}")
    return ax.figure, np.array([[ax]])


def _finish_axes(ax: Axes, title: str | None, lines: Mapping[str, Any]) -> None:
    """Give the user's axes a title and a legend."""
    if title is not None:
        ax.set_title(title)
    place = current().legend or "inside"
    beside: dict[str, dict[str, Any]] = {
        "top": {"loc": "lower center", "bbox_to_anchor": (0.5, 1.1), "ncols": 2},
        "right": {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0)},
        "inside": {"loc": "best"},
    }
    if place != "none":
        ax.legend(list(lines.values()), list(lines), **beside[place])


def label_logarithms(ax: Axes) -> None:
    """If a logarithmic axis shows fewer than two powers of ten, label numbers between them, too."""
    for axis, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        if axis.get_scale() != "log" or isinstance(axis.get_major_locator(), FixedLocator):
            continue
        low, high = np.log10(sorted(limits))
        if np.floor(high) - np.ceil(low) < 1:
            between = (2.0, 5.0) if high - low > 0.5 else (1.5, 2.0, 3.0, 5.0)
            axis.set_minor_locator(LogLocator(subs=between))
            plain = min(limits) >= 0.001 and max(limits) <= 100_000
            form = FuncFormatter(lambda x, _, plain=plain: f"{x:.6g}" if plain else scientific(x))
            axis.set_major_formatter(form)
            axis.set_minor_formatter(form)
            axis.set_tick_params(which="minor", labelsize=matplotlib.rcParams["xtick.labelsize"])
