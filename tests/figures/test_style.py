"""The looks of lines: the same for an algorithm in all figures, different for any two in one."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from helpers import NAMES

from dpbandits.figures.colours import APART, _seen, distance
from dpbandits.figures.options import PALETTE
from dpbandits.figures.style import _not_shown, styles_of


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
    assert np.linalg.norm(_seen("#ff0000")[0] - [53.24, 80.09, 67.2]) < 0.2


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
