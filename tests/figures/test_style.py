"""The looks of lines: the same for an algorithm in all figures, different for any two in one."""

import itertools

import pandas as pd
import pytest
from helpers import NAMES

from dpbandits.figures.options import PALETTE
from dpbandits.figures.style import styles_of


def looks(lines):
    """The looks of lines, given as pairs of an algorithm and a label."""
    styles = styles_of(pd.DataFrame(lines, columns=["algo", "line"]))
    return {label: (look["color"], look["linestyle"]) for label, look in styles.items()}


@pytest.mark.slow
def test_an_algorithm_looks_the_same_in_all_figures():
    """Unless another algorithm of the figure has its colour: then it has another one."""
    whole = looks([(name, name) for name in NAMES])
    for first, second in itertools.permutations(NAMES, 2):
        found = looks([(first, first), (second, second)])
        assert found[first] == whole[first]
        if whole[first][0] != whole[second][0]:
            assert found[second] == whole[second]
        else:
            assert found[second][0] != found[first][0] and found[second][1] == whole[second][1]
    assert whole["dp_se"] == (PALETTE["blue"].lower(), "-")


@pytest.mark.parametrize("values", [1, 2, 5])
def test_no_two_lines_of_a_figure_look_alike(values):
    lines = [(name, f"{name} {i}") for name in [*NAMES, "mine", "another"] for i in range(values)]
    found = looks(lines)
    assert len(found) == len(lines) == len(set(found.values()))
