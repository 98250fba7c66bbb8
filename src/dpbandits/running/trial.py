"""A trial: one stopping rule on one arm in one setting, and how one run of it is played."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..compiled.decorators import is_compiled, loop
from ..contracts.algorithm import Algorithm, load
from ..environments.catalogue import build
from ..environments.instances import Instance
from ..environments.populations import Population, homogeneous
from ..game import new_game, restart, rounds_played
from ..settings.setting import Data, data_of, identity
from .play import loop_of, play, play_in_loop, play_many
from .seeds import ENVIRONMENT, LEARNER, generator

played: Any = None  # in a loop over runs: its rule


@dataclass(frozen=True)
class Trial:
    """One stopping rule on one arm: the unit that is run, kept and never run again.

    Attributes:
        rule: name of the rule.
        rule_file: where it is defined.
        arguments: the values of its parameters, in the order of its signature.
        version: hash of the sources that decide what it does.
        env: name of the environment.
        env_spec: the environment's configuration, as JSON.
        arm: the arm whose mean is asked for, from 0.
        eps: privacy budget, infinite for a rule that is not private.
        rel_error: the relative error a that is wanted.
        beta: the probability of failure that is allowed.
        R: rewards lie in [-R, R].
        cap: most samples of a run.
        seed: seed of the sweep.
        columns: the parameters that the sweep varies, for the table; not part of the identity.
    """

    rule: str
    rule_file: str
    arguments: tuple[float, ...]
    version: str
    env: str
    env_spec: str
    arm: int
    eps: float
    rel_error: float
    beta: float
    R: float
    cap: int
    seed: int
    columns: dict[str, Any] = field(default_factory=dict, compare=False, hash=False)

    @property
    def algo(self) -> str:
        return self.rule

    @property
    def horizon(self) -> int:
        return self.cap

    @property
    def setting(self) -> str:
        """What is run, in words for people and programs; an edited rule keeps it."""
        words = asdict(self)
        for name in ("columns", "rule_file", "version"):
            words.pop(name)
        return json.dumps(words, sort_keys=True)

    @cached_property
    def key(self) -> str:
        """Name of the trial among all trials, from everything that decides its results."""
        return self.key_on(Data(self.instance, self.crowd))

    def key_on(self, data: Data) -> str:
        """The key of the trial on these data."""
        return f"{self.rule}-{self.env}-{identity(self, data.instance.environment)}"

    @property
    def algorithm(self) -> Algorithm:
        return load(Path(self.rule_file))

    @property
    def instance(self) -> Instance:
        """The arm on its own."""
        return build(json.loads(self.env_spec)).alone(self.arm)

    @property
    def crowd(self) -> Population:
        """Users all alike, of whom no rule takes notice."""
        return homogeneous(1.0)

    @property
    def true_mean(self) -> float:
        """The mean of the arm's rewards, mu."""
        return float(data_of(self).instance.means[0])

    def in_short(self) -> Trial:
        """The same for one sample, to have its kernel compiled."""
        return replace(self, cap=1)


@play_many.register
def play_trial(trial: Trial, runs: Sequence[int]) -> list[np.ndarray]:
    """Play runs of a trial: of each its stopping time and estimate, float64 array (2,).

    A run that has not halted has the cap for its time and NaN for its estimate.
    """
    function = trial.algorithm.function
    if len(runs) > 1 and not is_compiled(function):
        return [play(trial, run) for run in runs]
    (instance, crowd), last = data_of(trial), np.array([trial.cap])
    coins, rng = (generator(trial.seed, runs[0], stream) for stream in (ENVIRONMENT, LEARNER))
    game = new_game(instance.environment, crowd.users(), coins, trial.cap, last)
    if is_compiled(function):
        kept = play_in_loop(trial, game, rng, runs, np.zeros((len(runs), 2)))
    else:
        estimate = float(function(game, rng, *trial.arguments))
        kept = np.array([[rounds_played(game), estimate]])
    kept[np.isnan(kept[:, 1]), 0] = trial.cap
    return list(kept)


def play_trials(game, rng, memory, states, arguments, kept):
    """A loop: stopping time and estimate of every run, float64 array (runs, 2)."""
    for i in range(len(kept)):
        restart(game)
        memory[0][:] = states[i, 0]
        memory[1][:] = states[i, 1]
        kept[i, 1] = played(game, rng, *arguments)
        kept[i, 0] = game.clock[0]


@loop_of.register
def loop_of_trial(trial: Trial) -> Callable:
    return loop(play_trials, trial.algorithm.function, trial.algorithm.tag)
