"""Games whose rewards are fixed in advance, for learners that know nothing of the actions, their
features, or contexts; what is public is the same in all games of a size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..contextual_game import new_contextual_game
from ..contracts.algorithm import Algorithm
from ..contracts.question import ARMS, CONTEXTS, FEATURES
from ..environments.contexts import contextual_environment
from ..environments.laws import PARAMETERS, TABLE, Environment
from ..environments.users import Users
from ..game import new_game

MOST_DIMENSIONS = 3


def game_on(
    algorithm: Algorithm, rewards: Any, users: Users, coins: Any, checkpoints: np.ndarray
) -> Any:
    """The game of an algorithm on a table of rewards, (T, K)."""
    env, begin = GAMES[algorithm.actions](rewards)
    return begin(env, users, coins, rewards.shape[0], checkpoints)


def arms(rewards: Any) -> tuple[Environment, Callable]:
    """The environment, and what begins a game."""
    K = rewards.shape[1]
    laws, parameters = np.full(K, TABLE), np.zeros((K, PARAMETERS))
    return Environment(laws, parameters, np.zeros((0, 2)), rewards, 0.0), new_game


def arms_with_features(rewards: Any) -> tuple[Environment, Callable]:
    """As ``arms``, with features in the unit ball."""
    env, begin = arms(rewards)
    return env._replace(features=in_ball(rewards, 1)[0]), begin


def contexts(rewards: Any) -> tuple[Any, Callable]:
    """As ``arms``, with contexts in the unit ball."""
    T, K = rewards.shape
    x = in_ball(rewards, T)
    env = contextual_environment(TABLE, K, in_ball(rewards, 1)[0, 0], rows=x.reshape(T, -1))
    return env._replace(table=rewards), new_contextual_game


def in_ball(rewards: Any, n: int) -> np.ndarray:
    """Vectors for each arm, most of them of length 1, float64 array (n, K, d)."""
    T, K = rewards.shape
    rng = np.random.default_rng([T, K])
    x = rng.standard_normal((n, K, 1 + T % MOST_DIMENSIONS))
    lengths = np.minimum(1.0, rng.uniform(0.5, 2.0, (n, K, 1)))
    return x / np.linalg.norm(x, axis=2, keepdims=True) * lengths


GAMES: dict[str, Callable[[Any], tuple[Any, Callable]]] = {
    ARMS: arms,
    FEATURES: arms_with_features,
    CONTEXTS: contexts,
}
