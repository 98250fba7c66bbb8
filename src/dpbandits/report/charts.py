"""The charts of the page. One Vega-Lite specification draws the points of one frame.

The specification contains the data as CSV. Controls, legend and tooltips are elements of Vega-Lite.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from ..figures.style import styles_of

NUMBERS = ["x", "y", "low", "high"]
COLUMNS = ["view", "place", "line", "bound", *NUMBERS]
CONFIG: dict[str, Any] = json.loads(Path(__file__).with_name("vega.json").read_text())
BESIDE = " | "  # separates the panel and the level in the name of a place
AXIS = {"labelExpr": "datum.label && format(datum.value, datum.value < 1e3 ? '.3~g' : '.3~s')"}
PLACES = f"[place, split(place, '{BESIDE}')[0]]"  # the place that is chosen, and its panel
SHOWN = f"indexof({PLACES}, datum.place) >= 0 && (bounds || !datum.bound)"
INTERVAL = "datum.high ? format(datum.low, ',.4~g') + ' to ' + format(datum.high, ',.4~g') : ''"
# The lower end of a drawn band: at most a factor of 10 below its line, since the axis may be
# logarithmic
BOTTOM = "isValid(datum.low) ? max(datum.low, datum.y / 10) : null"
Chart = dict[str, Any]


def chart_of(points: pd.DataFrame, lines: pd.DataFrame, views: Mapping[str, Chart]) -> Chart | None:
    """Return the charts of a frame of points, beside each other, with a common legend and controls.

    The result is None if there are no points.

    Args:
        points: a row for each point, with the COLUMNS. ``view`` is the title of its chart, and
            ``place`` is the place at which the point is shown (if the place is only a panel, the
            point is shown at all levels of this panel). ``line`` is the label of the line, and
            ``bound`` is the label of a bound, or empty for measured points. ``x`` and ``y`` are the
            position, and ``low`` and ``high`` are the ends of the band.
        lines: the ``line`` of each setting, and its ``algo``. The algorithm determines the colour
            and the dash of the line.
        views: for each possible view, its axes ``x`` and ``y`` (logarithmic by default), and
            ``steps`` if its lines are step functions.
    """
    if points.empty:
        return None
    looks = styles_of(lines[["line", "algo"]])
    dashes = [x["linestyle"] for x in looks.values()]
    patterns = [[1, 0] if dash == "-" else [2 * x for x in dash[1]] for dash in dashes]
    names = points["place"].unique()
    places = [x for x in names if not any(y.startswith(x + BESIDE) for y in names)]
    of_place = points.groupby("place")["line"].agg(set)
    shown = {x: of_place[x] | of_place.get(x.split(BESIDE)[0], set()) for x in places}
    in_order = {place: [x for x in looks if x in some] for place, some in shown.items()}
    there_are: Chart = {"name": "legend", "expr": f"({json.dumps(in_order)})[place]"}
    legend = {"symbolOpacity": 1, "values": {"expr": "legend"}}
    line = {"field": "line", "type": "nominal", "title": None, "legend": legend}
    colours = [look["color"] for look in looks.values()]
    color = line | {"scale": {"domain": list(looks), "range": colours}}
    dashed = line | {"scale": {"domain": list(looks), "range": patterns}}
    thin = {"condition": {"test": "datum.bound", "value": 1}, "value": 2}
    tips = [{"field": "x", "format": ",.4~g"}, {"field": "y", "format": ",.4~g"}]
    band = {
        "mark": {"type": "area", "opacity": 0.2},
        "encoding": {"y": {"field": "bottom"}, "y2": {"field": "high"}, "fill": color},
    }
    middle: Chart = {
        "mark": {"type": "line", "point": {"size": 20}, "tooltip": True},
        "encoding": {
            "color": color, "strokeDash": dashed, "strokeWidth": thin, "detail": {"field": "bound"},
            "order": {"value": None},  # the order of the data; Vega-Lite's mixes points of equal x
            "tooltip": [{"field": "line"}, {"field": "bound"}, *tips, {"field": "95 %"}],
        },
    }  # fmt: skip
    choose = {"name": "lines", "select": {"type": "point", "fields": ["line"]}, "bind": "legend"}
    log = {"type": "quantitative", "scale": {"type": "log", "nice": False}, "axis": AXIS}
    added = [{"calculate": INTERVAL, "as": "95 %"}, {"calculate": BOTTOM, "as": "bottom"}]
    there = [title for title in views if title in set(points["view"])]
    by_line = points.assign(number=pd.factorize(points["line"])[0])
    ordered = by_line.sort_values(["number", "x", "y"], ascending=[True, True, False])  # ties fall
    data = {title: ordered[ordered["view"] == title][COLUMNS[1:]] for title in there}
    form = {"type": "csv", "parse": dict.fromkeys(NUMBERS, "number")}
    concat = [
        {
            "title": title,
            "data": {"values": own.to_csv(index=False, float_format="%.4g"), "format": form},
            "transform": [{"filter": SHOWN}, {"filter": {"param": "lines"}}, *added],
            "encoding": {c: log | {"field": c} | views[title][c] for c in ("x", "y")},
            "layer": [
                band,
                middle
                | {"mark": middle["mark"] | views[title].get("steps", {})}
                | ({"params": [choose]} if title == there[0] else {}),
            ],
        }
        for title, own in data.items()
    ]
    place: Chart = {"name": "place", "value": places[0]}
    if len(places) > 1:
        place["bind"] = {"input": "select", "name": "Setting", "options": places}
    bounds: Chart = {"name": "bounds", "value": False}
    if points["bound"].any():
        bounds["bind"] = {"input": "checkbox", "name": "Bounds"}
    return {"params": [place, bounds, there_are], "concat": concat, "config": CONFIG}


@cache  # since it takes seconds
def engine() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script that makes no network requests."""
    import vl_convert

    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return script.replace("</script", "<\\/script")
