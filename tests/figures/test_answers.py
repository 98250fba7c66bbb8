"""Figures of answers of ``dpbandits.budget``, and of wins over environments, from made tables."""

import math

import numpy as np
import pandas as pd
import pytest
from legends import legend_of, note_of
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from refusals import message_of
from report_tables import regrets

from dpbandits.figures.answers import figure_of_answer
from dpbandits.figures.draw import KINDS
from dpbandits.figures.placement import MIN_TEXT_POINTS, figure_width, text_width
from dpbandits.figures.wins import COLOURS, SIZE, _most_columns, heat_map
from dpbandits.results.table import Table

TRIED = [
    {"budget": 0.1, "mean": 90.0, "low": 80.0, "high": 99.0},
    {"budget": 1.0, "mean": 40.0, "low": 30.0, "high": 60.0},
]
SEARCH = {
    "algo": "dp_se", "budget": 0.5, "low": 0.01, "high": 0.7, "reached": True, "name": "eps",
    "env": "bernoulli_c1", "horizon": 20_000, "goal": 50.0, "baseline": "", "tried": TRIED,
}  # fmt: skip


def search(*changes):
    return pd.DataFrame([SEARCH | change for change in changes or ({},)])


def test_a_search_shows_what_was_tried_and_shades_what_is_needed():
    """The shade begins at most a factor of two below the least budget."""
    figure = figure_of_answer(search())
    (ax,) = figure.axes
    points, goal = ax.get_lines()[0], ax.get_lines()[-1]
    assert points.get_xydata().tolist() == [[0.1, 90.0], [1.0, 40.0]]
    (bars,) = ax.containers[0][2]
    assert [x[:, 1].tolist() for x in bars.get_segments()] == [[80.0, 99.0], [30.0, 60.0]]
    assert set(goal.get_ydata()) == {50.0}
    (shade,) = ax.patches
    assert (shade.get_x(), shade.get_x() + shade.get_width()) == pytest.approx((0.05, 0.7))
    assert figure.heading.get_text() == "C1, $T$ = $2 \\times 10^{4}$"
    assert "The shade is the interval" in note_of(figure) and ax.get_ylabel() == "pseudo-regret"


@pytest.mark.parametrize(
    ("changes", "label", "panels"),
    [
        ([{"baseline": "ucb without privacy"}], "/ regret of UCB without privacy", 1),
        ([{"baseline": "ucb"}, {"baseline": "dp_se", "algo": "ucb"}], "pseudo-regret ratio", 1),
        ([{}, {"algo": "adac_ucb", "name": "rho"}], "pseudo-regret", 2),
    ],
)
def test_the_axis_of_a_search_says_by_what_regret_is_divided(changes, label, panels):
    figure = figure_of_answer(search(*changes))
    assert figure.axes[0].get_ylabel().endswith(label) and len(figure.axes) == panels
    assert len(legend_of(figure)) == len(changes)


def test_a_goal_that_is_never_reached_has_no_shade():
    figure = figure_of_answer(search({"reached": False}))
    assert not figure.axes[0].patches and "No budget is seen to reach it." in note_of(figure)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([{}, {"algo": "ucb", "horizon": 9}], "the answers differ in horizon (20000 and 9)"),
        ([{}, {}], "two answers have the label DP-SE"),
        ([{"tried": "[...]"}], "an answer that was read from a CSV file cannot be drawn"),
    ],
)
def test_answers_that_one_figure_cannot_show_are_refused(changes, message):
    assert message in message_of(figure_of_answer, search(*changes))


def sheet(**changes):
    row = {
        "rule": "dp_sprt", "env": "bernoulli", "eps": 1.0, "samples": 100.0, "slow": 180.0,
        "ended": 1.0, "without_privacy": 80.0, "free_ended": 1.0, "runs": 60, "per_week": 50.0,
        "weeks": 2.0, "cap": 10**6, "delta": 0.1,
    }  # fmt: skip
    rows = [row | {"eps": 0.1, "samples": 300.0, "slow": 500.0}, row]
    return pd.DataFrame(rows).assign(**changes)


