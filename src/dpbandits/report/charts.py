"""The charts of the page: Vega-Lite, made with Altair, with data of their own.

The page changes what is drawn by the parameters ``panel``, ``level``, ``band``, ``bounds`` and
``hidden`` (numbers of lines); only the scales of the axes need a new specification.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from .data import MEASURED, NO_LEVEL, PLACE, Line

ROW = 22  # pixels of a row of the map
WIDTH, HEIGHT = 400, 250  # of static pictures and of charts on screens that have the room
SLOPE = "#888888"  # of bounds without a constant
DIGITS = {"t": "%.7g", "x": "%.6g"}  # of columns of data; of others FOUR
FOUR = "%.4g"
# the columns of numbers of each kind of data, by the end of its name
COLUMNS = {
    "curves": [*PLACE, "t", *MEASURED],
    "ends": [*PLACE, "x", *MEASURED],
    "tails": [*PLACE, "x", "p"],
    "bounds": [*PLACE, "x", "value", "label"],
    "map": ["x", "ratio", "settings"],
}
# of all charts; the figure has a name and the table has the numbers, so no marks have names
CONFIG: dict[str, Any] = json.loads(Path(__file__).with_name("vega.json").read_text())
DASH = {"exact": [1, 0], "asymptotic": [6, 2, 1, 2], "worst case": [1, 3], "slope": [4, 3]}
VALUE = (
    "datum.value == 0 ? '0' : abs(log(abs(datum.value))/LN10) >= 4 ? "
    "replace(replace(format(datum.value, '.3~e'), '+', ''), 'e0', 'e') : "
    "format(datum.value, ',.12~g')"
)
MANTISSA = "round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)) * 10)"
DECADES = "log(domain('{0}')[1] / domain('{0}')[0]) / LN10"
NUMBER = ",.4~g"
HOVER = {
    "mean": "mean", "low": "95 % from", "high": "95 % to", "median": "median",
    "q10": "10 % quantile", "q90": "90 % quantile",
}  # fmt: skip
# In static pictures: what is not seen, and attributes that the style of the page gives
USELESS = (
    r'<(?:line|path|text)\b[^>]*\bopacity="0"[^>]*/>',
    r'<path class="(?:back|fore)ground"[^>]*/>',
    r"<text\b[^>]*></text>",
    r' (?:aria-(?!hidden)\w+|role|font-family|pointer-events|stroke-miterlimit)="[^"]*"',
    r' (?:xmlns:xlink|version)="[^"]*"',
    r' (?:stroke="#(?:dddddd|767676)" stroke-width="1"|fill="#000"(?= |>)|font-size="1[12]px")',
    r' (?:opacity="1"|font-weight="normal"|[xy]2="0")',
    r' transform="translate\(0,0\)"',
)


def in_place(at: str = "") -> str:
    """The filter for the rows of the chosen panel and level whose line is not hidden."""
    level = f" && (datum.level == level || datum.level == {NO_LEVEL})" if at == "level" else ""
    return f"datum.panel == panel{level} && indexof(hidden, datum.line) < 0"


def short(x: float, digits: str) -> str:
    """A number with so many digits in few characters: 12340 and not 1.234e+04."""
    if pd.isna(x):
        return ""
    text = digits % x
    return min(text, f"{float(text):.0f}", key=len) if "e+" in text else text


def csv_text(rows: pd.DataFrame) -> str:
    """Rows as CSV with few digits."""
    numbers = [str(name) for name in rows if pd.api.types.is_float_dtype(rows[name])]
    texts = {name: [short(x, DIGITS.get(name, FOUR)) for x in rows[name]] for name in numbers}
    return rows.assign(**texts).to_csv(index=False, lineterminator="\n")


def colours(lines: Sequence[Line]) -> dict[str, Any]:
    """The colour and dash of each line, by its number."""
    numbers, shades = list(range(len(lines))), [line.colour for line in lines]
    dashes = [list(line.dash) or [1, 0] for line in lines]
    return {
        "color": alt.Color("line:N", legend=None).scale(domain=numbers, range=shades),
        "strokeDash": alt.StrokeDash("line:N", legend=None).scale(domain=numbers, range=dashes),
    }


def scale(kind: str) -> Any:
    """A logarithmic or linear scale, as fine as its data."""
    return (
        alt.Scale(type="log", nice=False) if kind == "log" else alt.Scale(type="linear", zero=True)
    )


def ticks(channel: str) -> dict[str, Any]:
    """Labels of an axis: of a logarithmic one only powers of ten, or 1, 2 and 5 times
    these, or all, by the number of decades.
    """
    log = f"log_{channel}"
    decades = DECADES.format(channel)
    few = f"!{log} || datum.value <= 0 || {decades} < 0.8 || {MANTISSA} == 10 || "
    few += f"({decades} < 2.2 && ({MANTISSA} == 20 || {MANTISSA} == 50))"
    ten = f"!{log} || {decades} < 0.8 || {MANTISSA} == 10"
    power = {"condition": {"test": ten, "value": 1}, "value": 0}
    marked = {"condition": {"test": few, "value": 1}, "value": 0}
    return {"labelExpr": f"{few} ? {VALUE} : ''", "gridOpacity": power, "tickOpacity": marked}


def named(name: str) -> Any:
    """Data that the page holds once, as CSV, under a name."""
    parse = dict.fromkeys(COLUMNS[name.rpartition("-")[2]], "number")
    return alt.NamedData(name=name, format=alt.CsvDataFormat(type="csv", parse=parse))


def curve_chart(
    data: str, x: str, titles: tuple[str, str], lines: Sequence[Line], at: str,
    scales: tuple[str, str], bounds: str | None, labels: Mapping[str, str] | None, points: bool,
) -> Any:  # fmt: skip
    """Means with bands against time or a budget.

    Args:
        data: the name of the rows.
        x: their column on the axis.
        titles: of both axes.
        at: ``level`` if the chart shows one level at a time, else empty.
        scales: of both axes, ``log`` or ``linear``.
        bounds: the name of the rows of bounds, if there are any.
        labels: the kind of each bound by its label, in the order of their numbers.
        points: whether the measured points are marked.
    """
    names = [line.label for line in lines]
    base = alt.Chart()
    # the first layer defines scales and axes, which the others share
    horizontal, vertical = alt.X(f"{x}:Q", title=titles[0]), alt.Y("middle:Q", title=titles[1])
    first = alt.X(f"{x}:Q", scale=scale(scales[0]), title=titles[0]).axis(**ticks("x"))
    upright = alt.Y("bottom:Q", scale=scale(scales[1]), title=titles[1]).axis(**ticks("y"))
    look, colour = colours(lines), alt.Color("line:N", legend=None)
    shown = {x: titles[0], **HOVER}
    tips = [alt.Tooltip("name:N", title="line")]
    tips += [alt.Tooltip(f"{c}:Q", title=title, format=NUMBER) for c, title in shown.items()]
    dots: Any = {"size": 60, "opacity": 1.0} if points else {"size": 40, "opacity": 0.0}
    layers = [
        base.mark_area(opacity=0.2).encode(x=first, y=upright, y2="top:Q", color=look["color"]),
        base.mark_line(strokeWidth=2).encode(
            x=horizontal, y=vertical, color=colour, strokeDash=look["strokeDash"]
        ),
        base.mark_circle(**dots, tooltip=True).encode(
            x=horizontal, y=vertical, color=colour, tooltip=tips
        ),
    ]
    if bounds is not None:
        layers.append(_bounds(bounds, x, at, titles, labels or {}))
    chart = alt.layer(*layers, data=named(data)).transform_filter(
        f"{in_place(at)} && datum.mean > 0 && datum.{x} > 0"
    )
    chart = chart.transform_calculate(
        middle="band == 'quantiles' && isValid(datum.median) ? datum.median : datum.mean",
        bottom="max(band == 'interval' && isValid(datum.low) ? datum.low : band == 'quantiles'"
        " && isValid(datum.q10) ? datum.q10 : datum.mean, datum.mean / 1000)",
        top="band == 'interval' && isValid(datum.high) ? datum.high : band == 'quantiles'"
        " && isValid(datum.q90) ? datum.q90 : datum.mean",
        name=f"{json.dumps(names)}[datum.line]",
    )
    return _finished(chart, at, scales)


def _bounds(data: str, x: str, at: str, titles: tuple[str, str], labels: Mapping[str, str]) -> Any:
    """The layer of bounds: thin, dashed by their kind, grey if only their slope is known."""
    axis = "t" if x == "t" else "x"
    dash = alt.StrokeDashValue(
        DASH["exact"],
        condition=[{"test": f"datum.kind == '{k}'", "value": d} for k, d in DASH.items()],
    )
    colour = alt.Color("line:N", legend=None)
    colour["condition"] = [
        {"test": "datum.kind == 'slope'", "value": SLOPE},
        {"test": f"datum.line == {NO_LEVEL}", "value": "#000000"},
    ]
    chart = alt.Chart(named(data)).mark_line(strokeWidth=1.2, tooltip=True)
    chart = chart.transform_filter(f"bounds && datum.axis == '{axis}' && {in_place(at)}")
    return chart.transform_calculate(
        name=f"{json.dumps(list(labels))}[datum.label]",
        kind=f"{json.dumps(list(labels.values()))}[datum.label]",
    ).encode(
        x=alt.X("x:Q", title=titles[0]), y=alt.Y("value:Q", title=titles[1]), detail="label:N",
        color=colour, strokeDash=dash, tooltip=[alt.Tooltip("name:N", title="bound")],
    )  # fmt: skip


def tail_chart(data: str, title: str, lines: Sequence[Line], scales: tuple[str, str]) -> Any:
    """The share of runs above x."""
    names = [line.label for line in lines]
    chart = (
        alt.Chart(named(data))
        .transform_filter(f"{in_place('level')} && datum.x > 0")
        .transform_calculate(name=f"{json.dumps(names)}[datum.line]")
        .mark_line(strokeWidth=2, interpolate="step-before", tooltip=True)
        .encode(
            x=alt.X("x:Q", scale=scale(scales[0]), title=title).axis(**ticks("x")),
            y=alt.Y("p:Q", scale=scale(scales[1]), title="share of runs above").axis(**ticks("y")),
            **colours(lines),
            tooltip=["name:N"],
        )
    )
    return _finished(alt.layer(chart), "level", scales)


def map_chart(data: str, title: str, names: Sequence[str], rows: int) -> Any:
    """Regret over the best lower bound: an algorithm a row, a budget a column.

    ``names`` are the algorithms in their order; the game that is shown first has ``rows`` of them.
    """
    digits = "datum.ratio < 9.95 ? '.1f' : datum.ratio < 9999 ? '.0f' : '.0e'"
    plain: Any = {"domain": False, "ticks": False}
    base = (
        alt.Chart(named(data))
        .transform_filter("datum.game == game")
        .transform_calculate(text=f"format(datum.ratio, {digits})")
        .encode(
            x=alt.X("x:O", title=title).axis(labelAngle=0, **plain),
            y=alt.Y("algo:N", title=None, sort=list(names)).axis(**plain, labelLimit=180),
        )
    )
    fill = alt.Color("ratio:Q", legend=None).scale(
        type="log", domain=[1, 1000], clamp=True, range=["#e8f3e8", "#fdd49e", "#a51d1d"],
        interpolate="rgb",
    )  # fmt: skip
    tips = [
        alt.Tooltip("algo:N", title="algorithm"),
        alt.Tooltip("x:Q", title=title),
        alt.Tooltip("ratio:Q", title="regret / lower bound", format=NUMBER),
        alt.Tooltip("settings:Q", title="settings"),
    ]
    cells = base.mark_rect(stroke="white", tooltip=True).encode(color=fill, tooltip=tips)
    ink = alt.condition("datum.ratio > 400", alt.value("#fffffe"), alt.value("#010101"))
    text = base.mark_text(fontSize=11, tooltip=True).encode(text="text:N", color=ink, tooltip=tips)
    chart = alt.layer(cells, text).add_params(alt.param("game", value=""))
    chart = chart.properties(width="container", height=ROW * rows)
    return chart.configure(**CONFIG)


def _finished(chart: Any, at: str, scales: tuple[str, str]) -> Any:
    log_x, log_y = (kind == "log" for kind in scales)
    usual: dict[str, Any] = {"panel": 0, "hidden": [], "log_x": log_x, "log_y": log_y}
    usual |= {"level": 0} if at == "level" else {}
    usual |= {"band": "interval", "bounds": False}
    chart = chart.add_params(*(alt.param(name, value=value) for name, value in usual.items()))
    return chart.properties(width="container", height=HEIGHT).configure(**CONFIG)


def spec_of(chart: Any, description: str) -> dict[str, Any]:
    """The specification of a chart as plain data, with a description for screen readers."""
    spec = chart.to_dict(validate=True)
    spec.pop("datasets", None)
    spec.pop("$schema", None)
    return {**spec, "description": description}


def picture(spec: dict[str, Any], data: dict[str, str], choice: dict[str, Any], prefix: str) -> str:
    """The chart as static SVG, with ``data``, CSV by its names, and some values of its parameters.

    Its identifiers begin with ``prefix``, which is unique on the page.
    """
    still = json.loads(json.dumps(spec))
    if still.get("width") == "container":
        still["width"] = WIDTH
    still["layer"] = [layer for layer in still.get("layer", []) if not _only_for_hovering(layer)]
    for part in (still, *still["layer"]):
        named = part.get("data") or {}
        if "name" in named:
            part["data"] = {"values": data[named["name"]], "format": named["format"]}
    for parameter in still.get("params", []):
        parameter["value"] = choice.get(parameter["name"], parameter["value"])
    svg = vl_convert.vegalite_to_svg(still)
    svg = re.sub(r'="[^"]*\d\.\d\d[^"]*"', lambda found: rounded(found[0]), svg)
    svg = svg.replace("<svg ", '<svg aria-hidden="true" ', 1)
    prefix = re.sub(r"[^\w-]", lambda found: f"-{ord(found[0])}-", prefix)
    svg = re.sub(r'\bid="(\w+)"', lambda found: f'id="{prefix}{found[1]}"', svg)
    svg = re.sub(r"url\(#(\w+)\)", lambda found: f"url(#{prefix}{found[1]})", svg)
    for useless in USELESS:
        svg = re.sub(useless, "", svg)
    while (fewer := re.sub(r"<g(?: class=\"[^\"]*\")?></g>", "", svg)) != svg:
        svg = fewer
    return svg


def rounded(text: str) -> str:
    """The numbers of an attribute with one digit; those in labels stay as they are."""
    return re.sub(r"-?\d+\.\d{2,}", lambda n: f"{float(n[0]):.1f}".removesuffix(".0"), text)


def _only_for_hovering(layer: dict[str, Any]) -> bool:
    mark = layer.get("mark", {})
    return isinstance(mark, dict) and mark.get("type") == "circle" and mark.get("opacity") == 0.0


def engine() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, without a request to any address."""
    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return script.replace("</script", "<\\/script")
