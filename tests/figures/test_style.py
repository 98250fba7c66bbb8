"""The looks of lines: the same for an algorithm in all figures, different for any two in one."""

import itertools

import pandas as pd
import pytest
from helpers import NAMES

from dpbandits.figures.style import PALETTE, styles_of


def looks(lines):
    """The looks of lines, given as pairs of an algorithm and a label."""
    styles = styles_of(pd.DataFrame(lines, columns=["algo", "line"]))
    return {label: (look["color"], look["linestyle"]) for label, look in styles.items()}


@pytest.mark.slow
def test_an_algorithm_looks_the_same_in_all_figures():
    whole = looks([(name, name) for name in NAMES])
    for pair in itertools.permutations(NAMES, 2):
        assert looks([(name, name) for name in pair]) == {name: whole[name] for name in pair}
    assert whole["dp_se"] == (PALETTE["blue"].lower(), "-")


@pytest.mark.parametrize("values", [1, 2, 5])
def test_no_two_lines_of_a_figure_look_alike(values):
    lines = [(name, f"{name} {i}") for name in [*NAMES, "mine", "another"] for i in range(values)]
    found = looks(lines)
    assert len(found) == len(lines) == len(set(found.values()))
