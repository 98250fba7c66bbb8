"""What all figures share: colours and dashes, title, legend and note, and files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath
from matplotlib.ticker import EngFormatter, FixedLocator, FuncFormatter, LogLocator

from ..contracts.display import line_of
from ..files import write_atomically
from ..results.tables import at_end, settings_of, with_words
from .labels import WITHOUT, scientific

# The palette of Okabe & Ito, for colour-blind readers, less yellow; dashes distinguish lines in
# black and white
PALETTE = {
    "vermillion": "#D55E00", "blue": "#0072B2", "orange": "#E69F00", "green": "#009E73",
    "purple": "#CC79A7", "sky blue": "#56B4E9", "brown": "#7F4F24", "grey": "#999999",
    "black": "#000000", "wine": "#882255", "olive": "#999933",
}  # fmt: skip
DASHES: dict[str, Any] = {
    "solid": "-",
    "dashed": (0, (5, 1.5)),
    "dashdotted": (0, (3, 1, 1, 1)),
    "dotted": (0, (1, 1)),
}
LIGHTEST = 0.55  # how far the shades of a colour go towards white
STYLE = matplotlib.rc_params_from_file(
    Path(__file__).with_name("dpbandits.mplstyle"), use_default_template=False
)
# Without dates and versions a figure is written with the same bytes every time
METADATA: dict[str, Any] = {
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
    "svg": {"Date": None},
}
FORMATS = tuple(METADATA)
SCALES = ("log", "linear")  # of the axis of regret
BOUND = "bound"  # the gid of lines that have their legend below the panels
ROW = 0.2  # inches that a row of a legend is high
ROWS = 2  # of the upper legend that figures have room for; they grow by those above
LONG = 1e9  # horizon above which the axis of time is logarithmic

Styles = dict[str, dict[str, Any]]  # matplotlib's properties of each line, by its label
styled = matplotlib.rc_context(STYLE)  # a decorator of functions that make a figure


class Chart(Figure):
    """A figure that Jupyter displays although it was made without pyplot."""

    def _repr_png_(self) -> bytes:
        return rendered(self, "png")


def rendered(figure: Figure, suffix: str) -> bytes:
    """The contents of the file of a figure, in one of FORMATS."""
    buffer = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(buffer, format=suffix, metadata=METADATA[suffix])
    return buffer.getvalue()


def save(figure: Figure, stem: Path, formats: Sequence[str] = ("pdf", "png")) -> list[Path]:
    """Write a figure in some of FORMATS, and return the paths of the files."""
    paths = [stem.with_name(f"{stem.name}.{suffix}") for suffix in formats]
    for path, suffix in zip(paths, formats, strict=True):
        write_atomically(path, rendered(figure, suffix))
    return paths


def rescale(figure: Figure, scale: str) -> None:
    """Make the axes of regret ``log`` or ``linear``."""
    for ax in figure.axes:
        ax.set_yscale(scale)
        if scale == "linear":
            ax.set_ylim(bottom=0)
            ax.yaxis.set_major_formatter(EngFormatter(sep=""))


def styles_of(table: pd.DataFrame) -> Styles:
    """A colour and a dash for each line of a labelled table, the same in every panel.

    They are those that the algorithm declares, the same in all figures; any other algorithm gets
    what is left. Several lines of one algorithm are shades of its colour, with different dashes;
    the lightest is without privacy.
    """
    lines = table.groupby("rule" if "rule" in table.columns else "algo", sort=False)["line"]
    looks = looks_of({str(name): list(rows.unique()) for name, rows in lines})
    return {label: {"color": colour, "linestyle": dash} for _, label, colour, dash in looks}


def looks_of(labels: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str, Any]]:
    """The algorithm, label, colour and dash of each line, from the labels of each algorithm."""
    declared, patterns = {name: line_of(name) for name in labels}, list(DASHES.values())
    looks = ((colour, dash) for dash, colour in product(DASHES, PALETTE))
    left = cycle([look for look in looks if look not in declared.values()])
    for name, own in labels.items():
        colour, dash = declared[name] or next(left)
        first = list(DASHES).index(dash)
        dark = sorted(own, key=lambda label: not label.endswith(WITHOUT))
        for i, label in enumerate(own):
            pattern = patterns[(first + i) % len(patterns)]
            yield name, label, shade(PALETTE[colour], dark.index(label), len(own)), pattern


def shade(colour: str, i: int, n: int) -> str:
    """The ``i``-th of ``n`` shades of a colour, from light to the colour itself."""
    white = LIGHTEST * (n - 1 - i) / (n - 1) if n > 1 else 0.0
    red, green, blue = ((1 - white) * x + white for x in to_rgb(colour))
    return to_hex((red, green, blue))


def finish(figure: Figure, title: str, table: pd.DataFrame, note: str) -> Figure:
    """Put the title and the legend above the panels, and below them a note and the legend of
    bounds, for which the figure grows; returns it.

    ``RUNS`` in the note is replaced by the number of runs of each setting in the table.
    """
    lines: dict[str, Any] = {}
    for ax in figure.axes:
        label_logarithms(ax)
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            lines.setdefault(label, handle)
    bounds = {x: line for x, line in lines.items() if getattr(line, "get_gid", str)() == BOUND}
    measured = {label: line for label, line in lines.items() if label not in bounds}
    rows = _rows(figure, list(measured), matplotlib.rcParams["font.size"])
    figure.set_figheight(figure.get_figheight() + ROW * max(0, rows - ROWS))
    columns = -(-len(measured) // rows)
    heading: Any = {"loc": "outside upper center", "title": title, "title_fontsize": 10}
    figure.legend(list(measured.values()), list(measured), ncols=columns, **heading)
    ends = at_end(table) if "t" in table.columns else with_words(table)
    runs = ends.groupby(settings_of(table), dropna=False)["run"].nunique()
    note = note.replace("RUNS", " to ".join(map(str, sorted({runs.min(), runs.max()}))))
    if not bounds:
        figure.supxlabel(_wrapped(note, figure), fontsize=7.5, color="#444444")
        return figure
    if any(line.get_marker() != "None" for line in bounds.values()):
        note += " Bounds: thin, in the colour of their line; black: of several lines; "
        note += "grey: slope only."
    rows = _rows(figure, list(bounds), size=8)
    columns = -(-len(bounds) // rows)
    figure.set_figheight(figure.get_figheight() + ROW * rows + 0.15)
    below: Any = {"loc": "outside lower center", "title": _wrapped(note, figure)}
    legend = figure.legend(list(bounds.values()), list(bounds), ncols=columns, fontsize=8, **below)
    legend.get_title().set(color="#444444", multialignment="center", fontsize=7.5)
    return figure


def _wrapped(note: str, figure: Figure) -> str:
    """A note with a line break after every sentence behind which no more fits into the width."""
    room = figure.get_figwidth() / 0.052  # letters
    lines = [""]
    for sentence in note.replace("\n", " ").split(". "):
        if lines[-1] and len(lines[-1]) + len(sentence) + 2 > room:
            lines[-1] += "."
            lines.append(sentence)
        else:
            lines[-1] += ("" if not lines[-1] else ". ") + sentence
    return "\n".join(lines)


def _rows(figure: Figure, labels: Sequence[str], size: float) -> int:
    """The number of rows of a legend of letters of some size, in points: as few as the width of the
    figure has room for.
    """
    texts = (line for label in labels for line in label.splitlines() if line.strip())
    widths = (TextPath((0, 0), text, size=size).get_extents().width for text in texts)
    longest = max(widths, default=0.0)
    beside = 5 * size  # a line and the gaps
    columns = max(1, int(72 * figure.get_figwidth() / (longest + beside)))
    return -(-len(labels) // columns)


def label_logarithms(ax: Axes) -> None:
    """Give a logarithmic axis that shows less than two powers of ten labels between them, too."""
    for axis, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        if axis.get_scale() != "log" or isinstance(axis.get_major_locator(), FixedLocator):
            continue
        low, high = np.log10(sorted(limits))
        if np.floor(high) - np.ceil(low) < 1:
            between = (2.0, 5.0) if high - low > 0.5 else (1.5, 2.0, 3.0, 5.0)
            axis.set_minor_locator(LogLocator(subs=between))
            axis.set_minor_formatter(FuncFormatter(_between))
            axis.set_tick_params(which="minor", labelsize=8)


def _between(x: float, _: Any) -> str:
    """A label of a logarithmic axis that is no power of ten."""
    return f"{x:g}" if 0.01 <= x < 1000 else scientific(x)
