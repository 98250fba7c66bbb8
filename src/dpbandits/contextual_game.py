"""The game in which new contexts are drawn in each round, and the functions that play it.

This game records the regret, because the gaps between arms differ from round to round, so pull
counts do not determine the regret. The functions for rounds and pull counts are in ``game``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compiled import inlined, inlined_counted, random, shared_borrowing, unlikely
from .environments.contexts import (
    LEAST,
    ONE_PASS,
    REPLAY,
    ContextualEnvironment,
    draw_contexts,
    reward_given,
    row_of,
)  # fmt: skip
from .environments.users import Users
from .errors import BadInput
from .game import NEVER, check_arm

# ``clock[SHOWN]`` is the round whose contexts are shown, and ``clock[ROW]`` is the row of these
# contexts. The row is NOT_COUNTED after a round that played a row of a log that does not count
SHOWN, ROW, NOT_COUNTED = 2, 3, -1


class ContextualGame(NamedTuple):
    """One run of an algorithm on a contextual environment."""

    env: ContextualEnvironment  # the law of contexts and rewards
    users: Users  # the population of users
    env_rng: np.random.Generator  # the environment's generator
    horizon: int  # number of rounds, T
    checkpoints: np.ndarray  # int64 array (C + 1,), increasing; the last entry is never reached
    # int64 array (4,): number of rounds played, index of the next checkpoint, the round whose
    # contexts are shown (0 before the first), and the row of these contexts
    clock: np.ndarray
    counts: np.ndarray  # int64 array (K,), plays of each place so far
    # float64 array (C + 1, 2): regret and rounds between consecutive checkpoints. For a log the
    # shape is (C + 1, 3): losses of the rows that count, rows read, and rows that count
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
    K, law = len(env.order), env.law[0]
    return ContextualGame(
        env=env,
        users=users,
        env_rng=env_rng,
        horizon=int(horizon),
        checkpoints=np.append(checkpoints, NEVER).astype(np.int64),
        clock=np.zeros(4, np.int64),
        counts=np.zeros(K, np.int64),
        trace=np.zeros((len(checkpoints) + 1, 3 if law == REPLAY else 2)),
        shown=np.zeros((K, len(env.theta))),
        means=np.zeros(K + 1),
        order=np.arange(len(env.rows) if law in (ONE_PASS, REPLAY) else 0),
    )


def regret_of(traces: np.ndarray, horizon: int | None) -> np.ndarray:
    """Return the regret of finished games up to each checkpoint, float64 array (games, C, 1).

    On a log, the regret is the number of rows read times the mean loss of the rows that count.

    Args:
        traces: the games' traces, float64 array (games, C + 1, 2), or (games, C + 1, 3) for a log.
        horizon: the number of rounds that every game must have played, None for any number.

    Raises:
        ValueError: the number of rounds that a game has played is not ``horizon``.
        BadInput: too few rows of a log count.
    """
    for rounds in traces[:, :, 1].sum(axis=1):
        if horizon is not None and rounds != horizon:
            raise ValueError(f"the algorithm played {rounds:.0f} rounds of a game of {horizon}")
    totals = np.cumsum(traces, axis=1)[:, :-1]
    if traces.shape[2] == 2:
        return totals[:, :, :1]
    losses, read, counted = np.moveaxis(totals, 2, 0)
    if horizon is not None and horizon >= LEAST and (few := counted[:, -1].min()) < LEAST:
        raise BadInput(f"{few:.0f} of {horizon:,} rows of the log count; {LEAST} are needed")
    return (losses * read / np.maximum(counted, 1.0))[:, :, np.newaxis]


@inlined
def dimension(game: ContextualGame) -> int:
    """Dimension of the contexts, d."""
    return game.shown.shape[1]


@inlined_counted
def contexts(game: ContextualGame) -> np.ndarray:
    """Return the contexts of the current round, float64 array (K, d). Every call in a game returns
    one and the same array object. In later rounds, call ``ensure_contexts`` to fill this array with
    the new contexts, which is faster than ``contexts``.
    """
    ensure_contexts_shared(game)
    return game.shown


@inlined
def ensure_contexts(game: ContextualGame) -> None:
    """Fill the array that ``contexts`` returns with the contexts of the current round, if it does
    not contain them yet.
    """
    if game.clock[SHOWN] != game.clock[0] + 1:
        t = game.clock[0]
        game.clock[ROW] = row_of(game.env, game.env_rng, t, game.order)
        draw_contexts(game.env, game.env_rng, game.clock[ROW], game.shown, game.means)
        game.clock[SHOWN] = t + 1


@shared_borrowing
def ensure_contexts_shared(game: ContextualGame) -> None:
    """Do the same as ``ensure_contexts``; this function is not inlined. ``contexts`` calls this
    function, and so does ``play`` if the learner has not called ``ensure_contexts`` in this round.
    """
    ensure_contexts(game)


@inlined
def play(game: ContextualGame, a: int) -> float:
    """Play the arm with context ``a``, a row of ``contexts``, for one round and return its reward.
    On a log, a row may not count: then the reward is 0, and the contexts of the round are set to 0.
    """
    check_arm(game, a)
    if unlikely(game.clock[SHOWN] != game.clock[0] + 1):
        ensure_contexts_shared(game)
    if unlikely(game.env.law[0] == REPLAY):
        return replay_shown(game, a)
    mean = game.means[a]
    r = reward_given(game.env, game.env_rng, game.clock[ROW], a, mean)
    count_round(game, a, game.means[len(game.counts)] - mean)
    return r


@shared_borrowing
def replay_shown(game: ContextualGame, a: int) -> float:
    """Play action ``a`` for one round on a log and return the reward, see ``play``."""
    row = game.clock[ROW]
    if replay(game, row, a):
        return game.env.table[row, 1]
    game.clock[ROW] = NOT_COUNTED
    for i in range(game.shown.shape[0]):
        for j in range(game.shown.shape[1]):
            game.shown[i, j] = 0.0
    return 0.0


@shared_borrowing
def replay(game: ContextualGame, row: int, a: int) -> bool:
    """Read a row of a log for a policy that chooses action ``a``, and return whether the row
    counts. A row counts if ``a`` is the logged action and a coin, which is tossed for every row,
    shows heads.
    """
    logged, table = game.env.order[a], game.env.table
    allowed = random(game.env_rng) < table[row, 2]
    counts = allowed and table[row, 0] == logged
    if counts:
        game.trace[game.clock[1], 2] += 1.0
    count_round(game, a, 1.0 - table[row, 1] if counts else 0.0)
    return counts


@inlined
def count_round(game: ContextualGame, a: int, gap: float) -> None:
    """Count a round in which the arm with context ``a`` was played and the regret was ``gap``."""
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
    """Draw the labelled users of the next ``n`` rounds. The first ``n`` entries of ``rows`` become
    their row numbers in ``game.env.rows``. ``play_users`` must then play these rounds.
    """
    for i in range(n):
        rows[i] = row_of(game.env, game.env_rng, game.clock[0] + i, game.order)


@shared_borrowing
def play_users(
    game: ContextualGame, n: int, rows: np.ndarray, actions: np.ndarray, losses: np.ndarray
) -> None:
    """Play ``actions`` for the ``n`` users that ``show_users`` showed, and fill ``losses`` with the
    loss of each user, 1 - reward. If a row of a log does not count, its entry of ``rows`` becomes
    NOT_COUNTED and its loss 0.
    """
    env = game.env
    for i in range(n):
        check_arm(game, actions[i])
        if env.law[0] == REPLAY:
            losses[i] = 1.0 - env.table[rows[i], 1]
            if not replay(game, rows[i], actions[i]):
                rows[i], losses[i] = NOT_COUNTED, 0.0
            continue
        best = -np.inf
        for a in range(len(env.order)):
            best = max(best, env.table[rows[i], a])
        r = env.table[rows[i], env.order[actions[i]]]
        losses[i] = 1.0 - r
        count_round(game, actions[i], best - r)
