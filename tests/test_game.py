"""The game: what is played is counted, and blocks have the law of single rounds."""

import numpy as np
import pytest
from helpers import bernoulli, contaminated, game_of, pulls_at_checkpoints, table

from dpbandits.game import (
    pull,
    pull_counts,
    pull_in_turn,
    pull_sum,
    pull_truncated_in_turn,
    pull_truncated_sum,
    rounds_left,
    rounds_played,
    skip_rounds,
)

REWARDS = np.random.default_rng(0).random((60, 3))
PLAN = [(0, 1), (2, 10), (1, 0), (1, 29), (0, 20)]  # arms and how often they are played
each_checkpoints = pytest.mark.parametrize(
    "checkpoints", [range(1, 61), [1, 60], [60], [7, 8, 30, 59, 60]]
)
each_verb = pytest.mark.parametrize("truncates", [False, True])


def games(n, checkpoints, rewards=REWARDS):
    return [game_of(table(rewards), 60, checkpoints) for _ in range(n)]


def truncated(x, level):
    return x if abs(x) <= level else 0.0


def assert_same(*games):
    """Games have the same rounds behind them; of finished ones their curves are compared, too."""
    first, *others = games
    for other in others:
        assert (first.clock == other.clock).all() and (first.counts == other.counts).all()
        if rounds_left(first) == 0:
            assert (pulls_at_checkpoints(first) == pulls_at_checkpoints(other)).all()


@each_verb
@each_checkpoints
def test_blocks_equal_single_rounds_on_fixed_rewards(checkpoints, truncates):
    single, blocks = games(2, checkpoints)
    for (a, n), center, level in zip(
        PLAN, (0.0, 0.4, 0.0, 2.0, -0.3), (0.5, 0.2, 1.0, 1.5, 0.9), strict=True
    ):
        x = [pull(single, a) for _ in range(n)]
        if truncates:
            found = pull_truncated_sum(blocks, a, n, center, level)
            assert found == pytest.approx(sum(truncated(r - center, level) for r in x))
        else:
            assert pull_sum(blocks, a, n) == pytest.approx(sum(x))
        assert_same(single, blocks)
    assert rounds_left(blocks) == 0


@each_verb
@each_checkpoints
@pytest.mark.parametrize("active", [[0, 1, 2], [2, 0], [1]])
def test_turns_equal_single_rounds_on_fixed_rewards(active, checkpoints, truncates):
    """And so do rounds that nobody sees."""
    single, turns, unseen = games(3, checkpoints)
    sums = np.zeros(3)
    for rounds, level in ((6, 0.5), (0, 0.1), (1, 0.1), (30, 0.8), (23, 0.3)):
        expected = np.zeros(3)
        for i in range(rounds):
            a = active[i % len(active)]
            expected[a] += truncated(pull(single, a), level if truncates else np.inf)
        if truncates:
            pull_truncated_in_turn(turns, np.array(active), rounds, level, sums)
        else:
            pull_in_turn(turns, np.array(active), rounds, sums)
        if truncates or rounds >= len(active):
            assert sums[active] == pytest.approx(expected[active])
        skip_rounds(unseen, np.array(active), rounds)
        assert_same(single, turns, unseen)


@each_checkpoints
def test_histograms_equal_those_of_single_rounds_on_fixed_rewards(checkpoints):
    """Counts are added up, and rewards outside of all bins are not counted."""
    rewards = np.floor(8 * REWARDS) / 8  # ends of bins among them
    single, blocks = games(2, checkpoints, rewards)
    counts, expected = np.zeros(3), np.zeros(3)
    for a, n in PLAN:
        pull_counts(blocks, a, n, 0.125, 0.25, counts)
        for x in [pull(single, a) for _ in range(n)]:
            for i in range(3):
                expected[i] += 0.125 + 0.25 * i <= x < 0.375 + 0.25 * i
        assert (counts == expected).all()
    assert 0 < counts.sum() < 60
    assert_same(single, blocks)


@pytest.mark.parametrize("rounds", [1, 7])
def test_playing_too_short_or_too_long_is_noticed(rounds):
    game = game_of(bernoulli(0.5, 0.4), 5)
    for _ in range(rounds):
        pull(game, 0)
    with pytest.raises(ValueError, match=f"played {rounds} rounds of a game of 5"):
        pulls_at_checkpoints(game)


def test_rounds_that_nobody_sees_draw_nothing():
    game = game_of(bernoulli(0.5, 0.4), 10**15, [10**15])
    before = game.env_rng.bit_generator.state
    skip_rounds(game, np.array([0, 1]), 10**15)
    assert rounds_left(game) == 0
    assert game.env_rng.bit_generator.state["state"] == before["state"]
    with pytest.raises(IndexError):
        skip_rounds(game, np.array([2]), 1)


def test_verbs_refuse_an_arm_that_is_not_there():
    game = game_of(bernoulli(0.5, 0.4), 10)
    for a in (-1, 2):
        for refused in (
            lambda a=a: pull_truncated_sum(game, a, 1, 0.0, 1.0),
            lambda a=a: pull_counts(game, a, 1, 0.0, 1.0, np.zeros(1)),
            lambda a=a: pull_truncated_in_turn(game, np.array([a]), 1, 1.0, np.zeros(3)),
        ):
            with pytest.raises(IndexError):
                refused()
    assert rounds_played(game) == 0


@pytest.mark.slow
def test_outliers_among_fixed_rewards_leave_the_others_in_their_rounds():
    """Reward t of arm a is 10 t + a + 1 or an outlier, however it is pulled."""
    T, alpha = 3000, 0.2
    rewards = 10.0 * np.arange(T)[:, None] + np.array([1.0, 2.0, 3.0])
    spec = contaminated(table(rewards), alpha, -1.0)
    singles = game_of(spec, T)
    x = np.array([pull(singles, 1) for _ in range(T)])
    assert set(x[x != rewards[:, 1]]) == {-1.0}
    out = np.sum(x == -1.0)
    assert abs(out - alpha * T) < 5 * np.sqrt(alpha * (1 - alpha) * T)
    totals, sums = np.zeros(3), np.zeros(3)
    for seed in range(200):
        game = game_of(spec, T)._replace(env_rng=np.random.default_rng(seed))
        assert -pull_truncated_sum(game, 1, 30, 2.0, 3.5) / 3 in range(31)  # outliers weigh -3
        pull_truncated_in_turn(game, np.array([2, 0, 1]), 3, np.inf, sums)
        for a, t in ((2, 30), (0, 31), (1, 32)):
            assert sums[a] in (rewards[t, a], -1.0)
            totals[a] += sums[a] == -1.0
    assert (np.abs(totals - 200 * alpha) < 5 * np.sqrt(200 * alpha * (1 - alpha))).all()
