"""The charts of the page: Vega-Lite with parameters of its own, and the data in the specification.

A chart is a dict. The parameters ``panel``, ``level``, ``band`` and ``bounds`` have controls, and
``lines`` is chosen in the legend; Vega-Lite does what they say, without a script of the page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import vl_convert

from .study import MEASURED

BUTTONS = 8  # values of a parameter that are buttons; more are a list
SLOPE = "#888888"  # of bounds without a constant
BANDS = {"95 % interval": ("low", "high"), "10 to 90 %": ("q10", "q90"), "none": None}
DASHES = {"exact": [1, 0], "asymptotic": [6, 2, 1, 2], "worst case": [1, 3], "slope": [4, 3]}
CONFIG: dict[str, Any] = json.loads(Path(__file__).with_name("vega.json").read_text())
HERE = "datum.panel == panel && (!isValid(datum.level) || datum.level == level)"
ANYWHERE = "datum.panel == panel"
AXIS = {  # labels of a logarithmic axis where Vega has them, in few characters
    "labelExpr": "datum.label == '' ? '' :"
    " format(datum.value, datum.value < 1000 ? '.3~g' : '.3~s')"
}
LABELS = 110  # pixels of the names of algorithms beside the map; page.js subtracts them
TIPS = {
    "mean": "mean", "low": "95 % from", "high": "95 % to", "median": "median",
    "q10": "10 % quantile", "q90": "90 % quantile",
}  # fmt: skip
Chart = dict[str, Any]


def series(rows: pd.DataFrame, by: Sequence[str], columns: Sequence[str]) -> list[Chart]:
    """The rows of each curve as one: its own values ``by``, and its points in lists of numbers."""
    found = []
    for key, curve in rows.groupby(list(by), sort=False, dropna=False):
        about = {name: None if x != x else x for name, x in zip(by, key, strict=True)}  # NaN
        found.append(about | {name: [_short(x) for x in curve[name]] for name in columns})
    return found


def _short(x: float) -> float | int | None:
    """A number of few digits, for JSON."""
    if not np.isfinite(x):
        return None
    short = float(f"{x:.4g}") if x != int(x) else float(f"{x:.7g}")
    return int(short) if short == int(short) else short


def choice(
    name: str, label: str, options: Sequence[Any], usual: Any, shown: Sequence[str]
) -> Chart:
    """A parameter of a chart; with a control that has a label if there are several values."""
    made: Chart = {"name": name, "value": usual}
    if len(options) > 1:
        kind = "radio" if len(options) <= BUTTONS and max(map(len, shown)) < 20 else "select"
        made["bind"] = {
            "input": kind, "name": label, "options": list(options), "labels": list(shown),
        }  # fmt: skip
    return made


def switch(name: str, label: str, shown: bool) -> Chart:
    """A parameter of a chart that is false at first; with a control if it is shown."""
    return {"name": name, "value": False} | (
        {"bind": {"input": "checkbox", "name": label}} if shown else {}
    )


def axis(field: str, title: str, scale: str) -> Chart:
    """A channel of position with a logarithmic or linear scale."""
    kinds = {"log": {"type": "log", "nice": False}, "linear": {"type": "linear", "zero": True}}
    return {
        "field": field, "type": "quantitative", "title": title, "scale": kinds[scale],
        "axis": AXIS if scale == "log" else {},
    }  # fmt: skip


def looks(lines: Mapping[str, tuple[str, Sequence[float]]]) -> Chart:
    """The channels that tell lines apart, by their labels: ``color`` and ``strokeDash`` of lines,
    ``fill`` of bands and points, ``stroke`` of bounds. They have one legend.
    """
    field = {"field": "line", "type": "nominal", "title": None, "legend": {"symbolOpacity": 1}}
    colours = [colour for colour, _ in lines.values()]
    dashes = [list(dash) or [1, 0] for _, dash in lines.values()]
    ranges = {"color": colours, "strokeDash": dashes, "fill": colours, "stroke": colours}
    return {
        channel: {**field, "scale": {"domain": list(lines), "range": values}}
        for channel, values in ranges.items()
    }


def curve_view(
    data: list[Chart], x: str, titles: tuple[str, str], look: Chart, scales: tuple[str, str],
    here: str, bounds: list[Chart],
) -> Chart:  # fmt: skip
    """Means with bands against time or a value, whose means are marked by points."""
    across, up = axis(x, titles[0], scales[0]), axis("middle", titles[1], scales[1])
    ends = [
        " : ".join(
            f"band == '{name}' && isValid(datum.{pair[side]}) ? datum.{pair[side]}"
            for name, pair in BANDS.items()
            if pair is not None
        )
        + " : datum.mean"
        for side in (0, 1)
    ]
    tips = [{"field": "line", "title": "line"}, {"field": x, "title": titles[0], "format": ",.4~g"}]
    tips += [{"field": f, "title": name, "format": ",.4~g"} for f, name in TIPS.items()]
    dots = {"type": "point", "filled": True, "size": 45, "opacity": float(x == "x")}
    layers: list[Chart] = [
        {
            "mark": {"type": "area", "opacity": 0.2},
            "encoding": {
                "x": across, "y": up | {"field": "bottom"}, "y2": {"field": "top"},
                "fill": look["fill"],
            },
        },
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                "x": across, "y": up, "color": look["color"], "strokeDash": look["strokeDash"],
            },
        },
        {
            "mark": dots | {"tooltip": True},
            "encoding": {
                "x": across, "y": up, "fill": look["fill"], "tooltip": tips,
            },
        },
    ]  # fmt: skip
    view = {
        "data": {"values": data},
        "transform": [
            {"flatten": [x, *MEASURED]},
            {"filter": f"{here} && datum.mean > 0 && datum.{x} > 0"},
            {"filter": {"param": "lines"}},
            {
                "calculate": "band == '10 to 90 %' && isValid(datum.median) ? datum.median"
                " : datum.mean",
                "as": "middle",
            },
            {"calculate": f"max({ends[0]}, datum.mean / 1000)", "as": "bottom"},
            {"calculate": ends[1], "as": "top"},
        ],
        "layer": layers,
    }  # fmt: skip
    if bounds:
        layers.append(_bounds(bounds, across | {"field": "x"}, up | {"field": "value"}, look, here))
    return view


def _bounds(data: list[Chart], x: Chart, y: Chart, look: Chart, here: str) -> Chart:
    """The layer of bounds: thin, dashed by their kind, grey if only their slope is known."""
    dashes = [{"test": f"datum.kind == '{kind}'", "value": d} for kind, d in DASHES.items()]
    common = [
        {"test": "datum.kind == 'slope'", "value": SLOPE},
        {"test": "datum.line == ''", "value": "#000000"},
    ]
    return {
        "data": {"values": data},
        "transform": [{"filter": f"bounds && {here}"}, {"flatten": ["x", "value"]}],
        "mark": {"type": "line", "strokeWidth": 1.2, "tooltip": True},
        "encoding": {
            "x": x, "y": y, "detail": {"field": "line"},
            "stroke": look["stroke"] | {"condition": common},
            "strokeDash": {"condition": dashes, "value": [1, 0]},
            "tooltip": [{"field": "label", "title": "bound"}],
        },
    }  # fmt: skip


def tail_view(data: list[Chart], title: str, look: Chart) -> Chart:
    """The share of runs above x."""
    return {
        "data": {"values": data},
        "transform": [
            {"flatten": ["x", "p"]},
            {"filter": f"{HERE} && datum.x > 0"},
            {"filter": {"param": "lines"}},
        ],
        "layer": [
            {
                "mark": {
                    "type": "line", "strokeWidth": 2, "interpolate": "step-before", "tooltip": True,
                },
                "encoding": {
                    "x": axis("x", title, "log"), "y": axis("p", "share of runs above", "log"),
                    "color": look["color"], "strokeDash": look["strokeDash"],
                    "tooltip": [{"field": "line", "title": "line"}],
                },
            },
        ],
    }  # fmt: skip


def said_where(missing: Sequence[tuple[str, float]]) -> Chart:
    """A layer that is a sentence at those panels and levels that have no runs."""
    return {
        "data": {"values": [{"panel": panel, "level": level} for panel, level in missing]},
        "transform": [{"filter": "datum.panel == panel && datum.level == level"}],
        "mark": {"type": "text", "align": "left", "text": "no runs with these values"},
        "encoding": {"x": {"value": 20}, "y": {"value": 30}},
    }


def beside(views: Mapping[str, Chart], params: Sequence[Chart]) -> Chart:
    """Views by their titles beside each other, with their parameters. The first has the legend in
    which ``lines`` are chosen.
    """
    found = [view | {"title": title} for title, view in views.items()]
    chosen = {"name": "lines", "select": {"type": "point", "fields": ["line"]}, "bind": "legend"}
    lines = next(x for x in found[0]["layer"] if x["mark"]["type"] == "line")
    lines["params"] = [chosen]
    return {"params": list(params), "concat": found, "config": CONFIG}


def map_chart(cells: pd.DataFrame, names: Sequence[str], game: str) -> Chart:
    """Regret over the best lower bound: an algorithm a row, a budget a column, a game at a time."""
    games = sorted(cells["game"].unique())
    tips = {"algo": "algorithm", "x": "budget", "ratio": "regret / lower bound"}
    tips |= {"settings": "settings"}
    plain = {"domain": False, "ticks": False}
    fill = {
        "field": "ratio", "type": "quantitative", "legend": None,
        "scale": {
            "type": "log", "domain": [1, 1000], "clamp": True, "interpolate": "rgb",
            "range": ["#e8f3e8", "#fdd49e", "#a51d1d"],
        },
    }  # fmt: skip
    ink = {"condition": {"test": "datum.ratio > 400", "value": "#fffffe"}, "value": "#010101"}
    columns = ["game", "algo", "x", "ratio", "settings"]
    values = [
        {k: x if isinstance(x, str) else _short(x) for k, x in row.items()}
        for row in cells[columns].to_dict("records")
    ]
    digits = "datum.ratio < 9.95 ? '.1f' : datum.ratio < 9999 ? '.0f' : '.0e'"
    return {
        "data": {"values": values},
        "params": [choice("game", "Environment and horizon", games, game, games)],
        "transform": [
            {"filter": "datum.game == game"},
            {"calculate": f"format(datum.ratio, {digits})", "as": "text"},
        ],
        "encoding": {
            "x": {"field": "x", "type": "ordinal", "title": "privacy budget",
                  "axis": plain | {"labelAngle": 0}},
            "y": {"field": "algo", "type": "nominal", "title": None, "sort": list(names),
                  "axis": plain | {"labelLimit": LABELS, "minExtent": LABELS, "maxExtent": LABELS}},
            "tooltip": [{"field": f, "title": t} for f, t in tips.items()],
        },
        "layer": [
            {"mark": {"type": "rect", "stroke": "white"}, "encoding": {"color": fill}},
            {"mark": {"type": "text", "fontSize": 11},
             "encoding": {"text": {"field": "text"}, "color": ink}},
        ],
        "height": {"step": 22}, "config": CONFIG,
    }  # fmt: skip


def engine() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, without a request to any address."""
    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return script.replace("</script", "<\\/script")
