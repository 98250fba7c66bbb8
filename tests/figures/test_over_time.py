"""Curves over time and at the horizon: their axes, and where they begin and end."""

import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from dpbandits.figures.final_regret import exceedance, order, regret_vs, tail_scale
from dpbandits.figures.layout import Panel
from dpbandits.figures.regret_vs_time import (
    _begin,
    _differences,
    _shared_time,
    _without_gaps,
    has_log_time,
    regret_vs_time,
)

STYLES = {name: {"color": "#0072b2", "linestyle": "-"} for name in "ab"}
T = 10_000


def curves(mean=lambda t: t**0.5, points=50, names="a", first=1):
    """Curves of some lines until round T."""
    t = np.unique(np.geomspace(first, T, points).round())
    return pd.concat(
        pd.DataFrame({"line": name, "setting": name, "t": t, "middle": mean(t), "horizon": T})
        for name in names
    ).assign(
        mean=lambda rows: rows["middle"] * 1.1,
        low=lambda rows: rows["middle"] * 0.9,
        high=lambda rows: rows["middle"] * 1.1,
    )


def drawn(rows, **given):
    ax = Figure().add_subplot()
    regret_vs_time(ax, rows, STYLES, **({"band": "ci", "scale": "log"} | given))
    return ax


def shape(early):
    return lambda t: np.where(t <= 0.02 * T, early, 1.0)


@pytest.mark.parametrize(
    ("early", "horizon", "time", "is_log"),
    [
        ([0.51], T, None, True),
        ([0.49], T, None, False),
        ([0.51, 0.49], T, None, True),
        ([0.51, 0.49, 0.49], T, None, False),
        ([0.0], 1e9, None, False),
        ([0.0], 1.1e9, None, True),
        ([0.0], T, "log", True),
        ([0.51], T, "linear", False),
    ],
)
def test_time_is_logarithmic_if_half_of_the_curves_are_half_done_early(
    early, horizon, time, is_log
):
    rows = [curves(shape(x)).assign(line=f"{i}") for i, x in enumerate(early)]
    scaled = pd.concat(rows).assign(horizon=horizon, t=lambda own: own["t"] * horizon / T)
    assert has_log_time(scaled, time) == is_log


@pytest.mark.parametrize("log_time", [True, False])
@pytest.mark.parametrize("scale", ["log", "linear"])
def test_axes_begin_and_end_with_the_curves(scale, log_time):
    """On a logarithmic axis, the first rounds are left out, which would take most of it."""
    ax = drawn(curves(), scale=scale, log_time=log_time)
    (line,) = ax.get_lines()
    assert ax.get_xlim() == ((0.001 * T if log_time else 0), T)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log" if log_time else "linear", scale)
    bottom, top = ax.get_ylim()
    assert (bottom == 0) == (scale == "linear") and 110 < top < 250
    first = line.get_xdata()[0]
    assert first == 1 if scale == "linear" else (0.001 if log_time else 0.01) * T <= first < 300
    if scale == "log":
        assert 0.05 < bottom < line.get_ydata()[0]


def test_curves_of_few_points_show_all_of_them():
    """Also on a logarithmic axis, except zeros; their points have marks."""
    for points in (5, 10):
        few = drawn(curves(lambda t: np.where(t > 1, 5.0, 0.0), points=points)).get_lines()[0]
        assert few.get_marker() == "o" and len(few.get_xdata()) == points - 1
    assert drawn(curves(points=20)).get_lines()[0].get_marker() == "None"


def test_medians_have_marks_of_the_means_beside_them():
    """About a dozen, however many points the curve has."""
    for points in (8, 40, 100):
        rows = curves(points=points)
        line, means = drawn(rows, band="quantiles", scale="linear").get_lines()
        assert len(means.get_xdata()) in range(min(points, 8), 26)
        assert means.get_ydata() == pytest.approx(means.get_xdata() ** 0.5 * 1.1)
        assert means.get_linestyle() == "None" and line.get_linestyle() == "-"


@pytest.mark.parametrize(("value", "lowest"), [(90.0, 10.0), (1.0, 1.0), (1e-9, 0.1)])
def test_a_logarithmic_axis_shows_lower_bounds_within_two_powers_of_ten(value, lowest):
    """What a bound is early does not count. The line begins at 10."""
    rows = {"line": "a", "label": "x", "kind": "exact", "side": "lower", "mark": "v"}
    at = {1.0: value / 1000, T / 2: value, T: value}
    bounds = pd.DataFrame([{**rows, "x": x, "value": y} for x, y in at.items()])
    assert drawn(curves()).get_ylim()[0] == pytest.approx(10.0 / 1.5, rel=0.1)
    assert drawn(curves(), bounds=bounds).get_ylim()[0] == pytest.approx(lowest / 1.5, rel=0.1)


