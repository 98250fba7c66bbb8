"""The game between a learner and an environment, and the functions that play and count rounds.

The game records pull counts, not rewards. The pseudo-regret is computed later as ``counts @ gaps``,
so the game need not know means or gaps, and algorithms cannot see them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compiled import binomial, inlined, inlined_counted, random, shared_borrowing, unlikely
from .environments.blocks import (
    draw_counts,
    draw_encoded_sum,
    draw_some,
    draw_sum,
    sum_of,
    truncate,
    turns,
)
from .environments.laws import (
    Environment,
    Law,
    draw,
    draw_again,
    draw_from,
    draw_outlier_within,
    largest_kept,
    law_of,
    outliers,
)
from .environments.users import Users, alike, arrival

NEVER = np.iinfo(np.int64).max


class Game(NamedTuple):
    """One run of an algorithm on an environment."""

    env: Environment  # the arms' laws
    users: Users  # the population of users, one of whom arrives in each round
    env_rng: np.random.Generator  # the environment's generator
    horizon: int  # number of rounds, T
    checkpoints: np.ndarray  # int64 array (C + 1,), increasing; the last entry is never reached
    clock: np.ndarray  # int64 array (2,): number of rounds played, index of the next checkpoint
    counts: np.ndarray  # int64 array (K,), pulls of each arm so far
    trace: np.ndarray  # int64 array (C + 1, K), pulls of each arm between consecutive checkpoints


def new_game(
    env: Environment,
    users: Users,
    env_rng: np.random.Generator,
    horizon: int,
    checkpoints: np.ndarray,
) -> Game:
    """Create a game before its first round.

    Args:
        env: the arms' laws, K arms.
        users: the population of users; only algorithms with local privacy use it.
        env_rng: the environment's generator.
        horizon: number of rounds, at least 1.
        checkpoints: increasing integers in [1, horizon], the last one equal to the horizon.
    """
    K = env.table.shape[1]
    return Game(
        env=env,
        users=users,
        env_rng=env_rng,
        horizon=int(horizon),
        checkpoints=np.append(checkpoints, NEVER).astype(np.int64),
        clock=np.zeros(2, np.int64),
        counts=np.zeros(K, np.int64),
        trace=np.zeros((len(checkpoints) + 1, K), np.int64),
    )


def pulls_of(traces: np.ndarray, horizon: int | None) -> np.ndarray:
    """Return the pulls of each arm up to each checkpoint of finished games, int64 array (games, C,
    K).

    Args:
        traces: the games' traces, int64 array (games, C + 1, K).
        horizon: the number of rounds that every game must have played, None for any number.

    Raises:
        ValueError: the number of rounds that a game has played is not ``horizon``.
    """
    for rounds in traces.sum(axis=(1, 2)):
        if horizon is not None and rounds != horizon:
            raise ValueError(f"the algorithm played {rounds} rounds of a game of {horizon}")
    return np.cumsum(traces, axis=1)[:, :-1]


@shared_borrowing
def restart(game: Game) -> None:
    """Reset the game to its state before the first round."""
    for i in range(len(game.clock)):
        game.clock[i] = 0
    for a in range(len(game.counts)):
        game.counts[a] = 0
    for c in range(game.trace.shape[0]):
        for i in range(game.trace.shape[1]):
            game.trace[c, i] = 0


@inlined
def arms(game: Game) -> int:
    """Number of arms, K."""
    return len(game.counts)


@inlined_counted
def features(game: Game) -> np.ndarray:
    """The features of each arm, float64 array (K, d)."""
    return game.env.features


@inlined
def rounds_played(game: Game) -> int:
    """Return the number of rounds played, which is t - 1 if the next round is round t."""
    return game.clock[0]


@inlined
def rounds_left(game: Game) -> int:
    """Return the number of rounds left until the horizon."""
    return game.horizon - game.clock[0]


@inlined
def room_for(game: Game, n: float, k: int) -> bool:
    """Return whether ``k`` blocks of ``n`` rounds are possible before the horizon. ``n`` may exceed
    the range of int64.
    """
    left = rounds_left(game)
    return n <= left and int(n) <= left // k


@inlined
def until_horizon(game: Game, n: float) -> int:
    """Return the number of rounds left, or ``n`` if ``n`` is smaller. ``n`` may exceed int64."""
    return int(n) if room_for(game, n, 1) else rounds_left(game)


@inlined
def pulls(game: Game, a: int) -> int:
    """Return the number of pulls of arm ``a``, N."""
    return game.counts[a]


@inlined
def pull(game: Game, a: int) -> float:
    """Play arm ``a`` for one round and return its reward."""
    check_arm(game, a)
    t = game.clock[0]
    x = draw(game.env, game.env_rng, a, t)
    c = game.clock[1]
    game.counts[a] += 1
    game.trace[c, a] += 1
    game.clock[0] = t + 1
    game.clock[1] = c + (t + 1 == game.checkpoints[c])
    return x


@inlined
def receive(game: Game, a: int, z: float, level: float) -> float:
    """Return the value that the server uses for the report ``z`` of a user of arm ``a``. This value
    is the report, or an outlier that replaces the report. Reports are at most ``level`` in absolute
    value, so an outlier above ``level`` counts as 0. An adversary may know the level.
    """
    env = game.env
    if unlikely(env.alpha > 0.0) and env.reports and random(game.env_rng) < env.alpha:
        return truncate(draw_outlier_within(env, game.env_rng, outliers(env, a), level), level)
    return z


@inlined
def hold(game: Game, a: int) -> Law:
    """Begin a hold, in which arm ``a`` is played for several rounds, and return the law of the arm.
    In a hold, ``pull_held`` plays single rounds, and ``end_hold`` counts these rounds as pulls.
    """
    check_arm(game, a)
    return law_of(game.env, a)


@inlined
def pull_held(game: Game, arm: Law, t: int) -> float:
    """Play one round of the arm of a hold (see ``hold``), after ``t`` rounds of the game, and
    return its reward.

    A call takes two thirds of the time of ``pull``, since the law stays in registers and no array
    is written.
    """
    return draw_again(game.env, game.env_rng, arm, t)


@inlined
def pull_held_within(game: Game, arm: Law, t: int, level: float) -> float:
    """Play one round of the arm of a hold (see ``hold``), after ``t`` rounds of the game. Return
    the user's reward, for a local randomizer that truncates it at ``level``. An outlier may replace
    the reward in this round, or the report later (see ``receive``).
    """
    env = game.env
    if unlikely(env.alpha > 0.0) and not env.reports and random(game.env_rng) < env.alpha:
        return draw_outlier_within(env, game.env_rng, outliers(env, arm.row), level)
    return draw_from(env, game.env_rng, arm, t)


@inlined
def end_hold(game: Game, arm: Law, t: int) -> None:
    """End a hold after ``t`` rounds of the game, and count the rounds of the hold as pulls of the
    arm.
    """
    advance(game, arm.row, t - game.clock[0])


@shared_borrowing
def pull_sum(game: Game, a: int, n: int) -> float:
    """Play arm ``a`` for ``n`` rounds, or for all rounds that are left, and return the sum of its
    rewards.
    """
    return pull_truncated_sum(game, a, n, 0.0, np.inf)


@shared_borrowing
def pull_truncated_sum(game: Game, a: int, n: int, center: float, level: float) -> float:
    """Play arm ``a`` for ``n`` rounds and return the truncated sum of its rewards.

    The sum is over x - ``center`` for each reward x. A difference larger than ``level`` in absolute
    value counts as 0.
    """
    check_arm(game, a)
    total = draw_sum(game.env, game.env_rng, a, n, game.clock[0], 1, center, level)
    advance(game, a, n)
    return total


@shared_borrowing
def pull_counts(game: Game, a: int, n: int, left: float, width: float, counts: np.ndarray) -> None:
    """Play arm ``a`` for ``n`` rounds and add the histogram of its rewards to ``counts``.

    Bin i is [left + i width, left + (i + 1) width).
    """
    check_arm(game, a)
    draw_counts(game.env, game.env_rng, a, n, game.clock[0], 1, left, width, counts)
    advance(game, a, n)


@shared_borrowing
def pull_in_turn(game: Game, active: np.ndarray, rounds: int, sums: np.ndarray) -> None:
    """Play the active arms in turn, one pull each, for ``rounds`` rounds or for all rounds that are
    left.

    Args:
        game: the game.
        active: int64 array, the arms in the order of their turns.
        rounds: total number of rounds; if it is a multiple of ``len(active)``, all arms get equally
            many pulls.
        sums: float64 array (K,), output: the sum of the rewards of each active arm.
    """
    pull_truncated_in_turn(game, active, rounds, np.inf, sums)


@shared_borrowing
def pull_truncated_in_turn(
    game: Game, active: np.ndarray, rounds: int, level: float, sums: np.ndarray
) -> None:
    """Play the active arms as ``pull_in_turn`` does, but count rewards above ``level`` in absolute
    value as 0.
    """
    k = len(active)
    for i in range(k):
        check_arm(game, active[i])
        t, n = game.clock[0] + i, turns(rounds, i, k)
        sums[active[i]] = draw_sum(game.env, game.env_rng, active[i], n, t, k, 0.0, level)
    advance_in_turn(game, active, rounds)


@shared_borrowing
def pull_reports_in_turn(
    game: Game,
    active: np.ndarray,
    rounds: int,
    level: float,
    largest: float,
    sums: np.ndarray,
    sent: np.ndarray,
) -> None:
    """Play the active arms as ``pull_truncated_in_turn`` does, for users who add noise to their
    truncated rewards. ``sent``, float64 array (K,), is filled with the number of reports of each
    arm that arrive. Outliers replace the other reports and are added to ``sums``. An adversary who
    knows the algorithm sends the outlier ``largest``.
    """
    env, k = game.env, len(active)
    if not env.reports:
        pull_truncated_in_turn(game, active, rounds, level, sums)
        for i in range(k):
            sent[active[i]] = turns(rounds, i, k)
        return
    for i in range(k):
        a, n = active[i], turns(rounds, i, k)
        check_arm(game, a)
        lost = binomial(game.env_rng, n, env.alpha)
        sums[a] = draw_some(env, game.env_rng, a, n, lost, game.clock[0] + i, k, level)
        row = outliers(env, a)
        sums[a] += sum_of(env, game.env_rng, row, lost, 0.0, largest_kept(env, row, largest))
        sent[a] = n - lost
    advance_in_turn(game, active, rounds)


@shared_borrowing
def pull_encoded_in_turn(
    game: Game, active: np.ndarray, rounds: int, g: int, sums: np.ndarray
) -> None:
    """Play the active arms as ``pull_in_turn`` does, for users who encode their rewards as
    integers. A reward x in [0, 1] becomes x times ``g``, rounded at random to an integer. ``sums``
    is an int64 array (K,).
    """
    k = len(active)
    for i in range(k):
        check_arm(game, active[i])
        t, n = game.clock[0] + i, turns(rounds, i, k)
        sums[active[i]] = draw_encoded_sum(game.env, game.env_rng, active[i], n, t, k, g)
    advance_in_turn(game, active, rounds)


@shared_borrowing
def skip_rounds(game: Game, active: np.ndarray, rounds: int) -> None:
    """Play the active arms in turn for ``rounds`` rounds without drawing their rewards.

    Args:
        game: the game.
        active: int64 array, the arms in the order of their turns.
        rounds: total number of rounds, at most the number of rounds left.
    """
    for a in active:
        check_arm(game, a)
    advance_in_turn(game, active, rounds)


@inlined
def advance(game: Game, a: int, n: int) -> None:
    """Count ``n`` rounds as pulls of arm ``a``."""
    t, c = game.clock[0], game.clock[1]
    end = t + n
    game.counts[a] += n
    while game.checkpoints[c] <= end:
        game.trace[c, a] += game.checkpoints[c] - t
        t = game.checkpoints[c]
        c += 1
    game.trace[c, a] += end - t
    game.clock[0] = end
    game.clock[1] = c


@shared_borrowing
def advance_in_turn(game: Game, active: np.ndarray, rounds: int) -> None:
    """Count ``rounds`` rounds as pulls of the active arms in turn."""
    t, c, k = game.clock[0], game.clock[1], len(active)
    end = t + rounds
    for i in range(k):
        game.counts[active[i]] += turns(rounds, i, k)
    played = 0
    while played < rounds:
        stop = min(game.checkpoints[c], end) - t
        if stop - played <= k:
            for i in range(played, stop):
                game.trace[c, active[i % k]] += 1
        else:
            for i in range(k):
                game.trace[c, active[i]] += turns(stop, i, k) - turns(played, i, k)
        played = stop
        c += game.checkpoints[c] == t + stop
    game.clock[0] = end
    game.clock[1] = c


@inlined
def users_alike(game: Game) -> bool:
    """Return whether all users have the same privacy level."""
    return alike(game.users)


@inlined
def next_user(game: Game) -> int:
    """Draw the user of the next round and return the index of that user's privacy level."""
    return arrival(game.users, game.env_rng)


@inlined
def privacy_level(game: Game, user: int) -> float:
    """Privacy level eps_t of a user."""
    return game.users.level[user]


@inlined
def tanh_half_level(game: Game, user: int) -> float:
    """Return tanh(eps_t / 2) for the privacy level eps_t of a user."""
    return game.users.tanh[user]


@inlined
def coth_half_level(game: Game, user: int) -> float:
    """Return 1/tanh(eps_t / 2) for the privacy level eps_t of a user."""
    return game.users.coth[user]


@inlined
def check_arm(game: Game, a: int) -> None:
    """Raise IndexError if an arm does not exist, since compiled code does not check bounds."""
    if a < 0 or a >= len(game.counts):
        raise IndexError("an algorithm played an arm that does not exist")
