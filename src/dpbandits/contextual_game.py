"""The game whose contexts are drawn anew in each round, and its verbs.

It records regret: the gaps between arms differ from round to round. The functions for the clock
and for pull counts are in ``game``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compiled import inlined, inlined_counted, shared_borrowing, unlikely
from .environments.contexts import (
    ONE_PASS,
    ContextualEnvironment,
    draw_contexts,
    reward_given,
    row_of,
)  # fmt: skip
from .environments.users import Users
from .game import NEVER, check_arm

SHOWN, ROW = 2, 3  # where the clock holds the round whose contexts are shown, and their row


class ContextualGame(NamedTuple):
    """One run of a contextual bandit problem."""

    env: ContextualEnvironment  # the law of contexts and rewards
    users: Users  # the population of users
    env_rng: np.random.Generator  # the environment's generator
    horizon: int  # number of rounds, T
    checkpoints: np.ndarray  # int64 array (C + 1,), increasing; the last entry is never reached
    # int64 array (4,): number of rounds played, index of the next checkpoint, the round whose
    # contexts are shown (0 before the first), and their row
    clock: np.ndarray
    counts: np.ndarray  # int64 array (K,), plays of each place so far
    # float64 array (C + 1, 2): regret, and rounds, between consecutive checkpoints
    trace: np.ndarray
    shown: np.ndarray  # float64 array (K, d), the contexts of the present round
    means: np.ndarray  # float64 array (K + 1,), their expected rewards, and the largest of these
    order: np.ndarray  # int64 array (rows,), the rows of the present pass; (0,) for other laws


def new_contextual_game(
    env: ContextualEnvironment,
    users: Users,
    env_rng: np.random.Generator,
    horizon: int,
    checkpoints: np.ndarray,
) -> ContextualGame:
    """Create a game before its first round; see ``game.new_game``."""
    K = len(env.order)
    return ContextualGame(
        env=env,
        users=users,
        env_rng=env_rng,
        horizon=int(horizon),
        checkpoints=np.append(checkpoints, NEVER).astype(np.int64),
        clock=np.zeros(4, np.int64),
        counts=np.zeros(K, np.int64),
        trace=np.zeros((len(checkpoints) + 1, 2)),
        shown=np.zeros((K, len(env.theta))),
        means=np.zeros(K + 1),
        order=np.arange(len(env.rows) if env.law[0] == ONE_PASS else 0),
    )


def regret_of(traces: np.ndarray, horizon: int | None) -> np.ndarray:
    """Regret up to each checkpoint of finished games, float64 array (games, C, 1).

    Args:
        traces: the games' traces, float64 array (games, C + 1, 2).
        horizon: the number of rounds that every game must have played, None for any number.

    Raises:
        ValueError: a game played another number of rounds.
    """
    for rounds in traces[:, :, 1].sum(axis=1):
        if horizon is not None and rounds != horizon:
            raise ValueError(f"the algorithm played {rounds:.0f} rounds of a game of {horizon}")
    return np.cumsum(traces[:, :, :1], axis=1)[:, :-1]


@inlined
def dimension(game: ContextualGame) -> int:
    """Dimension of the contexts, d."""
    return game.shown.shape[1]


@inlined_counted
def contexts(game: ContextualGame) -> np.ndarray:
    """The contexts of the present round, float64 array (K, d). It is the same array in each round:
    ``ensure_contexts`` fills the array with the contexts of the next round and takes less time
    than another call.
    """
    ensure_contexts_shared(game)
    return game.shown


@inlined
def ensure_contexts(game: ContextualGame) -> None:
    """Fill the array of ``contexts`` for the present round, unless this was done before."""
    if game.clock[SHOWN] != game.clock[0] + 1:
        t = game.clock[0]
        game.clock[ROW] = row_of(game.env, game.env_rng, t, game.order)
        draw_contexts(game.env, game.env_rng, game.clock[ROW], game.shown, game.means)
        game.clock[SHOWN] = t + 1


@shared_borrowing
def ensure_contexts_shared(game: ContextualGame) -> None:
    """``ensure_contexts``, not inlined: for the first round, and learners that do not call it."""
    ensure_contexts(game)


@inlined
def play(game: ContextualGame, a: int) -> float:
    """Play the arm of context ``a``, a row of ``contexts``, for one round; returns its reward."""
    check_arm(game, a)
    if unlikely(game.clock[SHOWN] != game.clock[0] + 1):
        ensure_contexts_shared(game)
    mean = game.means[a]
    r = reward_given(game.env, game.env_rng, game.clock[ROW], a, mean)
    count_round(game, a, game.means[len(game.counts)] - mean)
    return r


@inlined
def count_round(game: ContextualGame, a: int, gap: float) -> None:
    """Count a round in which context ``a`` was played, ``gap`` worse than the best one."""
    t, c = game.clock[0], game.clock[1]
    game.counts[a] += 1
    game.trace[c, 0] += gap
    game.trace[c, 1] += 1.0
    game.clock[0] = t + 1
    game.clock[1] = c + (t + 1 == game.checkpoints[c])


@inlined
def user_dimension(game: ContextualGame) -> int:
    """The number of features of a labelled user, p."""
    return game.env.rows.shape[1]


@shared_borrowing
def show_users(game: ContextualGame, n: int, rows: np.ndarray) -> None:
    """Fill ``rows`` with the rows of ``game.env.rows`` of the labelled users of the next n rounds,
    which ``play_users`` must play.
    """
    for i in range(n):
        rows[i] = row_of(game.env, game.env_rng, game.clock[0] + i, game.order)


@shared_borrowing
def play_users(
    game: ContextualGame, n: int, rows: np.ndarray, actions: np.ndarray, losses: np.ndarray
) -> None:
    """Play ``actions`` for the n users that ``show_users`` showed; fill ``losses`` with 1 less the
    reward of each.
    """
    env = game.env
    for i in range(n):
        check_arm(game, actions[i])
        best = -np.inf
        for a in range(len(env.order)):
            best = max(best, env.table[rows[i], a])
        r = env.table[rows[i], env.order[actions[i]]]
        losses[i] = 1.0 - r
        count_round(game, actions[i], best - r)
