"""The interface for authors: complete, used by every algorithm, and its example runs."""

import ast
import textwrap

import numpy as np
import pytest
from helpers import bernoulli, game_of, pulls_at_checkpoints

from dpbandits import authoring
from dpbandits.files import PACKAGE

FILES = [f for folder in ("algorithms", "stopping") for f in (PACKAGE / folder).glob("[!_]*.py")]


def test_every_name_is_defined_once():
    assert len(set(authoring.__all__)) == len(authoring.__all__)
    assert all(hasattr(authoring, name) for name in authoring.__all__)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_algorithms_import_nothing_else_of_the_package(file):
    nodes = ast.walk(ast.parse(file.read_text()))
    relative = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level]
    assert relative
    assert all(
        node.level == 1 or node.module in ("authoring", "algorithms.dp_se") for node in relative
    )


@pytest.mark.slow
def test_the_example_plays_every_round():
    names = {}
    exec(textwrap.dedent(authoring.__doc__.partition("Example::\n")[2]), names)
    game = game_of(bernoulli(0.9, 0.1), 100)
    names["greedy"](game, np.random.default_rng(2), 1.0, 10.0)
    assert pulls_at_checkpoints(game).tolist() == [[90, 10]]
