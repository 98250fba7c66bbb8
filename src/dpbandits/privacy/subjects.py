"""What can be audited: an algorithm, a stopping rule, a curator, a release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from ..assumptions import Bounded
from ..environments.catalogue import build
from ..kernel import compiles
from ..registry import Algorithm, load
from ..settings import arguments
from .exact import exact_epsilon
from .loops import fixed_game, loop, play_games, play_releases, play_responses, play_trials
from .neighbours import Neighbours, Pair, change_of_mind, largest_heard, random_path
from .releases import ANYTHING, MECHANISMS, Mechanism

LONG, SHORT = (8, 64, 512, 4096), (8, 32, 128)  # horizons: of episodes and epochs, of rounds
CAPS = (64, 512, 4096)  # most samples of a stopping rule
MOST_CHECKPOINTS = 64
COIN = {"law": "sign", "mean": 0.0, "scale": 1.0}  # where a parameter is asked of an environment
GLANCE = 200  # runs that show how an algorithm behaves
STEPS = 6  # pairs of neighbours taken from one path


class Subject(Protocol):
    """What the auditor asks of anything that it audits."""

    @property
    def name(self) -> str: ...

    @property
    def eps(self) -> float:
        """The privacy loss that is promised."""

    @property
    def runs(self) -> int:
        """Runs of a test that are enough to tell, where it is compiled."""

    @property
    def compiled(self) -> bool: ...

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        """About ``n`` pairs of neighbouring data that are worth a look."""

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        """What an adversary sees of some data in independent runs, float array (runs, columns)."""

    def columns(self, data: np.ndarray) -> list[str]:
        """What these columns are."""

    def exact(self) -> float | None:
        """The exact privacy loss of the release beneath, where it is known."""


@dataclass(frozen=True)
class Learner:
    """An algorithm that promises global DP: an adversary sees its actions.

    Attributes:
        file: where it is defined.
        eps: the promise.
        values: its parameters, as a configuration holds them.
        horizons: horizons that are tried.
    """

    file: Path
    eps: float
    values: Mapping[str, Any]
    horizons: tuple[int, ...] = ()
    runs: ClassVar[int] = 50_000

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def algorithm(self) -> Algorithm:
        return load(self.file)

    @property
    def compiled(self) -> bool:
        return compiles(self.algorithm.function)

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        horizons = self.horizons or (SHORT if self.algorithm.round_by_round else LONG)
        found: list[Neighbours] = []
        while len(found) < n:
            T = horizons[len(found) // STEPS % len(horizons)]
            K = 2 if rng.random() < 0.7 else 3
            low, high = self._extremes(rng, T, K)
            path = random_path(rng, T, K, low, high)
            middle = change_of_mind(path, lambda table: self._glance(table, rng))
            found += [partial(path.pair, m) for m in near(rng, T, middle, 2.0 / self.eps)]
        return found

    def _glance(self, table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.sample(table, GLANCE if self.compiled else GLANCE // 10, rng).mean(axis=0)

    def _extremes(self, rng: np.random.Generator, T: int, K: int) -> tuple[float, float]:
        rewards = self.algorithm.rewards
        if isinstance(rewards, Bounded):
            return rewards.low, rewards.high
        edge = largest_heard(lambda table: self._glance(table, rng), T, K, 1e-2, 1e4)
        x = edge if rng.random() < 0.7 else edge * rng.uniform(0.2, 1.0)
        return -x, x

    def arguments(self, T: int) -> tuple[float, ...]:
        """The numbers that the algorithm receives at a horizon."""
        values = {**self.values, "eps": self.eps}
        return arguments(self.algorithm, values, T, "sign", build(COIN))

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        checkpoints = rounds(len(data))
        seen = np.zeros((runs, len(checkpoints), data.shape[1] - 1), np.int64)
        games = loop(play_games, self.algorithm.function, self.algorithm.tag)
        games(fixed_game(data, checkpoints), rng, self.arguments(len(data)), seen)
        return seen.reshape(runs, -1)

    def columns(self, data: np.ndarray) -> list[str]:
        arms = range(data.shape[1] - 1)
        return [f"pulls of arm {a} by round {t}" for t in rounds(len(data)) for a in arms]

    def exact(self) -> float | None:
        guarantee = self.algorithm.guarantee
        name = guarantee.mechanism if guarantee else None
        return Release(MECHANISMS[name], self.eps).exact() if name else None


@dataclass(frozen=True)
class Stopper:
    """A private stopping rule: an adversary sees when it stops and what it releases.

    Attributes:
        file: where it is defined.
        eps: the promise.
        values: its parameters, ``R`` among them.
        horizons: largest numbers of samples that are tried.
    """

    file: Path
    eps: float
    values: Mapping[str, Any]
    horizons: tuple[int, ...] = ()
    runs: ClassVar[int] = 50_000

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def algorithm(self) -> Algorithm:
        return load(self.file)

    @property
    def compiled(self) -> bool:
        return compiles(self.algorithm.function)

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        R = self.values["R"]
        caps = self.horizons or CAPS
        found: list[Neighbours] = []
        while len(found) < n:
            T = caps[len(found) // STEPS % len(caps)]
            path = random_path(rng, T, 1, -R, R)
            middle = change_of_mind(path, lambda table: self._glance(table, rng))
            found += [partial(path.pair, m) for m in near(rng, T, middle, 10.0 / self.eps)]
        return found

    def _glance(self, table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.sample(table, GLANCE if self.compiled else GLANCE // 10, rng)[:, :1].mean(
            axis=0
        )

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        values = {**self.values, "eps": self.eps}
        numbers = tuple(float(values[name]) for name in self.algorithm.domains)
        seen = np.zeros((runs, 2))
        trials = loop(play_trials, self.algorithm.function, self.algorithm.tag)
        trials(fixed_game(data, np.array([len(data)])), rng, numbers, seen)
        return seen

    def columns(self, data: np.ndarray) -> list[str]:
        return ["stopping time", "estimate"]

    def exact(self) -> float | None:
        return None


@dataclass(frozen=True)
class Sender:
    """A user of an algorithm with local DP: an adversary sees the response to one reward."""

    file: Path
    eps: float
    runs: ClassVar[int] = 1_000_000

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def algorithm(self) -> Algorithm:
        return load(self.file)

    @property
    def curator(self) -> Callable[..., float]:
        guarantee = self.algorithm.guarantee
        assert guarantee is not None and guarantee.curator is not None
        return guarantee.curator

    @property
    def compiled(self) -> bool:
        return compiles(self.curator)

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        return [partial(fixed, pair) for pair in self._neighbours()]

    def _neighbours(self) -> Iterator[Pair]:
        rewards = self.algorithm.rewards
        values = (rewards.low, rewards.high) if isinstance(rewards, Bounded) else ANYTHING
        for x, y in permutations(values, 2):
            yield np.array([x]), np.array([y])

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = np.zeros((runs, 1))
        responses = loop(play_responses, self.curator, self.algorithm.tag)
        responses(data, rng, (self.eps,), seen)
        return seen

    def columns(self, data: np.ndarray) -> list[str]:
        return ["response"]

    def exact(self) -> float | None:
        curator = self.curator

        def release(rng, x, out):
            out[0] = curator(rng, float(x[0]), self.eps)

        return largest(exact_epsilon(release, x, y, 1) for x, y in self._neighbours())


@dataclass(frozen=True)
class Release:
    """A release: an adversary sees what it tells of some data."""

    mechanism: Mechanism
    eps: float
    runs: ClassVar[int] = 1_000_000

    @property
    def name(self) -> str:
        return self.mechanism.name

    @property
    def compiled(self) -> bool:
        return compiles(self.mechanism.function)

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        every = list(self._neighbours())
        return [partial(fixed, every[i]) for i in rng.permutation(len(every))[:n]]

    def _neighbours(self) -> Iterator[Pair]:
        values = self.mechanism.values
        for n in self.mechanism.sizes:
            for first in values:
                for rest in (values[0], values[-1]):
                    for i in range(n):
                        x = np.full(n, rest)
                        x[i] = first
                        for value in values:
                            if value != first:
                                y = x.copy()
                                y[i] = value
                                yield x, y

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = np.zeros((runs, self.mechanism.seen(len(data))))
        releases = loop(play_releases, self.mechanism.function, self.mechanism.name)
        releases(data, rng, (self.eps,), seen)
        return seen

    def columns(self, data: np.ndarray) -> list[str]:
        return [f"number {i + 1} told" for i in range(self.mechanism.seen(len(data)))]

    def exact(self) -> float | None:
        def told(rng, x, out):
            self.mechanism.function(rng, x, self.eps, out)

        return largest(
            exact_epsilon(told, x, y, self.mechanism.seen(len(x))) for x, y in self._neighbours()
        )


def near(rng: np.random.Generator, T: int, middle: int | None, width: float) -> list[int]:
    """Steps of a path worth a look: some around its middle, if it has one, and one anywhere."""
    if middle is None:
        return rng.integers(T, size=STEPS).tolist()
    around = middle + np.rint(rng.normal(size=STEPS - 2) * width).astype(int)
    return [middle, *around.tolist(), int(rng.integers(T))]


def fixed(pair: Pair, steps: int) -> Pair:
    """Neighbours that have nothing between them."""
    return pair


def largest(found: Iterable[float | None]) -> float | None:
    """The largest of some exact losses, if all are known."""
    known = list(found)
    return None if None in known else max(e for e in known if e is not None)


def rounds(T: int) -> np.ndarray:
    """The rounds at which actions are looked at: all of them, or as many as can be."""
    if T <= MOST_CHECKPOINTS:
        return np.arange(1, T + 1)
    half = MOST_CHECKPOINTS // 2
    both = np.concatenate([np.geomspace(1, T, half), np.linspace(T / half, T, half)])
    return np.unique(np.rint(both).astype(np.int64))
