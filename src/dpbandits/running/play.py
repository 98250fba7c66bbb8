"""Playing runs: one compiled loop records the pulls and the answer of each."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiled import answer_of, loop
from ..contextual_game import new_contextual_game, regret_of
from ..contracts.algorithm import Algorithm
from ..contracts.question import PULLS, TRACE
from ..game import Game, new_game, pulls_of, restart
from ..settings.setting import Setting, data_of
from .seeds import ENVIRONMENT, LEARNER, SHUFFLE, WORDS, generator, memory_of, states

played: Any = None  # in the loop over runs: the algorithm


class Record(NamedTuple):
    """What a run leaves, whatever its question."""

    # the record that its question asks for: int64 array (C, K), pulls of each arm up to each
    # checkpoint, or float64 array (C, 1), the regret
    pulls: np.ndarray
    answer: float  # what the algorithm returned, NaN if it returned nothing


# How the game of each record begins, and how its traces are read.
GAMES: dict[str, tuple[Callable, Callable]] = {
    PULLS: (new_game, pulls_of),
    TRACE: (new_contextual_game, regret_of),
}


def play(setting: Setting, run: int) -> Record:
    """Play one run."""
    return play_many(setting, (run,))[0]


def play_many(setting: Setting, runs: Sequence[int]) -> list[Record]:
    """Play some runs, each with the same result as if it were played alone."""
    # Each run has an environment of its own, or in plain Python may call rng.spawn, which depends
    # on the seed of the generator and not on its state
    if len(runs) > 1 and (setting.shuffle_arms or not setting.algorithm.compiled):
        return [play(setting, run) for run in runs]
    instance, population = data_of(setting)
    order = np.arange(len(instance.means))
    if setting.shuffle_arms:
        order = generator(setting.seed, runs[0], SHUFFLE).permutation(order)
    env_rng, rng = (generator(setting.seed, runs[0], stream) for stream in (ENVIRONMENT, LEARNER))
    laws = instance.shuffled(order)
    record = setting.question.record
    begin, read = GAMES[record.name]
    game: Any = begin(laws, population.users(), env_rng, setting.horizon, setting.rounds())
    own = np.stack([states(setting.seed, runs, s) for s in (ENVIRONMENT, LEARNER)], axis=1)
    traces, answers = play_loop(setting.algorithm, game, rng, setting.arguments, len(runs), own)
    found = read(traces, setting.horizon if setting.question.plays_on else None)
    pulls = found[:, :, np.argsort(order)] if record.per_arm else found
    return [Record(*pair) for pair in zip(pulls, answers.tolist(), strict=True)]


NO_STATES = np.zeros((0, 2, WORDS), np.uint64)
NO_MEMORY = np.zeros(WORDS, np.uint64), np.zeros(WORDS, np.uint64)


def play_loop(
    algorithm: Algorithm,
    game: Game,
    rng: np.random.Generator,
    arguments: tuple[float, ...],
    runs: int,
    states: np.ndarray = NO_STATES,
) -> tuple[np.ndarray, np.ndarray]:
    """Play a game several times.

    Args:
        algorithm: the algorithm.
        game: the game; it is restarted before each run.
        rng: the learner's generator.
        arguments: the values of the algorithm's parameters.
        runs: number of runs.
        states: what is in the memory of the environment's and of the learner's generator when
            each run begins, uint64 array (runs, 2, WORDS); without any, both go on from run to run.

    Returns:
        The traces, int64 array (runs, C + 1, K) or those of a contextual game, and the answers,
        float64 array (runs,).
    """
    traces = np.zeros((runs, *game.trace.shape), game.trace.dtype)
    answers = np.zeros(runs)
    memory = NO_MEMORY
    if len(states):
        memory = memory_of(game.env_rng.bit_generator), memory_of(rng.bit_generator)
    loop_of(algorithm)(game, rng, memory, states, arguments, traces, answers)
    return traces, answers


def play_games(game, rng, memory, states, arguments, traces, answers):
    """The loop over runs; ``played`` is the algorithm."""
    for i in range(len(answers)):
        restart(game)
        if i < len(states):
            for word in range(WORDS):  # assigning slices would take two seconds to compile
                memory[0][word] = states[i, 0, word]
                memory[1][word] = states[i, 1, word]
        answers[i] = answer_of(played(game, rng, *arguments))
        for c in range(traces.shape[1]):
            for a in range(traces.shape[2]):
                traces[i, c, a] = game.trace[c, a]


def loop_of(algorithm: Algorithm) -> Any:
    """The loop over the runs of an algorithm, compiled if the algorithm is."""
    return loop(play_games, algorithm.function)


def compile_kernel(setting: Setting) -> None:
    """Compile a setting's loop, unless it is compiled, by playing a single round."""
    kernel = loop_of(setting.algorithm)
    if kernel.is_compiled:
        return
    collects = gc.isenabled()
    gc.disable()  # looking for cycles takes a sixth of the compiler's time, and finds 25 MB
    try:
        play(setting.of_one_round(), 0)
    except Exception:  # an error of a compiled algorithm is reported by its runs
        if not kernel.is_compiled:
            raise
    finally:
        if collects:
            gc.enable()
