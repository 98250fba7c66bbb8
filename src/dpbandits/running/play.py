"""Play runs. One compiled loop plays many runs, and records the pulls and the answer of each
run.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiled import answer_of, loop, random, shared_borrowing
from ..contextual_game import new_contextual_game, regret_of
from ..contracts.algorithm import Algorithm
from ..contracts.question import BEST_ARM, PULLS, TRACE
from ..game import Game, new_game, pulls_of, restart
from ..results.possible import impossible
from ..settings.setting import Setting, data_of
from .global_random import seeded_globals
from .seeds import (
    ENVIRONMENT,
    LEARNER,
    SHUFFLE,
    STREAMS,
    WORDS,
    generator,
    memory_of,
    states,
)

played: Any = None  # stands for the algorithm in the loop over runs


class Record(NamedTuple):
    """The record and the answer of a run."""

    # the record that its question defines: int64 array (C, K), the pulls of each arm up to each
    # checkpoint, or float64 array (C, 1), the regret
    pulls: np.ndarray
    answer: float  # what the algorithm returned, NaN if it returned nothing


# For each kind of record: the function that begins a game, and the function that reads its traces
GAMES: dict[str, tuple[Callable, Callable]] = {
    PULLS: (new_game, pulls_of),
    TRACE: (new_contextual_game, regret_of),
}


def play(setting: Setting, run: int) -> Record:
    """Play one run of a setting."""
    return play_many(setting, (run,))[0]


def play_many(setting: Setting, runs: Sequence[int]) -> list[Record]:
    """Play several runs of a setting. Each run has the same result as if it were played alone."""
    together = len(runs) > 1
    # In plain Python an algorithm may call rng.spawn, whose result depends on the seed of the
    # generator and not on its state
    if together and not setting.algorithm.compiled:
        return [play(setting, run) for run in runs]
    with seeded_globals(setting.seed, runs[0], setting.algorithm.compiled) as drawn_from:
        found = _play(setting, runs)
        if not (together and drawn_from()):
            return found
    # the algorithm draws from the global generators, so these need a new seed before each run
    return [play(setting, run) for run in runs]


def _play(setting: Setting, runs: Sequence[int]) -> list[Record]:
    instance, population = data_of(setting)
    env_rng, rng = (generator(setting.seed, runs[0], stream) for stream in (ENVIRONMENT, LEARNER))
    K = len(instance.means)
    laws = instance.shuffled(np.arange(K))
    question = setting.question
    begin, read = GAMES[question.record.name]
    game: Any = begin(laws, population.users(), env_rng, setting.horizon, setting.rounds())
    shuffled = len(runs) if setting.shuffle_arms else 0
    order = np.zeros((shuffled, K), np.int64)
    arms = Arms(order, by_arm(laws), by_arm(instance.environment), question.record.per_arm)
    begun = states(setting.seed, runs)
    traces, answers = play_loop(
        setting.algorithm, game, rng, setting.arguments, len(runs), begun, arms
    )
    found = read(traces, setting.horizon if question.plays_on else None)
    if question.plays_on:  # runs that play until the limit return no answer
        answers[:] = np.nan
    if fault := impossible(setting, found, answers):
        raise ValueError(f"{setting.algo} has played what no run can: {fault}")
    if question is BEST_ARM and setting.shuffle_arms:
        named = np.flatnonzero(~np.isnan(answers))
        answers[named] = order[named, answers[named].astype(np.int64)]
    return [Record(*pair) for pair in zip(found, answers.tolist(), strict=True)]


class Arms(NamedTuple):
    """The order of the arms in several runs: shuffled before each run, or as listed."""

    # int64 array (runs, K), output: the number of the arm at each place; (0, K) without shuffling
    order: np.ndarray
    placed: tuple[np.ndarray, ...]  # ``by_arm`` of the game's environment
    listed: tuple[np.ndarray, ...]  # ``by_arm`` of the environment as it is listed
    per_arm: bool  # whether the trace of a game has a column for each arm


def by_arm(env: Any) -> tuple[np.ndarray, ...]:
    """Return the arrays of an environment with an entry for each arm, viewed as int64 matrices."""
    arrays = (getattr(env, name) for name in env.by_arm)
    return tuple(x.view(np.int64).reshape(len(x), math.prod(x.shape[1:])) for x in arrays)


NO_STATES = np.zeros((0, STREAMS, WORDS), np.uint64)
NO_MEMORY = np.zeros(WORDS, np.uint64), np.zeros(WORDS, np.uint64)


def play_loop(
    algorithm: Algorithm,
    game: Game,
    rng: np.random.Generator,
    arguments: tuple[float, ...],
    runs: int,
    states: np.ndarray = NO_STATES,
    arms: Arms | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Play a game several times.

    Args:
        algorithm: the algorithm.
        game: the game; it is restarted before each run.
        rng: the learner's generator.
        arguments: the values of the algorithm's parameters.
        runs: number of runs.
        states: the states of the generators of all streams at the beginning of each run, uint64
            array (runs, STREAMS, WORDS). If the array is empty, the generators continue from run to
            run.
        arms: the arms; None if the arms are not shuffled. Shuffled arms need ``states``.

    Returns:
        The traces, int64 array (runs, C + 1, K), or the traces of a contextual game, float64 array;
        and the answers, float64 array (runs,).
    """
    traces = np.zeros((runs, *game.trace.shape), game.trace.dtype)
    answers = np.zeros(runs)
    memory = NO_MEMORY
    if len(states):
        memory = memory_of(game.env_rng.bit_generator), memory_of(rng.bit_generator)
    if arms is None:
        places = by_arm(game.env)
        arms = Arms(np.zeros((0, 0), np.int64), places, places, False)
    loop_of(algorithm)(game, rng, memory, states, arms, arguments, traces, answers)
    return traces, answers


