"""Blocks of random arms: pulls at checkpoints, sums of rewards, and rewards fixed in advance."""

import numpy as np
import pytest
from helpers import bernoulli, game_of, pulls_at_checkpoints, table
from in_law import apart

from dpbandits.game import pull, rounds_left
from dpbandits.parts.schedules.batches import pull_random_arms, random_arm, rounds_without_order

T, CHECKPOINTS = 100, [1, 10, 11, 60, 100]
GAMES = 4000


def one_by_one(game, rng, n, N, S):
    """``pull_random_arms`` by its definition."""
    for _ in range(n):
        a = random_arm(rng, len(N))
        N[a], S[a] = N[a] + 1.0, S[a] + pull(game, a)


def outcomes(spec, play, seed, games=GAMES):
    """Pulls at checkpoints and sums after 30 and 100 rounds, and their squares; a row a game."""
    found = []
    for i in range(games):
        game = game_of(spec, T, CHECKPOINTS, np.random.default_rng([seed, i, 0]))
        rng, N, S = np.random.default_rng([seed, i, 1]), np.zeros(3), np.zeros(3)
        play(game, rng, 30, N, S)
        early = S.copy()
        play(game, rng, rounds_left(game), N, S)
        pulls = pulls_at_checkpoints(game)
        assert (pulls.sum(axis=1) == CHECKPOINTS).all() and (pulls[-1] == N).all()
        row = np.concatenate([pulls.ravel(), early, S])
        found.append(
            np.concatenate([row, row**2, row[[0, 6, 9, 15, 18]] * row[[4, 10, 13, 19, 9]]])
        )
    return np.array(found)


@pytest.mark.slow
def test_blocks_of_random_arms_have_the_law_of_single_rounds():
    spec = bernoulli(0.9, 0.5, 0.1)
    single = outcomes(spec, one_by_one, 1)
    assert apart(single, outcomes(spec, pull_random_arms, 2)) < 5
    unequal = bernoulli(0.9, 0.5, 0.2)
    assert apart(single, outcomes(unequal, pull_random_arms, 2)) > 5  # a control


def test_rewards_fixed_in_advance_are_those_of_the_rounds():
    spec = table(np.random.default_rng(1).random((T, 3)))
    found, expected = (outcomes(spec, play, 3, 20) for play in (pull_random_arms, one_by_one))
    assert (found == expected).all()


def test_rounds_without_order_end_at_checkpoints():
    free, fixed = (
        game_of(bernoulli(0.9, 0.5), T, [7, T]),
        game_of(table(np.ones((T, 2))), T, [7, T]),
    )
    for played in range(T):
        assert rounds_without_order(free) == (7 if played < 7 else T) - played
        assert rounds_without_order(fixed) == 1
        pull(free, 0), pull(fixed, 1)
