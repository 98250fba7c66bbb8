"""The interface for authors: complete, used by every algorithm, and its example runs."""

import ast
import textwrap
from pathlib import Path

import numpy as np
import pytest
from helpers import bernoulli, game_of, pulls_at_checkpoints

from dpbandits import authoring
from dpbandits.files import PACKAGE

FILES = [f for folder in ("algorithms", "stopping") for f in (PACKAGE / folder).glob("[!_]*.py")]


MOST = 130  # names that an author looks through


def test_every_name_is_listed_once():
    tree = ast.parse(Path(authoring.__file__).read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level]
    listed = [alias for node in imports for alias in node.names]
    names = [alias.name for alias in listed]
    assert all(alias.asname == alias.name for alias in listed)  # exported for type checkers
    assert len(set(names)) == len(names) <= MOST


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_algorithms_import_authoring_and_parts_alone(file):
    nodes = ast.walk(ast.parse(file.read_text()))
    relative = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level]
    assert relative
    assert all(
        node.level == 1
        or node.module in ("authoring", "algorithms.dp_se")
        or node.module.startswith("parts.")
        for node in relative
    )


@pytest.mark.slow
def test_the_example_plays_every_round():
    names = {}
    exec(textwrap.dedent(authoring.__doc__.partition("Example::\n")[2]), names)
    game = game_of(bernoulli(0.9, 0.1), 100)
    names["greedy"](game, np.random.default_rng(2), 1.0, 10.0)
    assert pulls_at_checkpoints(game).tolist() == [[90, 10]]