@shared_borrowing
def shuffle(env_rng: np.random.Generator, arms: Arms, i: int) -> None:
    """Shuffle the arms for run ``i``; every order has the same probability."""
    order, K = arms.order, arms.order.shape[1]
    for a in range(K):
        order[i, a] = a
    for a in range(K - 1, 0, -1):
        b = int(random(env_rng) * (a + 1))
        order[i, a], order[i, b] = order[i, b], order[i, a]
    for n in range(len(arms.placed)):
        placed, listed = arms.placed[n], arms.listed[n]
        for row in range(listed.shape[0]):
            a = row % K
            for column in range(listed.shape[1]):
                placed[row, column] = listed[row - a + order[i, a], column]


def play_games(game, rng, memory, states, arms, arguments, traces, answers):
    """Play all runs in a loop. Before this function is compiled, the global name ``played`` must be
    bound to the algorithm.
    """
    for i in range(len(answers)):
        restart(game)
        is_shuffled = i < len(arms.order)
        if is_shuffled:
            for word in range(WORDS):
                memory[0][word] = states[i, SHUFFLE, word]
            shuffle(game.env_rng, arms, i)
        if i < len(states):
            for word in range(WORDS):  # assigning slices would take two seconds to compile
                memory[0][word] = states[i, ENVIRONMENT, word]
                memory[1][word] = states[i, LEARNER, word]
        answers[i] = answer_of(played(game, rng, *arguments))
        for c in range(traces.shape[1]):
            for a in range(traces.shape[2]):
                place = arms.order[i, a] if is_shuffled and arms.per_arm else a
                traces[i, c, place] = game.trace[c, a]


def loop_of(algorithm: Algorithm) -> Any:
    """Return the loop over the runs of an algorithm, compiled if the algorithm is compiled."""
    return loop(play_games, algorithm.function)


def compile_kernel(setting: Setting) -> None:
    """Compile a setting's loop, if it is not compiled yet, by playing a single round."""
    kernel = loop_of(setting.algorithm)
    if kernel.is_compiled:
        return
    collects = gc.isenabled()
    gc.disable()  # the search for cycles would take a sixth of the compiler's time and free 25 MB
    try:
        play(setting.of_one_round(), 0)
    except Exception:  # an error of a compiled algorithm is reported by its runs
        if not kernel.is_compiled:
            raise
    finally:
        if collects:
            gc.enable()
