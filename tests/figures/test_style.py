"""The looks of lines: the same for an algorithm in all figures, different for any two in one."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from helpers import NAMES
from legends import legend_of
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from refusals import message_of

from dpbandits.figures.bands import bars, draw_band
from dpbandits.figures.colours import APART, _seen, distance
from dpbandits.figures.options import PALETTE, FigureOptions
from dpbandits.figures.style import (
    DASHES,
    FURTHER,
    SHARE,
    _beginning,
    _hidden,
    _not_shown,
    finish,
    ink,
    marker,
    rescale,
    shade,
    styles_of,
)


def looks(lines):
    """The looks of lines, given as pairs of an algorithm and a label."""
    styles = styles_of(pd.DataFrame(lines, columns=["algo", "line"]))
    return {label: (look["color"], look["linestyle"]) for label, look in styles.items()}


@pytest.mark.slow
def test_an_algorithm_looks_the_same_in_all_figures():
    """Unless another algorithm of the figure has its colour or its dash: then it has another."""
    alone = {name: looks([(name, name)])[name] for name in NAMES}
    for first, second in itertools.permutations(NAMES, 2):
        found = looks([(first, first), (second, second)])
        assert found[first] == alone[first]
        for i in (0, 1):
            assert (found[second][i] == alone[second][i]) == (alone[first][i] != alone[second][i])
    assert alone["dp_se"] == (PALETTE["blue"].lower(), "-")


def test_two_lines_of_one_dash_differ_in_grey_and_to_the_colour_blind():
    """Mutation: the dash that an algorithm declares, whatever else has the dash."""
    lines = [
        (name, f"{name} {i}") for name in ("dp_ucb", "adap_klucb", "dp_klucb") for i in (1, 2, 3)
    ]
    found = looks(lines)
    for one, other in itertools.combinations(found.values(), 2):
        assert one[1] != other[1] or distance(one[0], other[0]) >= APART


def alike(found):
    """Whether two lines have one dash, and colours that somebody cannot tell apart."""
    pairs = itertools.combinations(found.values(), 2)
    return any(a[1] == b[1] and distance(a[0], b[0]) < APART for a, b in pairs)


def test_twenty_algorithms_of_one_figure_can_be_told_apart(monkeypatch):
    """Sets drawn at random. Control: without further dashes, most sets have two alike."""
    rng = np.random.default_rng(0)
    sets = [[str(x) for x in rng.choice(NAMES, n, replace=False)] for n in 10 * [12, 16, 20]]
    found = [looks([(name, name) for name in names]) for names in sets]
    assert not any(map(alike, found))
    monkeypatch.setattr("dpbandits.figures.style.FURTHER", [])
    before = [looks([(name, name) for name in names]) for names in sets]
    assert sum(map(alike, before)) > 10
    same = [(new, old) for new, old in zip(found, before, strict=True) if not alike(old)]
    assert same and all(new == old for new, old in same)


def test_distances_of_colours_are_those_of_cielab():
    """Values of the standard, and what the colour-blind confuse. Mutation: the view in grey."""
    assert distance("#000000", "#ffffff") == pytest.approx(100, abs=0.1)
    assert distance(PALETTE["vermillion"], PALETTE["green"]) < 5  # in grey
    grey = _seen(PALETTE["blue"])[1]
    assert grey[0] == pytest.approx(46.0, abs=0.5) and abs(grey[1:]).max() < 0.1
    assert np.abs(_seen("#ff0000")[0] - [53.24, 80.09, 67.2]).max() < 0.05


@pytest.mark.parametrize("values", [1, 2, 5])
def test_no_two_lines_of_a_figure_look_alike(values):
    lines = [(name, f"{name} {i}") for name in [*NAMES, "mine", "another"] for i in range(values)]
    found = looks(lines)
    assert len(found) == len(lines) == len(set(found.values()))


def test_a_vertical_line_has_no_values_below_zero():
    """Control: a line of values is named."""
    figure, ax = plt.subplots()
    ax.set_yscale("log")
    ax.axvline(1.0, label="chosen")
    assert _not_shown([ax], {}) == ""
    ax.plot([0.0, 1.0], label="drawn")
    assert _not_shown([ax], {}).endswith("which these lines have: drawn.")
    plt.close(figure)


@pytest.mark.parametrize(
    ("face", "is_dark"),
    [("black", True), ("#0000E0", True), ("#303030", True), ("#707070", False), ("white", False),
     ("none", False)],
)  # fmt: skip
def test_lines_that_are_usually_black_can_be_seen_on_the_user_s_axes(face, is_dark):
    ax = Figure().add_subplot(facecolor=face)
    with FigureOptions(ax=ax).applied():
        assert ink() == ("#FFFFFF" if is_dark else "#000000")
    assert ink() == "#000000"


@pytest.mark.parametrize("colour", [PALETTE["blue"], PALETTE["olive"]])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_shades_of_a_colour_go_from_lighter_to_darker(colour, n):
    """The colour itself is the last one, or the first one of a light colour. All differ."""
    shades = [shade(colour, i, n) for i in range(n)]
    light = [sum(to_rgb(x)) for x in shades]
    assert light == sorted(set(light), reverse=True)
    assert shades[0 if colour == PALETTE["olive"] else -1] == colour.lower()
    assert n == 1 or 0.3 < light[0] - light[-1] < 1.0


def test_each_dash_has_a_marker_of_its_own():
    dashes = [*DASHES.values(), *FURTHER]
    assert len({marker({"linestyle": dash}) for dash in dashes}) == len(dashes)


@pytest.fixture
def panels():
    """Two panels that are seen, and one that is not. In all, b is a, but for a thousandth; in the
    first one, c is a, too.
    """
    axes = Figure().subplots(1, 3)
    for i, ax in enumerate(axes):
        ax.set_title(f"panel {i}")
        for label, factor in {"a": 1.0, "b, x": 1.001, "c": 1.0 + (i > 0) / 2}.items():
            ax.plot([1.0, 2.0, 3.0], np.array([1.0, 5.0, 9.0]) * factor, label=label)
        ax.autoscale_view()
    axes[2].set_visible(False)
    return axes


def test_lines_that_coincide_are_named_with_their_panels(panels):
    """Panels of shares, and the lines of bounds, do not count."""
    named = {"a": "Mine"}
    words = _hidden(panels, named)
    assert words.startswith(' These lines coincide: Mine, "b, x" and c (panel 0); ')
    assert words.endswith('; Mine and "b, x" (panel 1).')
    panels[0].set_gid(SHARE)
    assert _hidden(panels, named) == ' These lines coincide: Mine and "b, x".'
    panels[1].get_lines()[0].set_gid("bound")
    assert _hidden(panels, named) == ""


@pytest.mark.parametrize(("scale", "limits"), [("log", (1.0, 3.0)), ("linear", (0.0, 3.0))])
def test_an_axis_of_time_begins_at_zero_or_at_the_first_round(panels, scale, limits):
    ax = panels[0]
    ax.set_xlim(-1.0, 3.0)
    with FigureOptions(xscale=scale).applied():
        rescale([ax])
    assert ax.get_xscale() == scale and ax.get_xlim() == limits


def test_scales_that_an_axis_has_change_nothing(panels):
    """The budgets of a figure of stopping times have room on both sides; shares may be 0."""
    panels[0].set(xscale="log", xlim=(0.5, 4.0))
    panels[1].set_gid(SHARE)
    with FigureOptions(xscale="log", yscale="log").applied():
        rescale(panels[:2])
    assert panels[0].get_xlim() == (0.5, 4.0)
    assert [ax.get_yscale() for ax in panels[:2]] == ["log", "linear"]


@pytest.mark.parametrize(("low", "bottom"), [(1.0, 0.0), (-4.0, -4.0)])
def test_a_linear_axis_of_regret_shows_zero_and_what_is_below(panels, low, bottom):
    ax = panels[0]
    ax.plot([1.0, 3.0], [low, 9.0])
    with FigureOptions(yscale="linear").applied():
        rescale([ax])
    assert bottom - 1.0 < ax.get_ylim()[0] <= bottom


@pytest.mark.parametrize(
    ("labels", "title", "said"),
    [
        (["A, x", "A, y"], "A on C1", "A, "),
        (["A, x", "A, y"], "A-B on C1", ""),
        (["A, x", "A, y"], "C1", ""),
        (["A, x", "A, y", "B"], "A on C1", "A, "),
        (["A, x", "B, y"], "A and B", ""),
        (["A", "A, x"], "A on C1", ""),
        ([], "A", ""),
    ],
)
def test_labels_omit_the_name_that_the_title_gives_to_all_lines(labels, title, said):
    assert _beginning(labels, title) == said


@pytest.mark.parametrize("place", ["top", "right", "inside", "none"])
def test_the_legend_in_the_user_s_axes_stands_where_it_is_asked_for(place):
    figure = Figure(figsize=(4, 3))
    ax = figure.add_subplot()
    ax.plot([1, 2], label="one")
    with FigureOptions(ax=ax, legend=place, title="Mine").applied():
        finish(figure, "other", None, "")
    assert ax.get_title() == "Mine" and legend_of(figure) == ["one"] * (place != "none")
    if place != "none":
        box, inside = ax.get_legend().get_window_extent(), ax.get_window_extent()
        assert (box.y0 > inside.y1) == (place == "top")
        assert (box.x0 > inside.x1) == (place == "right")


def test_limits_that_a_logarithmic_axis_cannot_show_are_refused(panels):
    def limited(scale, ylim):
        panels[0].set_yscale(scale)
        with FigureOptions(ax=panels[0], ylim=ylim).applied():
            return finish(panels[0].figure, "", None, "")

    assert message_of(limited, "log", (0.0, 5.0)).startswith("ylim=[0,5]: a logarithmic axis")
    for scale, ylim in (("log", (0.5, 5.0)), ("linear", (0.0, 5.0))):
        limited(scale, ylim)
        assert panels[0].get_ylim() == ylim


CURVE = pd.DataFrame({"t": [1.0, 2.0, 3.0, 4.0], "middle": [9.0, 9.0, 9.0, 9.0]})


def band(low, by="t", **look):
    """A panel with the line and the band of a curve, from ``low`` to 12."""
    curve = CURVE.assign(low=low, high=np.where(np.isnan(low), np.nan, 12.0))
    curve = curve.rename(columns={"t": by})
    ax = Figure().add_subplot()
    ax.plot(curve[by], curve["middle"])
    draw_band(ax, curve, by, "blue", **look)
    return ax


@pytest.mark.parametrize(("low", "shown"), [(6.0, 6.0), (0.1, 3.0), (-50.0, 3.0)])
def test_an_axis_shows_a_band_down_to_a_third_of_its_curve(low, shown):
    ax = band(np.full(4, low))
    assert ax.dataLim.intervaly.tolist() == [shown, 12.0]
    vertices = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert vertices.min() == max(low, 0.009)


def test_a_point_beside_points_without_intervals_has_a_bar():
    """Over time, the band narrows to the line instead. The control has neighbours."""
    alone = np.array([np.nan, 7.0, np.nan, np.nan])
    (bar, _) = band(alone, by="eps").collections
    assert [x.tolist() for x in bar.get_segments()] == [[[2.0, 7.0], [2.0, 12.0]]]
    assert len(band(alone).collections) == 1
    assert len(band(np.array([np.nan, 7.0, 7.0, np.nan]), by="eps").collections) == 1


def test_edges_of_bands_are_seen_and_their_faces_do_not_hide_lines():
    faces = {}
    for edges in (True, False):
        (area,) = band(np.full(4, 6.0), has_edges=edges).collections
        faces[edges] = area.get_facecolor()[0, 3]
        assert 0.0 < faces[edges] < 0.3 and (area.get_linewidth()[0] > 0) == edges
        if edges:
            assert area.get_edgecolor()[0, 3] > 2 * faces[True]
    assert faces[True] < faces[False]


def test_bars_reach_from_the_mean_to_the_ends_of_the_interval():
    """A mean without an interval has a bar of no length."""
    middle = pd.Series([5.0, 5.0])
    below, above = bars(middle, pd.Series([2.0, np.nan]), pd.Series([9.0, np.nan]))
    assert below.tolist() == [3.0, 0.0] and above.tolist() == [4.0, 0.0]
