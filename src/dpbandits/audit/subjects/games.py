"""Games whose rewards are fixed in advance, not drawn from an environment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...contracts.algorithm import Algorithm
from ...environments.catalogue import build
from ...environments.laws import PARAMETERS, TABLE, Environment
from ...environments.populations import Population
from ...game import Game, new_game
from ...settings.resolve import arguments

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
    table: Any, crowd: Population, coins: Any = None, checkpoints: np.ndarray | None = None
) -> Game:
    """A game before its first round.

    Args:
        table: the rewards, float array (T, K), or what behaves like one.
        crowd: the users.
        coins: the environment's generator; one of seed 0 if None.
        checkpoints: see ``new_game``; all rounds if None.
    """
    T, K = table.shape
    laws = Environment(np.full(K, TABLE), np.zeros((K, PARAMETERS)), np.zeros((0, 2)), table, 0.0)
    rounds = np.arange(1, T + 1) if checkpoints is None else checkpoints
    coins = np.random.default_rng(0) if coins is None else coins
    return new_game(laws, crowd.users(), coins, T, rounds)
