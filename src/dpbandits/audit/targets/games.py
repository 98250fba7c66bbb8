"""Games whose rewards are fixed in advance, not drawn from an environment."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...contextual_game import new_contextual_game
from ...contracts.question import CONTEXTS, FEATURES, USERS
from ...environments.contexts import contextual_environment
from ...environments.laws import PARAMETERS, TABLE, Environment
from ...game import new_game

MOST_DIMENSIONS = 3  # the largest dimension of features and of contexts


def game_on(
    target: Any, table: Any, env_rng: Any = None, checkpoints: np.ndarray | None = None
) -> Any:
    """Return a game with fixed rewards before its first round.

    Features and public contexts are the same in all games with equal T and K. If contexts are
    private, the contexts of every second round depend on the rewards of this round. So if
    neighbours differ in the reward of such a round, they also differ in its contexts.

    Args:
        target: the ``DecisionTarget`` that plays.
        table: the rewards, float array (T, K), or an object that behaves like such an array.
        env_rng: the environment's generator; None stands for a generator with seed 0.
        checkpoints: see ``new_game``; all rounds if None.
    """
    (T, K), actions, users = table.shape, target.source.actions, target.population.users()
    rounds = np.arange(1, T + 1) if checkpoints is None else checkpoints
    env_rng = np.random.default_rng(0) if env_rng is None else env_rng
    if actions in (CONTEXTS, USERS):
        rewards = getattr(table, "table", table)
        if actions == USERS:
            x = in_ball(table, T)[:, 0]
            depend_on_rewards(x, rewards, 1)
            rows = np.column_stack([np.ones(T), x]) / math.sqrt(2.0)
            theta = np.zeros(K * rows.shape[1])
        else:
            rows, theta = in_ball(table, T).reshape(T, -1), in_ball(table, 1)[0, 0]
            if target.of_contexts:
                depend_on_rewards(rows, rewards, K)
        laws = contextual_environment(TABLE, K, theta, rows=rows, table=np.zeros((T, K)))
        env = laws._replace(table=table)
        return new_contextual_game(env, users, env_rng, T, rounds)
    parameters = np.zeros((K, PARAMETERS))
    parameters[:, 0] = np.arange(K)
    plain = Environment(np.full(K, TABLE), parameters, np.zeros((0, 2)), table, 0.0)
    if actions == FEATURES:
        plain = plain._replace(features=in_ball(table, 1)[0])
    return new_game(plain, users, env_rng, T, rounds)


def depend_on_rewards(rows: np.ndarray, rewards: np.ndarray, vectors: int) -> None:
    """Replace the vectors of every second round by vectors that depend on the round's rewards.

    Each row of ``rows`` has the vectors of one round; ``vectors`` is the number of these vectors.
    """
    for t in range(1, len(rows), 2):
        row = np.ascontiguousarray(rewards[t], float)
        shape = vectors, rows.shape[1] // vectors
        x = np.random.default_rng([t, *map(int, row.view(np.uint64))]).standard_normal(shape)
        rows[t] = (x / np.linalg.norm(x, axis=1, keepdims=True)).ravel()


def in_ball(table: Any, n: int) -> np.ndarray:
    """Return n vectors for each arm, most of them of length 1, float64 array (n, K, d)."""
    T, K = table.shape
    rng = np.random.default_rng([T, K])
    x = rng.standard_normal((n, K, 1 + T % MOST_DIMENSIONS))
    lengths = np.minimum(1.0, rng.uniform(0.5, 2.0, (n, K, 1)))
    return x / np.linalg.norm(x, axis=2, keepdims=True) * lengths
