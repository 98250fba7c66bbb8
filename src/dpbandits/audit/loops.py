"""Many runs in one call: what an adversary sees of each, one row a run.

The functions here are templates of ``kernel.loop``, which gives the name ``played`` its meaning.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..environments.laws import PARAMETERS, TABLE, Environment
from ..environments.populations import homogeneous
from ..game import Game, new_game, restart

played: Any = None


def fixed_game(rewards: np.ndarray, checkpoints: np.ndarray) -> Game:
    """A game with rewards fixed in advance.

    Args:
        rewards: float array (T, K), of each round and arm.
        checkpoints: as ``new_game``.
    """
    T, K = rewards.shape
    laws = Environment(np.full(K, TABLE), np.zeros((K, PARAMETERS)), np.zeros((0, 2)), rewards, 0.0)
    return new_game(laws, homogeneous(1.0).users(), np.random.default_rng(0), T, checkpoints)


def play_games(game, rng, arguments, seen):
    """Pulls of all arms but the last up to each checkpoint, int64 array (runs, C, K - 1)."""
    for i in range(len(seen)):
        restart(game)
        played(game, rng, *arguments)
        for a in range(seen.shape[2]):
            total = 0
            for c in range(seen.shape[1]):
                total += game.trace[c, a]
                seen[i, c, a] = total


def play_trials(game, rng, arguments, seen):
    """Stopping time and estimate, float64 array (runs, 2); no estimate is one far below all."""
    for i in range(len(seen)):
        restart(game)
        estimate = played(game, rng, *arguments)
        halted = not np.isnan(estimate)
        seen[i, 0] = game.clock[0] if halted else game.horizon + 1
        seen[i, 1] = estimate if halted else -1e30


def play_releases(x, rng, arguments, seen):
    """What a release tells, float array (runs, numbers)."""
    for i in range(len(seen)):
        played(rng, x, arguments[0], seen[i])


def play_responses(x, rng, arguments, seen):
    """What a user sends, float array (runs, 1)."""
    for i in range(len(seen)):
        seen[i, 0] = played(rng, x[0], arguments[0])
