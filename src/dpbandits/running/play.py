"""Playing runs of a cell, or a single round of it to have its kernel compiled."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from ..compiled.cache import is_cached
from ..compiled.decorators import is_compiled, loop
from ..game import Game, new_game, pulls_of, restart
from ..settings.setting import Cell, Unit, data_of
from .seeds import ENVIRONMENT, LEARNER, SHUFFLE, generator, state_in_memory, states

played: Any = None  # in a loop over runs: its algorithm


def play(unit: Unit, run: int) -> np.ndarray:
    """Play one run: what is kept of it, an array of numbers."""
    return play_many(unit, (run,))[0]


@singledispatch
def play_many(unit: Any, runs: Sequence[int]) -> list[np.ndarray]:
    """Play some runs: what is kept of each, the same as if it were played alone."""
    raise TypeError(f"no way is known to play a {type(unit).__name__}")


@play_many.register
def play_cell(cell: Cell, runs: Sequence[int]) -> list[np.ndarray]:
    """Play runs of a cell: for each, pulls of each arm at the checkpoints, int64 array (C, K)."""
    (instance, crowd), function = data_of(cell), cell.algorithm.function
    if len(runs) > 1 and (cell.shuffle_arms or not is_compiled(function)):
        return [play(cell, run) for run in runs]
    order = np.arange(len(instance.means))
    if cell.shuffle_arms:
        order = generator(cell.seed, runs[0], SHUFFLE).permutation(order)
    coins, rng = (generator(cell.seed, runs[0], stream) for stream in (ENVIRONMENT, LEARNER))
    game = new_game(instance.shuffled(order), crowd.users(), coins, cell.horizon, cell.rounds())
    if is_compiled(function):
        traces = play_in_loop(cell, game, rng, runs, np.zeros((len(runs), *game.trace.shape), int))
    else:
        function(game, rng, *cell.arguments)
        traces = game.trace[np.newaxis]
    return list(pulls_of(traces, cell.horizon)[:, :, np.argsort(order)])


def play_games(game, rng, memory, states, arguments, traces):
    """A loop: the trace of every run, int64 array (runs, C + 1, K)."""
    for i in range(len(traces)):
        restart(game)
        memory[0][:] = states[i, 0]
        memory[1][:] = states[i, 1]
        played(game, rng, *arguments)
        traces[i] = game.trace


@singledispatch
def loop_of(unit: Any) -> Callable:
    """The loop that plays many runs of a compiled algorithm in one call."""
    return loop(play_games, unit.algorithm.function, unit.algorithm.tag)


def play_in_loop(
    unit: Unit, game: Game, rng: np.random.Generator, runs: Sequence[int], kept: np.ndarray
) -> np.ndarray:
    """Play runs of a compiled algorithm: ``kept``, an array (runs, ...), once it is filled.

    Before each run the two generators are given the states that are that run's own.
    """
    memory = state_in_memory(game.coins), state_in_memory(rng)
    own = np.stack([states(unit.seed, runs, s) for s in (ENVIRONMENT, LEARNER)], axis=1)
    loop_of(unit)(game, rng, memory, own, unit.arguments, kept)
    return kept


def compile_kernel(unit: Unit) -> None:
    """Compile a loop, unless it is, by playing one round: before several workers need it."""
    kernel: Any = loop_of(unit)
    if kernel.signatures:
        return
    if not is_cached(kernel):
        print(f"compiling {unit.algo}, the first time only ...", file=sys.stderr, flush=True)
    try:
        play(unit.in_short(), 0)
    except Exception:  # what fails though it is compiled will fail, and be told, in its runs
        if not kernel.signatures:
            raise
