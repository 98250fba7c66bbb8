"""Replays of a player from elsewhere: all noise that holds the changed reward is shifted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..numbers.draws import Draw
from ..numbers.sources import numbers_of
from ..numbers.streams import Stream
from ..subjects.prototypes import played
from .coupling import Coupling, Played
from .rewards import Rewards


@dataclass(frozen=True)
class Visit(Coupling):
    """Replays of a player, whose random numbers are recorded wherever it takes them from.

    Attributes:
        local: whether the changed reward may enter noise of its own user only.
        tried: the last two tables that were played: after a replay that failed, its neighbours.
    """

    local: bool = False
    tried: list[np.ndarray] = field(default_factory=list, compare=False, repr=False)

    @property
    def fewest_arms(self) -> int:
        """Published code compares arms: a single one is no bandit to most of it."""
        return 2

    def play(
        self,
        table: np.ndarray,
        stream: Callable[[Sequence[Any]], Stream],
        watched: Sequence[tuple[int, int]] = (),
    ) -> tuple[Played, Any]:
        T, K = table.shape
        self.tried[:] = [*self.tried[-1:], table]
        rewards = Rewards(table, watched)
        rng = stream(rewards.reads)
        with numbers_of(rng):
            reward = lambda t, a: float(rewards[t, a])  # noqa: E731
            arms = played(self.source.function, reward, K, T, self.budget, rng)
        return Played(np.array(arms, int), math.nan, rewards), rng

    def objection(self, place: tuple[int, int], draws: Sequence[Draw]) -> str | None:
        own = place[0] + 1  # the number of rewards read when the user's noise is drawn
        if self.local and any((d.shift or d.cost) and d.place != own for d in draws):
            return "the reward enters noise of other users"
        return None
