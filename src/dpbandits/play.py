"""Playing one run of a cell, or a single round of it to have its kernel compiled."""

from __future__ import annotations

import sys
from functools import lru_cache

import numpy as np

from .cell import Cell
from .environments.instances import Instance
from .game import new_game, pulls_at_checkpoints
from .kernel import is_cached
from .seeds import ENVIRONMENT, LEARNER, SHUFFLE, generator


def play(cell: Cell, run: int) -> np.ndarray:
    """Play one run of a cell: pulls of each arm at the checkpoints, int64 array (C, K)."""
    instance = _instance(cell)
    K = len(instance.means)
    order = np.arange(K)
    if cell.shuffle_arms:
        order = generator(cell.seed, run, SHUFFLE).permutation(K)
    coins = generator(cell.seed, run, ENVIRONMENT)
    game = new_game(instance.shuffled(order), cell.users, coins, cell.horizon, cell.rounds())
    cell.algorithm.function(game, generator(cell.seed, run, LEARNER), *cell.arguments)
    pulls = pulls_at_checkpoints(game)
    return pulls[:, np.argsort(order)]


@lru_cache(maxsize=16)
def _instance(cell: Cell) -> Instance:
    return cell.instance


def compile_kernel(cell: Cell) -> None:
    """Compile a kernel, unless it is, by playing one round: before several workers need it."""
    function = cell.algorithm.function
    if function.signatures:  # type: ignore[attr-defined]
        return
    if not is_cached(function):
        print(f"compiling {cell.algo}, the first time only ...", file=sys.stderr, flush=True)
    instance = _instance(cell)
    environment = instance.shuffled(np.arange(len(instance.means)))
    coins, rounds = generator(0, 0, ENVIRONMENT), np.ones(1, dtype=np.int64)
    game = new_game(environment, cell.users, coins, 1, rounds)
    function(game, generator(0, 0, LEARNER), *cell.arguments)
