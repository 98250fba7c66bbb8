"""Games whose rewards are fixed in advance, not drawn from an environment."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...contextual_game import new_contextual_game
from ...contracts.algorithm import Algorithm
from ...contracts.question import ARMS, CONTEXTS, FEATURES
from ...environments.catalogue import build
from ...environments.contexts import contextual_environment
from ...environments.laws import PARAMETERS, TABLE, Environment
from ...environments.populations import Population
from ...game import new_game
from ...settings.resolve import arguments

MOST_DIMENSIONS = 3  # of features and contexts
COIN = {"law": "sign", "mean": 0.0, "scale": 1.0}  # the environment of parameters that are auto


def arguments_at(algorithm: Algorithm, parameters: Mapping[str, Any], T: int) -> tuple[float, ...]:
    """The arguments of an algorithm's function at a horizon, from parameters as a configuration
    holds them.

    Raises:
        BadInput: the algorithm cannot take them.
    """
    question = algorithm.question
    horizon = T if question.plays_on else math.nan
    return arguments(algorithm, parameters, horizon, "sign", build(COIN), question.goal_names)


def game_on(
    table: Any,
    population: Population,
    env_rng: Any = None,
    checkpoints: np.ndarray | None = None,
    actions: str = ARMS,
    of_contexts: bool = False,
) -> Any:
    """A game before its first round.

    Args:
        table: the rewards, float array (T, K), or what behaves like one.
        population: the users.
        env_rng: the environment's generator; one of seed 0 if None.
        checkpoints: see ``new_game``; all rounds if None.
        actions: what the learner knows of the actions. Features and contexts are public: they are
            the same in all games of a size.
        of_contexts: whether contexts are private: in half of the rounds they depend on the round's
            rewards, so neighbours that differ in a reward differ in the contexts of its round, too.
    """
    T = table.shape[0]
    laws, begin = GAMES[actions](table)
    if of_contexts:
        depend_on_rewards(laws.rows, getattr(table, "table", table))
    rounds = np.arange(1, T + 1) if checkpoints is None else checkpoints
    env_rng = np.random.default_rng(0) if env_rng is None else env_rng
    return begin(laws, population.users(), env_rng, T, rounds)


def with_arms(table: Any) -> tuple[Environment, Callable]:
    """The environment, and what begins a game."""
    K = table.shape[1]
    laws, parameters = np.full(K, TABLE), np.zeros((K, PARAMETERS))
    parameters[:, 0] = np.arange(K)
    return Environment(laws, parameters, np.zeros((0, 2)), table, 0.0), new_game


def with_features(table: Any) -> tuple[Environment, Callable]:
    """As ``with_arms``, with features in the unit ball."""
    env, begin = with_arms(table)
    return env._replace(features=in_ball(table, 1)[0]), begin


def with_contexts(table: Any) -> tuple[Any, Callable]:
    """As ``with_arms``, with contexts in the unit ball."""
    T, K = table.shape
    rows, theta = in_ball(table, T).reshape(T, -1), in_ball(table, 1)[0, 0]
    env = contextual_environment(TABLE, K, theta, rows=rows, table=np.zeros((T, K)))
    return env._replace(table=table), new_contextual_game


def depend_on_rewards(rows: np.ndarray, rewards: np.ndarray) -> None:
    """Replace the contexts of every other round by ones that its rewards determine."""
    for t in range(1, len(rows), 2):
        row = np.ascontiguousarray(rewards[t], float)
        shape = len(row), rows.shape[1] // len(row)
        x = np.random.default_rng([t, *map(int, row.view(np.uint64))]).standard_normal(shape)
        rows[t] = (x / np.linalg.norm(x, axis=1, keepdims=True)).ravel()


def in_ball(table: Any, n: int) -> np.ndarray:
    """Vectors for each arm, most of them of length 1, float64 array (n, K, d)."""
    T, K = table.shape
    rng = np.random.default_rng([T, K])
    x = rng.standard_normal((n, K, 1 + T % MOST_DIMENSIONS))
    lengths = np.minimum(1.0, rng.uniform(0.5, 2.0, (n, K, 1)))
    return x / np.linalg.norm(x, axis=2, keepdims=True) * lengths


GAMES: dict[str, Callable[[Any], tuple[Any, Callable]]] = {
    ARMS: with_arms,
    FEATURES: with_features,
    CONTEXTS: with_contexts,
}
