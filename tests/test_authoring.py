"""The interface for authors: complete, and its example runs."""

import textwrap

import numpy as np
import pytest
from helpers import bernoulli, game_of, pulls_at_checkpoints

from dpbandits import authoring


def test_every_name_is_defined_once():
    assert len(set(authoring.__all__)) == len(authoring.__all__)
    assert all(hasattr(authoring, name) for name in authoring.__all__)


@pytest.mark.slow
def test_the_example_plays_every_round():
    names = {}
    exec(textwrap.dedent(authoring.__doc__.partition("Example::\n")[2]), names)
    game = game_of(bernoulli(0.9, 0.1), 100)
    names["greedy"](game, np.random.default_rng(2), 1.0, 10.0)
    assert pulls_at_checkpoints(game).tolist() == [[90, 10]]
