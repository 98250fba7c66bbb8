"""The game: what is played is counted, and blocks have the law of single rounds."""

import numpy as np
import pytest
from helpers import bernoulli, table
from scipy import stats

from dpbandits.environments.blocks import draw_sum
from dpbandits.environments.catalogue import build
from dpbandits.environments.laws import draw
from dpbandits.environments.populations import homogeneous
from dpbandits.game import (
    new_game,
    pull,
    pull_in_turn,
    pull_sum,
    pulls_at_checkpoints,
    rounds_left,
    rounds_played,
)

REWARDS = np.random.default_rng(0).random((60, 3))


def game_of(spec, T, checkpoints=None):
    every = np.arange(1, T + 1) if checkpoints is None else np.array(checkpoints)
    return new_game(
        build(spec).environment, homogeneous(1.0).users(), np.random.default_rng(1), T, every
    )


@pytest.mark.parametrize("checkpoints", [None, [1, 60], [60], [7, 8, 30, 59, 60]])
def test_blocks_equal_single_rounds_on_fixed_rewards(checkpoints):
    single, blocks = (game_of(table(REWARDS), 60, checkpoints) for _ in range(2))
    plan = [(0, 1), (2, 10), (1, 0), (1, 29), (0, 20)]
    for a, n in plan:
        total = sum(pull(single, a) for _ in range(n))
        assert pull_sum(blocks, a, n) == pytest.approx(total)
        assert rounds_played(blocks) == rounds_played(single)
    assert rounds_left(blocks) == 0
    assert (pulls_at_checkpoints(single) == pulls_at_checkpoints(blocks)).all()
    assert (single.counts == blocks.counts).all()


@pytest.mark.parametrize("checkpoints", [None, [1, 60], [60], [7, 8, 30, 59, 60]])
@pytest.mark.parametrize("active", [[0, 1, 2], [2, 0], [1]])
def test_turns_equal_single_rounds_on_fixed_rewards(checkpoints, active):
    single, turns = (game_of(table(REWARDS), 60, checkpoints) for _ in range(2))
    sums = np.zeros(3)
    for rounds in (6, 0, 1, 30, 23):
        expected = np.zeros(3)
        for i in range(rounds):
            a = active[i % len(active)]
            expected[a] += pull(single, a)
        pull_in_turn(turns, np.array(active), rounds, sums)
        if rounds >= len(active):
            assert sums[active] == pytest.approx(expected[active])
    assert (pulls_at_checkpoints(single) == pulls_at_checkpoints(turns)).all()


def test_an_unfinished_game_has_no_curve():
    game = game_of(bernoulli(0.5, 0.4), 5)
    pull(game, 0)
    with pytest.raises(ValueError, match="played 1 rounds of a game of 5"):
        pulls_at_checkpoints(game)


def test_playing_too_long_is_noticed():
    game = game_of(bernoulli(0.5, 0.4), 5)
    for _ in range(7):
        pull(game, 0)
    with pytest.raises(ValueError, match="played 7 rounds of a game of 5"):
        pulls_at_checkpoints(game)


@pytest.mark.parametrize(
    "spec",
    [bernoulli(0.7, 0.01), {"law": "twopoint_heavy", "means": [0.6, 0.2], "v": 0.5, "g": 0.5}],
    ids=["bernoulli", "twopoint_heavy"],
)
@pytest.mark.parametrize("n", [1, 5, 80])
def test_block_sums_have_the_law_of_sums(spec, n):
    instance, rng = build(spec), np.random.default_rng(2)
    env, size = instance.environment, 4000
    for a in range(2):
        blocks = [draw_sum(env, rng, a, n, 0, 1, 0.0, np.inf) for _ in range(size)]
        singles = [sum(draw(env, rng, a, 0) for _ in range(n)) for _ in range(size)]
        unit = env.parameters[a, 1]
        counts = np.rint(np.array([blocks, singles]) / unit).astype(int)
        assert np.allclose(counts * unit, [blocks, singles])
        top = counts.max() + 1
        observed = np.array([np.bincount(c, minlength=top) for c in counts])
        observed = observed[:, observed.sum(axis=0) > 0]
        if observed.shape[1] > 1:
            assert stats.chi2_contingency(observed).pvalue > 1e-6
        shifted = np.array([observed[0], np.roll(observed[1], 1)])
        if n == 80:  # control
            assert stats.chi2_contingency(shifted + 0.01).pvalue < 1e-3
        assert np.mean(blocks) == pytest.approx(n * instance.means[a], abs=6 * n * unit / 60)


def test_block_sums_of_enormous_blocks():
    """At n = 1e18 mean and spread are still the binomial's."""
    env, rng = build(bernoulli(0.3, 0.2)).environment, np.random.default_rng(4)
    n = 10**18
    z = [
        (draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) - 0.3 * n) / np.sqrt(0.21 * n)
        for _ in range(2000)
    ]
    assert abs(np.mean(z)) < 5 / np.sqrt(2000)
    assert 0.85 < np.var(z) < 1.15


def test_certain_arms():
    env, rng = build(bernoulli(0.0, 1.0)).environment, np.random.default_rng(4)
    for n in (1, 10, 10**9):
        assert draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) == 0.0
        assert draw_sum(env, rng, 1, n, 0, 1, 0.0, np.inf) == n
