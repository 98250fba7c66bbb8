"""The figure of audits: what was not seen is not drawn as a loss of 0."""

import pandas as pd
import pytest

from dpbandits.audit.figure import bars

ROW = {
    "kind": "algorithm", "budget": "eps", "unit": "eps", "eps": 1.0, "promised": 1.0, "exact": 1.0,
    "verdict": "consistent", "confidence": 0.99,
}  # fmt: skip


def table(*measured, **more):
    rows = [{**ROW, "name": f"own_{i}", "measured": x, **more} for i, x in enumerate(measured)]
    return pd.DataFrame(rows)


def points(figure, marker):
    """The positions of all points that have a marker."""
    lines = [line for ax in figure.axes for line in ax.get_lines() if line.get_marker() == marker]
    return [(float(x), float(y)) for line in lines for x, y in line.get_xydata()]


@pytest.mark.slow
def test_what_was_not_seen_is_a_cross_outside_the_axis():
    figure = bars(table(0.5, 0.0))
    assert points(figure, "o") == [(0.5, 1.0)]
    assert points(figure, "x") == [(-0.08, 0.0)]
    [legend] = figure.legends
    assert "nothing seen" in [text.get_text() for text in legend.get_texts()]
    said = " ".join(text.get_text() for text in figure.texts).split()
    assert "which says nothing about the loss" in " ".join(said)
    assert points(bars(table(0.5)), "x") == []


@pytest.mark.slow
def test_violations_and_exact_losses_are_shares_of_the_promise():
    figure = bars(table(3.0, 1.4, verdict="VIOLATED", promised=2.0))
    assert sorted(points(figure, "s")) == [(0.7, 0.0), (1.5, 1.0)]
    assert {x for x, _ in points(figure, "D")} == {0.5}


@pytest.mark.slow
def test_a_table_of_everything_fits_on_a_page():
    budgets = pd.concat([table(*[0.5] * 72, eps=x, promised=x) for x in (0.1, 0.5, 1.0, 2.0)])
    figure = bars(budgets.reset_index(drop=True))
    width, height = figure.get_size_inches()
    assert len(figure.axes) == 2 and width <= 8.3 and height <= 11.7
    assert [len(points(figure, mark)) for mark in "o^v<"] == [72] * 4