@pytest.mark.parametrize(
    ("changes", "said", "unsaid", "marks"),
    [
        ({}, "in the strip above them privacy costs less than 10 %", "triangle", 0),
        ({"ended": [0.5, 1.0]}, "At a triangle some runs did not end", "single", 1),
        ({"free_ended": 0.5}, "At a triangle some runs did not end", "strip", 2),
        ({"without_privacy": math.nan, "free_ended": math.nan}, "tenth.", "Dashed", 0),
    ],
)
def test_what_privacy_costs_a_test_has_lines_bands_and_triangles(changes, said, unsaid, marks):
    figure = figure_of_answer(sheet(**changes))
    ax, note = figure.axes[0], note_of(figure)
    assert said in note and unsaid not in note and "means of 60 runs, and bands" in note
    line = ax.get_lines()[0]
    assert line.get_xydata().tolist() == [[0.1, 300.0], [1.0, 100.0]]
    assert ax.collections[0].get_paths()[0].vertices[:, 1].max() == 500.0
    triangles = [x for x in ax.get_lines() if x.get_marker() == "^"]
    assert sum(len(x.get_xdata()) for x in triangles) == marks
    strips = [(x.get_y(), x.get_y() + x.get_height()) for x in ax.patches]
    assert strips == ([pytest.approx((80.0, 88.0))] if "strip" in note else [])


def test_the_axis_on_the_right_of_a_sheet_is_in_weeks():
    figure = figure_of_answer(sheet())
    (ax,) = figure.axes
    (weeks,) = ax.child_axes
    figure.draw_without_rendering()
    assert np.array(ax.get_ylim()) / 50.0 == pytest.approx(weeks.get_ylim())


def test_a_sheet_of_one_budget_has_points():
    figure = figure_of_answer(sheet()[:1].assign(per_week=math.nan))
    assert "Points show means of 60 runs." in note_of(figure) and not figure.axes[0].child_axes


@pytest.mark.parametrize("algorithms", [3, 8, 12, 30])
@pytest.mark.parametrize("number", ["1", "20"])
def test_numbers_in_the_cells_of_a_heat_map_do_not_touch(algorithms, number):
    """As many panels stand beside each other as leave room, but at most three."""
    labels = [f"name {i}" for i in range(algorithms)]
    most = _most_columns(labels, [number])
    assert most in (1, 2, 3) and SIZE >= MIN_TEXT_POINTS

    def cell(panels):
        names = max(text_width(label, SIZE) for label in labels)
        return (72 * figure_width() / panels - names - 5) / algorithms

    wide = text_width(number, SIZE)
    assert most == 1 or cell(most) > wide + 2
    assert most == 3 or cell(most + 1) < wide + 3


def test_a_heat_map_has_its_first_row_at_the_top_and_a_text_in_each_cell():
    values = pd.DataFrame([[np.nan, 1.0, 0.5], [0.0, np.nan, 0.2]], ["r", "s"], ["x", "y", "z"])
    ax = Figure().add_subplot()
    heat_map(ax, values, COLOURS, Normalize(0.0, 1.0), values.map("{:g}".format), values > 0.9)
    rows, columns = (
        [x.get_text() for x in own] for own in (ax.get_yticklabels(), ax.get_xticklabels())
    )
    assert (rows, columns) == (["r", "s"], ["x", "y", "z"])
    assert ax.get_ylim() == (2.0, 0.0) and ax.get_xlim() == (0.0, 3.0)
    texts = {x.get_text(): (x.get_position(), x.get_fontweight()) for x in ax.texts}
    assert texts["1"] == ((1.5, 0.5), "bold") and texts["0.2"] == ((2.5, 1.5), "normal")
    assert len(ax.texts) == 6 and ax.get_yticks().tolist() == [0.5, 1.5]
    red, _, blue = COLOURS([0.0, 0.5, 1.0]).tolist()
    assert red[0] > red[2] and blue[2] > blue[0]


def test_wins_are_of_the_row_over_the_column():
    """The best algorithm stands first."""
    table = regrets(("a", "b", "c"), (1.0,), ("x", "y", "z"), runs=3, times=1)
    table["regret"] = table["algo"].map({"a": 1.0, "b": 2.0, "c": 3.0}) + 0.1 * table["run"]
    figure = KINDS["wins"](Table.of_frame(table[::-1]), "title")
    (ax,) = figure.axes
    assert [x.get_text() for x in ax.get_yticklabels()] == ["a", "b", "c"]
    texts = {x.get_position(): x.get_text() for x in ax.texts}
    assert texts[1.5, 0.5] == "3" and texts[0.5, 2.5] == "0" and texts[0.5, 0.5] == ""
    assert "(at most 3)" in note_of(figure) and figure.get_figheight() < 3.0
