"""Define and check the style options of ``bandit-plot`` and ``dpbandits.plot``: size, font, legend,
labels, colours and axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..contracts.display import display_name
from ..errors import BadInput, nearest, plain, similar, unknown
from ..settings.choices import plain_data
from ..validation import as_number, number_where, one_of, text, to_float, yes_no

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Widths in inches. ``column`` and ``text`` are the widths for the first venues below.
WIDTHS = {
    "column": 3.25, "text": 5.5, "icml-column": 3.25, "icml-text": 6.75, "neurips-text": 5.5,
    "iclr-text": 5.5, "aistats-column": 3.25, "aistats-text": 6.75, "aaai-column": 3.3,
    "aaai-text": 7.0, "jmlr-text": 6.0, "ieee-column": 3.5, "ieee-text": 7.16,
    "acm-column": 3.33, "acm-text": 7.0,
}  # fmt: skip
MIN_INCHES, MAX_INCHES = 1.0, 30.0
# Settings of matplotlib for each font. If a font lacks a character, the next font of the list shows
# it.
FONTS: dict[str, dict[str, Any]] = {
    "sans": {"font.family": ["DejaVu Sans"], "mathtext.fontset": "dejavusans"},
    "serif": {"font.family": ["STIXGeneral", "DejaVu Serif"], "mathtext.fontset": "stix"},
    "latex": {
        "font.family": ["cmr10", "STIXGeneral", "DejaVu Serif"],
        "mathtext.fontset": "cm",
        "axes.formatter.use_mathtext": True,
    },
}
LEGENDS = ("top", "right", "inside", "none")
SCALES = ("log", "linear")
# The palette of Okabe & Ito, for colour-blind readers, without yellow and with further colours; in
# black and white, dashes distinguish the lines
PALETTE = {
    "vermillion": "#D55E00", "blue": "#0072B2", "orange": "#E69F00", "green": "#009E73",
    "purple": "#CC79A7", "sky blue": "#56B4E9", "brown": "#7F4F24", "grey": "#5E5E5E",
    "olive": "#99BB66", "black": "#000000", "wine": "#661144", "violet": "#6A20D8",
}  # fmt: skip
# Other palettes: Paul Tol's, and shades of grey. Algorithms take their colours in order.
PALETTES: dict[str, tuple[str, ...]] = {
    "okabe-ito": tuple(PALETTE.values()),
    "tol-bright": ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377", "#BBBBBB"),
    "tol-high-contrast": ("#004488", "#DDAA33", "#BB5566", "#000000"),
    "grey": ("#000000", "#595959", "#8C8C8C", "#B5B5B5"),
}
DEFAULT = "okabe-ito"


def with_math(key: str, value: Any) -> str:
    """Check a text in which mathematics stands between dollar signs, as matplotlib reads it."""
    from matplotlib.cbook import is_math_text
    from matplotlib.mathtext import MathTextParser

    words = text(key, value)
    if is_math_text(words):
        try:
            MathTextParser("path").parse(words)
        except ValueError:
            reason = r"matplotlib cannot read the mathematics between $; \$ is a dollar sign"
            raise BadInput(f"{key}={words}: {reason}") from None
    return words


def _inches(key: str, value: Any) -> float:
    names = ", or a name such as column or text," if key == "width" else ""
    words = f"inches from {MIN_INCHES:g} to {MAX_INCHES:g}{names} are needed"
    if key == "width" and isinstance(value, str):
        if value in WIDTHS:
            return WIDTHS[value]
        near = nearest(value, WIDTHS) if value.isascii() else ""
        words += f"; {near}" * bool(near)
    if isinstance(value, str) and not value.replace(".", "").isdecimal():
        raise BadInput(f"{key}={plain(value)}: {words}")
    return number_where(key, value, lambda x: MIN_INCHES <= x <= MAX_INCHES, words)


def _dpi(key: str, value: Any) -> float:
    words = "dots per inch from 10 to 2400 are needed"
    return number_where(key, value, lambda x: 10 <= x <= 2400, words)


def _font(key: str, value: Any) -> str:
    name = text(key, value)
    if name in FONTS:
        return name
    if name.isalpha() and name.islower() and similar(name, FONTS):  # no installed font, but a typo
        raise unknown(key, name, FONTS)
    from matplotlib.font_manager import fontManager

    installed = fontManager.get_font_names()
    if name not in installed:
        raise unknown(key, name, [*FONTS, *installed])
    return name


def _two(key: str, value: Any, needed: str) -> list[Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise BadInput(f"{key}={plain(value)}: {needed}")
    return value


def _pair(key: str, value: Any) -> tuple[float, float]:
    two = _two(key, value, "two numbers are needed, such as [1,100]")
    low, high = (as_number(key, x) for x in two)
    if not -np.inf < low < high < np.inf:
        raise BadInput(f"{key}={plain(value)}: the first number must be below the second")
    return low, high


def _budgets(key: str, value: Any) -> tuple[float, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(np.inf if to_float(x) == np.inf else as_number(key, x) for x in values)


def _names(key: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):  # names may be text with commas
        value = [x.strip() for x in value.split(",")]
    if not isinstance(value, list) or not value or not all(isinstance(x, str) for x in value):
        raise BadInput(f"{key}={plain(value)}: a list of names is needed, such as [dp_se,ucb]")
    if len(set(value)) < len(value):
        raise BadInput(f"{key}={plain(value)}: a name is given twice; each name is allowed once")
    return tuple(value)


def _by_name(
    check: Callable[[str, Any], str], needed: str, key: str, value: Any
) -> Mapping[str, str]:
    if not isinstance(value, dict) or not value:
        raise BadInput(f"{key}={plain(value)}: {needed}")
    return {name: check(f"{key}.{name}", x) for name, x in value.items()}


def _palette(key: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        if value not in PALETTES:
            raise unknown(key, value, PALETTES)
        return PALETTES[value]
    from matplotlib.colors import CSS4_COLORS, is_color_like, to_hex

    colours = _names(key, value)
    for colour in colours:
        if not is_color_like(colour):
            near = similar(colour, [*CSS4_COLORS, *(PALETTE if key != "palette" else ())])
            hint = f"did you mean {near}?" if near else "write '#0072B2' or blue"
            raise BadInput(f"{key}={plain(value)}: {colour} is no colour; {hint}")
    return tuple(map(to_hex, colours))


def _colour(key: str, value: Any) -> str:
    name = text(key, value)
    return _palette(key, [PALETTE.get(name, name)])[0]


def _option(check: Callable[[str, Any], Any], default: Any = None) -> Any:
    """Return a field of FigureOptions. The function ``check`` gets the name and a value of the
    field, and returns the checked value.
    """
    return field(default_factory=lambda: default, metadata={"check": check})


@dataclass(frozen=True)
class FigureOptions:
    """The style of a figure; ``parse`` makes it. If an option is None, its value is chosen to suit
    the figure.
    """

    width: float | None = _option(_inches)
    height: float | None = _option(_inches)
    dpi: float | None = _option(_dpi)  # dots per inch of a PNG
    ylim: tuple[float, float] | None = _option(_pair)  # the range of the axis of regret
    eps: tuple[float, ...] = _option(_budgets, ())  # the budgets that are drawn; all if empty
    env: tuple[str, ...] = _option(_names, ())  # the environments that are drawn; all if empty
    font: str = _option(_font, "sans")  # a key of FONTS, or the name of an installed font
    title: str | None = _option(with_math)
    note: bool = _option(yes_no, True)  # whether the note below the panels is printed
    legend: str | None = _option(partial(one_of, LEGENDS))  # None: top, or inside the user's axes
    labels: Mapping[str, str] = _option(  # labels by the names of algorithms or lines
        partial(_by_name, with_math, "labels are needed, such as {dp_se: DP-SE}"), {}
    )
    only: tuple[str, ...] = _option(_names, ())  # the algorithms that are drawn; all if empty
    order: tuple[str, ...] = _option(_names, ())  # the first algorithms of the legend
    highlight: tuple[str, ...] = _option(_names, ())  # the algorithms in colour; others are grey
    xscale: str | None = _option(partial(one_of, SCALES))
    yscale: str | None = _option(partial(one_of, SCALES))
    palette: tuple[str, ...] = _option(_palette, PALETTES[DEFAULT])
    colors: Mapping[str, str] = _option(  # colours by the names of algorithms
        partial(_by_name, _colour, "colours are needed, such as {dp_se: blue}"), {}
    )
    ax: Axes | None = None  # the user's axes, in which the only panel is drawn
    command: str = ""  # the command that draws the figure; its files contain it
    in_pyplot: bool = False  # whether the figure is pyplot's current one, if pyplot is in use

    @classmethod
    def parse(cls, given: Mapping[str, Any], ax: Any = None, command: str = "") -> FigureOptions:
        """Return the style options among the given arguments. The value None stands for the
        default.

        Raises:
            BadInput: the value of an option is not allowed.
        """
        found = {}
        if given.get("figsize") is not None:
            if both := [key for key in ("width", "height") if given.get(key) is not None]:
                words = f"figsize contains the {both[0]}; leave {both[0]} or figsize out"
                raise BadInput(f"figsize={plain(given['figsize'])}: {words}")
            size = plain_data("figsize", given["figsize"])
            width, height = _two(
                "figsize", size, "two lengths in inches are needed, such as [5.5,3]"
            )
            given = {**given, "width": width, "height": height}
        for option in fields(cls):
            key, check = option.name, option.metadata.get("check")
            if check is not None and given.get(key) is not None:
                found[key] = check(key, plain_data(key, given[key]))
        if ax is not None:
            from matplotlib.axes import Axes

            for key in ("width", "height", "dpi"):
                if key in found:
                    raise BadInput(f"{key}={plain(given[key])}: the figure of ax has its own size")
            if not isinstance(ax, Axes):
                raise BadInput(f"ax={plain(ax)}: axes of matplotlib are needed, such as plt.gca()")
            found["ax"] = ax
        return cls(**found, command=command)

    def numbers(self, names: Sequence[str]) -> np.ndarray:
        """Return the positions in ``names`` of the algorithms that are drawn, in the legend's
        order.

        Raises:
            BadInput: an option names an unknown algorithm, ``highlight`` names an algorithm that
                ``only`` leaves out, or two algorithms have the same label.
        """
        known = list(dict.fromkeys(names))
        for key in ("only", "order", "highlight", "colors"):
            taken = [x for x in known if key != "highlight" or not self.only or x in self.only]
            for name in getattr(self, key):
                if name not in taken:
                    raise unknown(f"algorithm in {key}:", name, taken)
        first = list(dict.fromkeys([*self.order, *known]))
        drawn = [i for i, name in enumerate(names) if not self.only or name in self.only]
        if self.order:
            drawn.sort(key=lambda i: first.index(names[i]))
        shown: dict[str, str] = {}
        for name in (names[i] for i in drawn):
            label = self.labels.get(name, display_name(name))
            if (other := shown.setdefault(label, name)) != name:
                same = f"{other} and {name} have the same label, {label}"
                raise BadInput(f"{same}; choose labels={{{name}: TEXT}}")
        return np.array(drawn)

    def rc(self) -> dict[Any, Any]:
        """Return the settings of matplotlib for the font."""
        named = {"font.family": [self.font, "DejaVu Sans"], "mathtext.fontset": "stix"}
        return {**FONTS.get(self.font, named), "axes.unicode_minus": self.font != "latex"}

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Draw figures with these options while the context is open."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


PLAIN = FigureOptions()
_current: ContextVar[FigureOptions] = ContextVar("options", default=PLAIN)
KEYS = (*(x.name for x in fields(FigureOptions) if "check" in x.metadata), "figsize")


def current() -> FigureOptions:
    """Return the options of the figure that is being drawn."""
    return _current.get()