@pytest.mark.parametrize(
    ("values", "bottom", "limits"),
    [
        ([3.0, 9.0], 0.0, (0.0, 9.0)),
        ([-3.0, 9.0], 0.0, (-3.0, 9.0)),
        ([3.0, 9.0], 2.5, (2.0, 9.0)),
        ([3.0, 9.0], 1.0, (1.0, 9.0)),
        ([0.0, 0.0], 0.0, (-0.05, 1.0)),
    ],
)
def test_the_axis_of_regret_begins_at_or_below_all_lines(values, bottom, limits):
    """Of all panels that share it."""
    first, second = Figure().subplots(1, 2, sharey=True)
    second.plot([1, 2], values)
    first.plot([1, 2], [values[1]] * 2)
    _begin(first, bottom)
    assert first.get_ylim() == pytest.approx(limits, abs=0.7)
    assert first.get_ylim()[0] <= limits[0] and first.get_ylim()[1] >= limits[1]


A, B, C = Panel("a", 10), Panel("b", 10), Panel("c", 20)


@pytest.mark.parametrize(
    ("places", "columns", "tails", "shared"),
    [
        ([A, B], 2, False, "all"),
        ([A, B], 1, False, "all"),
        ([A, None, B], 2, False, "all"),
        ([A, C], 1, False, "row"),
        ([A, C], 2, False, False),
        ([A, B], 2, True, "row"),
    ],
)
def test_panels_of_one_horizon_share_the_axis_of_time(places, columns, tails, shared):
    assert _shared_time(places, columns, tails) == shared


@pytest.mark.parametrize(
    ("grid", "found"),
    [
        ([[A, A], [B, B]], ([A, A, B, B], 2)),
        ([[A, A], [B, None]], ([A, A, B, None], 2)),
        ([[A, A, A], [B, None, None]], ([A, A, A, B], 2)),
        ([[A, A, A, A], [B, None, None, None]], ([A, A, A, A, B], 3)),
        ([[A, None], [B, None], [C, None]], ([A, B, C], 2)),
    ],
)
def test_panels_are_put_in_sequence_if_this_leaves_fewer_gaps(grid, found):
    assert _without_gaps(grid) == found


def test_the_title_of_a_panel_names_the_values_in_which_it_differs():
    rows = pd.DataFrame(
        {"horizon": [100, 10_000], "alpha": [1.0, 2.0], "beta": [3.0, 3.0], "c": [1.0, math.nan]}
    )
    varied = ["alpha", "beta", "c"]
    assert _differences(rows, rows[:1], varied) == "\n$T$ = 100, $\\alpha$ = 1"
    assert _differences(rows[:1], rows[:1], varied) == ""


@pytest.mark.parametrize("stretches", [True, False])
def test_a_slope_has_its_height_at_the_last_point(stretches):
    ax = Figure().add_subplot()
    ax.plot([1.0, 2.0], [10.0, 20.0])
    order(ax, np.array([1.0, 2.0]), np.array([1.0, 4.0]), 100.0, "slope", stretches)
    assert ax.get_lines()[1].get_ydata().tolist() == [25.0, 100.0]
    assert (ax.get_ylim()[1] > 100) == stretches


def ends(values, column=1.0, line="a"):
    rows = {"line": line, "setting": line, "value": values, "horizon": T, "eps": column}
    return pd.DataFrame(rows)


def test_a_tail_is_the_share_of_runs_with_more_regret():
    ax = Figure().add_subplot()
    exceedance(ax, pd.concat([ends([8.0, 2.0, 4.0, 2.0]), ends([5.0], line="b")]), STYLES)
    tail, single = ax.get_lines()
    steps = [*zip(*tail.get_data(), strict=True)]
    for x, share in ((1.0, 1.0), (3.0, 0.5), (7.0, 0.25)):
        assert next(y for at, y in steps if at > x) == share
    assert steps[-1] == (8.0, 0.0)
    assert (tail.get_marker(), single.get_marker()) == ("None", "o")
    assert tail_scale(ends([0.0, 1.0])) == "log" and tail_scale(ends([0.0, 0.0])) == "linear"


@pytest.mark.parametrize("scale", ["log", "linear"])
@pytest.mark.parametrize("band", ["std", "quantiles", None])
def test_a_line_without_a_budget_crosses_the_panel_with_its_band(scale, band):
    """On a logarithmic axis, the band ends above zero. Other lines have points."""
    free = ends([1.0, 2.0, 30.0], np.inf, "b")
    private = pd.concat(ends([5.0, 7.0, 9.0], x) for x in (0.1, 1.0))
    ax = Figure().add_subplot()
    regret_vs(ax, pd.concat([private, free]), "eps", STYLES, band, scale)
    lines = [x for x in ax.get_lines() if x.get_linestyle() != "None"]
    level = 2.0 if band == "quantiles" else 11.0
    assert list(lines[0].get_xdata()) == [0.1, 1.0] and list(lines[0].get_ydata()) == [7.0, 7.0]
    assert list(lines[1].get_ydata()) == [level] * 2 and ax.get_yscale() == scale
    assert len(ax.patches) == len(ax.collections) == (band is not None)
    if band is not None:
        low = ax.patches[0].get_y()
        assert low < level < low + ax.patches[0].get_height()
        assert low == pytest.approx(
            {"quantiles": 1.2}.get(band, 0.011 if scale == "log" else -5.46), rel=0.01
        )
    marks = [x.get_marker() for x in ax.get_lines()]
    assert marks == {"quantiles": ["None", "o", "None"]}.get(band, ["o", "None"])
