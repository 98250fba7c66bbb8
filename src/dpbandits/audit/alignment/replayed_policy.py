"""An algorithm or a rule whose alignment is replayed, played in plain Python on given numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ...compiled import answer_of
from ...contracts.alignments import Alignment
from ...contracts.question import STOPPING
from ...environments.populations import Population, homogeneous
from ...environments.users import arrival
from ..numbers.draws import Draw
from ..numbers.streams import Stream
from ..targets.games import game_on
from ..targets.target import PrivacyClaim
from .rewards import Rewards, RoundingUniforms


class Played(NamedTuple):
    """What a run did.

    Attributes:
        arms: int array, the arm of each round.
        answer: what the algorithm returned, NaN for nothing.
        rewards: what was read.
    """

    arms: np.ndarray
    answer: float
    rewards: Rewards


@dataclass(frozen=True)
class ReplayedPolicy(PrivacyClaim):
    """An algorithm or stopping rule whose alignment is replayed.

    Attributes:
        mixed_levels: whether users have levels of their own, for algorithms that know them.
    """

    mixed_levels: bool = False

    @property
    def alignment(self) -> Alignment:
        return self.source.guarantee.alignment

    @property
    def fewest_arms(self) -> int:
        """The smallest number of arms that it is replayed with."""
        return 2 if self.source.group == STOPPING.group else 1

    def objection(
        self, first: np.ndarray, second: np.ndarray, before: Sequence[Draw], draws: Sequence[Draw]
    ) -> str | None:
        """What else is wrong with the draws of a shifted run, of which ``before`` are recorded."""
        return None

    def loss_of_choices(
        self, first: np.ndarray, second: np.ndarray, draws: Sequence[Draw]
    ) -> float:
        """The loss of the choices that are made once a reward that changes is read, all other
        numbers given; infinite if that is not computed.
        """
        return math.inf

    @cached_property
    def function(self) -> Callable:
        """The algorithm in plain Python, with the draws that its proof speaks of."""
        plain: Any = getattr(self.source.function, "py_func", self.source.function)
        if not self.alignment.literal:
            return plain
        names = plain.__globals__ | dict(self.alignment.literal)
        return FunctionType(plain.__code__, names, closure=plain.__closure__)

    @property
    def population(self) -> Population:
        if not (self.mixed_levels and self.source.per_user):
            return homogeneous(self.budget)
        levels = self.budget * np.array([0.5, 1.0, 2.0])
        return Population(levels, np.full(3, 1 / 3))

    def limit(self, place: tuple[int, int], K: int) -> float:
        """The loss that is promised of K arms for a change of the reward of a place: that of its
        user, if levels differ.
        """
        if self.gaussian is not None:
            return self.gaussian.rho(self.numbers)
        if not self.source.per_user:
            return float(self.source.guarantee.at(self.numbers).epsilon({**self.numbers, "K": K}))
        users, env_rng = self.population.users(), np.random.default_rng(0)
        for _ in range(place[0] + 1):
            user = arrival(users, env_rng)
        return float(users.level[user])

    def play(
        self,
        table: np.ndarray,
        stream: Callable[[Sequence[Any]], Stream],
        watched: Sequence[tuple[int, int]] = (),
    ) -> tuple[Played, Any]:
        """Play rewards, float array (T, K), with the numbers of a stream."""
        rewards = Rewards(table, watched)
        env_rng = None if self.source.per_user else RoundingUniforms(rewards.reads)
        actions, private = self.source.actions, self.source.guarantee.of_contexts
        game = game_on(rewards, self.population, env_rng, None, actions, private)
        rng = stream(rewards.reads)
        answer = answer_of(self.function(game, rng, *self.arguments(len(table))))
        arms = game.trace[: int(game.clock[0])].argmax(axis=1)
        if not self.source.question_played.record.per_arm:  # every reward is read
            arms = np.array([a for _, a in rewards.reads])
        return Played(arms, answer, rewards), rng
