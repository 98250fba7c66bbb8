"""Playing one run of a cell, or a single round of it to have its kernel compiled."""

from __future__ import annotations

import sys
from functools import lru_cache, singledispatch
from typing import Any

import numpy as np

from .cell import Cell, Unit
from .environments.instances import Instance
from .game import new_game, pulls_at_checkpoints
from .kernel import is_cached
from .seeds import ENVIRONMENT, LEARNER, SHUFFLE, generator


@singledispatch
def play(unit: Any, run: int) -> np.ndarray:
    """Play one run: what is kept of it, an array of numbers."""
    raise TypeError(f"no way is known to play a {type(unit).__name__}")


@play.register
def play_cell(cell: Cell, run: int) -> np.ndarray:
    """Play one run of a cell: pulls of each arm at the checkpoints, int64 array (C, K)."""
    instance = instance_of(cell)
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
def instance_of(unit: Unit) -> Instance:
    """What a unit is played on, built once for all of its runs."""
    return unit.instance


def compile_kernel(unit: Unit) -> None:
    """Compile a kernel, unless it is, by playing one round: before several workers need it."""
    function = unit.algorithm.function
    if function.signatures:  # type: ignore[attr-defined]
        return
    if not is_cached(function):
        print(f"compiling {unit.algo}, the first time only ...", file=sys.stderr, flush=True)
    try:
        play(unit.in_short(), 0)
    except Exception:  # what fails though it is compiled will fail, and be told, in its runs
        if not function.signatures:  # type: ignore[attr-defined]
            raise
