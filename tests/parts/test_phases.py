"""Private phases without forgetting: their lengths and what they release."""

import math

import numpy as np
import pytest
from helpers import bernoulli, game_of, table

from dpbandits.game import pulls
from dpbandits.parts.schedules import phases


@pytest.mark.parametrize(
    ("alpha", "lengths"),
    [
        (2.0, [1, 2, 4, 8, 16, 32]),
        (1.5, [1, 2, 3, 5, 8, 12, 18]),
        (3.0, [1, 3, 9, 27]),
        (1.1, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13]),
    ],
)
def test_pulls_after_each_phase(alpha, lengths):
    game, rng = game_of(bernoulli(0.5, 0.4), 10**6), np.random.default_rng(2)
    found = phases.first_phases(game, rng, math.inf, 0.0)
    seen = [pulls(game, 0)]
    for _ in lengths[1:]:
        phases.play_phase(game, rng, math.inf, found, 0, alpha)
        seen.append(pulls(game, 0))
        assert found.length[0] == seen[-1] and pulls(game, 1) == 1
    assert seen == lengths


@pytest.mark.parametrize(
    ("first", "eps", "length"), [(0.0, 0.1, 1), (1.0, 0.3, 4), (2.5, 0.5, 5), (9.0, math.inf, 1)]
)
def test_the_first_phase(first, eps, length):
    game = game_of(bernoulli(0.5, 0.4), 100)
    found = phases.first_phases(game, np.random.default_rng(2), eps, first)
    assert list(found.length) == [length, length]


def test_a_phase_that_the_horizon_cuts_releases_nothing():
    game = game_of(table([[1.0, 0.5]] * 7), 7)
    rng = np.random.default_rng(2)
    found = phases.first_phases(game, rng, math.inf, 0.0)
    for _ in range(4):
        phases.play_phase(game, rng, math.inf, found, 0, 2.0)
    assert list(found.total) == [4.0, 0.5] and list(found.length) == [4.0, 1.0]
    assert list(found.mean) == [1.0, 0.5] and list(game.counts) == [6, 1]
