"""Algorithms and stopping rules with global privacy: an adversary sees what they do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..contracts.question import STOPPING
from ..environments.catalogue import build
from ..environments.laws import PARAMETERS, TABLE, Environment
from ..environments.populations import homogeneous
from ..game import Game, new_game, pulls_of
from ..running.play import play_loop
from ..settings.resolve import arguments
from .neighbours import Neighbours, Walk, change_of_mind, largest_heard, random_walk
from .releases import MECHANISMS
from .subjects import Defined
from .tellers import Release

LONG, SHORT = (8, 64, 512, 4096), (8, 32, 128)  # horizons: of episodes and epochs, of rounds
CAPS = (64, 512, 4096)  # most samples of a stopping rule
MOST_CHECKPOINTS = 64
GLANCE, PLAIN_GLANCE = 200, 20  # runs that show how an algorithm behaves
NO_ESTIMATE = -1e30  # in the place of an estimate: far below all
STEPS = 6  # pairs of neighbours taken from one walk
COIN = {"law": "sign", "mean": 0.0, "scale": 1.0}  # where a parameter is asked of an environment


@dataclass(frozen=True)
class Player(Defined):
    """What algorithms and stopping rules have in common.

    Attributes:
        values: the parameters but eps, as a configuration holds them.
        horizons: horizons that are tried; none: several, as long as they are cheap.
    """

    values: Mapping[str, Any]
    horizons: tuple[int, ...] = ()
    runs: ClassVar[int] = 50_000

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {**self.values, "eps": self.eps}

    @property
    def compiled(self) -> bool:
        return self.algorithm.compiled

    def glance(self, data: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Means of what is seen in a few runs."""
        runs = GLANCE if self.compiled else PLAIN_GLANCE
        return self.sample(data, runs, rng).mean(axis=0)

    def along(self, walk: Walk, rng: np.random.Generator, width: float) -> list[Neighbours]:
        """Steps of a walk worth a look: most around a change of mind, if there is one."""
        T = len(walk.order)
        middle = change_of_mind(walk, lambda table: self.glance(table, rng))
        steps = rng.integers(T, size=STEPS)
        if middle is not None:
            steps[0] = middle
            steps[1:-1] = middle + np.rint(rng.normal(size=STEPS - 2) * width / self.eps)
        return [partial(walk.pair, int(m)) for m in steps]

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        """What an adversary sees; see ``Subject``."""
        raise NotImplementedError


class Learner(Player):
    """An algorithm with global DP: an adversary sees its actions."""

    kind: ClassVar[str] = "algorithm"

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        horizons = self.horizons or (SHORT if self.algorithm.round_by_round else LONG)
        found: list[Neighbours] = []
        while len(found) < n:
            T = horizons[len(found) // STEPS % len(horizons)]
            K = 2 if rng.random() < 0.7 else 3
            low, high = self._extremes(rng, T, K)
            found += self.along(random_walk(rng, T, K, low, high), rng, 2.0)
        return found

    def _extremes(self, rng: np.random.Generator, T: int, K: int) -> tuple[float, float]:
        rewards = self.algorithm.rewards
        known = rewards.extremes(self.values) if rewards is not None else None
        if known is not None:
            return known
        edge = largest_heard(lambda table: self.glance(table, rng), T, K, 1e-2, 1e4)
        x = edge if rng.random() < 0.7 else edge * rng.uniform(0.2, 1.0)
        return -x, x

    def arguments(self, T: int) -> tuple[float, ...]:
        """The numbers that the algorithm receives at a horizon."""
        return arguments(self.algorithm, self.parameters, T, "sign", build(COIN))

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        game = fixed_game(data, rounds(len(data)))
        traces, _ = play_loop(self.algorithm, game, rng, self.arguments(len(data)), runs)
        return pulls_of(traces, None)[:, :, :-1].reshape(runs, -1).astype(np.float32)

    def columns(self, data: np.ndarray) -> list[str]:
        arms = range(data.shape[1] - 1)
        return [f"pulls of arm {a} by round {t}" for t in rounds(len(data)) for a in arms]

    def exact(self) -> float | None:
        guarantee = self.algorithm.guarantee
        name = guarantee.mechanism if guarantee else None
        return Release(MECHANISMS[name], self.eps).exact() if name else None


class Stopper(Player):
    """A private stopping rule: an adversary sees when it stops and what it releases."""

    kind: ClassVar[str] = "rule"

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        caps = self.horizons or CAPS
        R, rewards = self.values["R"], self.algorithm.rewards
        low, high = (rewards.extremes(self.values) if rewards is not None else None) or (-R, R)
        found: list[Neighbours] = []
        while len(found) < n:
            T = caps[len(found) // STEPS % len(caps)]
            found += self.along(random_walk(rng, T, 1, low, high), rng, 10.0)
        return found

    def glance(self, data: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return super().glance(data, rng)[:1]  # the time alone: an estimate may be far below all

    def arguments(self, T: int) -> tuple[float, ...]:
        """The numbers that the rule receives."""
        coin = build(COIN)
        keys = STOPPING.goal_names
        return arguments(self.algorithm, self.parameters, np.nan, "sign", coin, keys)

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        game = fixed_game(data, np.array([len(data)]))
        traces, estimates = play_loop(self.algorithm, game, rng, self.arguments(len(data)), runs)
        halted = ~np.isnan(estimates)
        times = np.where(halted, traces.sum(axis=(1, 2)), len(data) + 1)
        return np.column_stack([times, np.where(halted, estimates, NO_ESTIMATE)])

    def columns(self, data: np.ndarray) -> list[str]:
        return ["stopping time", "estimate"]

    def exact(self) -> float | None:
        return None


def fixed_game(rewards: np.ndarray, checkpoints: np.ndarray) -> Game:
    """A game with rewards fixed in advance.

    Args:
        rewards: float array (T, K), of each round and arm.
        checkpoints: as ``new_game``.
    """
    T, K = rewards.shape
    laws = Environment(np.full(K, TABLE), np.zeros((K, PARAMETERS)), np.zeros((0, 2)), rewards, 0.0)
    return new_game(laws, homogeneous(1.0).users(), np.random.default_rng(0), T, checkpoints)


def rounds(T: int) -> np.ndarray:
    """The rounds at which actions are looked at: all of them, or as many as can be."""
    if T <= MOST_CHECKPOINTS:
        return np.arange(1, T + 1)
    half = MOST_CHECKPOINTS // 2
    both = np.concatenate([np.geomspace(1, T, half), np.linspace(T / half, T, half)])
    return np.unique(np.rint(both).astype(np.int64))
