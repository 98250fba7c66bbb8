"""Algorithms with local privacy: users with a low level send nothing and change nothing."""

import numpy as np
import pytest
from helpers import LOCAL, bernoulli, game_with, play, table

from dpbandits.environments.populations import build_population
from dpbandits.game import next_user, privacy_level
from dpbandits.running.seeds import ENVIRONMENT, generator


@pytest.mark.parametrize("name", LOCAL)
def test_silent_users_cost_regret_and_change_nothing(name):
    """Rewards of the rounds of silent users do not matter at all; others do."""
    T, seed = 3000, 5
    crowd = build_population({"kind": "levels", "levels": [0, 0.5, 2], "shares": [0.3, 0.3, 0.4]})
    game = game_with(crowd, generator(seed, 0, ENVIRONMENT))
    silent = np.array([privacy_level(game, next_user(game)) < 1 for _ in range(T)])
    assert 0.5 < silent.mean() < 0.7
    rewards = (np.random.default_rng(3).random((T, 3)) < [0.9, 0.5, 0.1]).astype(float)
    given = {"population": crowd, "eps_min": 1.0, "seed": seed, "checkpoints": np.arange(1, T + 1)}
    pulls = play(name, table(rewards), T, **given)
    assert (pulls.sum(axis=1) == np.arange(1, T + 1)).all()
    garbled = np.where(silent[:, None], 1 - rewards, rewards)
    assert (play(name, table(garbled), T, **given) == pulls).all()
    garbled = np.where(silent[:, None], rewards, 1 - rewards)  # control
    assert (play(name, table(garbled), T, **given) != pulls).any()


@pytest.mark.parametrize("name", LOCAL)
def test_a_population_of_one_level_is_homogeneous(name):
    single = build_population({"kind": "levels", "levels": [2], "shares": None})
    spec = bernoulli(0.9, 0.5)
    of_one = play(name, spec, 2000, population=single, eps_min=2.0)
    assert (of_one == play(name, spec, 2000, eps=2.0)).all()
    assert (of_one != play(name, spec, 2000, eps=1.0)).any()  # control
