"""Releases on their own, and users of local privacy: what they tell of a few numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from ..compiled.cache import KERNEL_SOURCES
from ..compiled.decorators import compiles, loop
from .exact import exact_epsilon
from .neighbours import Neighbours, Pair
from .releases import ANYTHING, Mechanism
from .subjects import Defined

played: Any = None  # in the loops below: the release, or the local randomizer


def play_releases(x, rng, arguments, seen):
    """A loop: what a release publishes, float array (runs, numbers)."""
    for i in range(len(seen)):
        played(rng, x, arguments[0], seen[i])


def play_responses(x, rng, arguments, seen):
    """A loop: what a user sends, float array (runs, 1)."""
    for i in range(len(seen)):
        seen[i, 0] = played(rng, x[0], arguments[0])


@dataclass(frozen=True)
class Release:
    """A mechanism: an adversary sees what it tells of some data.

    Attributes:
        mechanism: what is audited.
        eps: the promise.
    """

    mechanism: Mechanism
    eps: float
    kind: ClassVar[str] = "mechanism"
    runs: ClassVar[int] = 1_000_000

    @property
    def name(self) -> str:
        return self.mechanism.name

    @property
    def promised(self) -> float:
        return self.eps

    @property
    def version(self) -> str:
        return KERNEL_SOURCES

    @property
    def compiled(self) -> bool:
        return compiles(self.mechanism.function)

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        every = list(self._neighbours())
        return [partial(the_same_pair, every[i]) for i in rng.permutation(len(every))[:n]]

    def _neighbours(self) -> Iterator[Pair]:
        values = self.mechanism.values
        for n in self.mechanism.sizes:
            for i in range(n):
                for rest in (values[0], values[-1]):
                    for first, second in permutations(values, 2):
                        x, y = np.full(n, rest), np.full(n, rest)
                        x[i], y[i] = first, second
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


@dataclass(frozen=True)
class Sender(Defined):
    """A user of an algorithm with local privacy: an adversary sees the response to one reward."""

    kind: ClassVar[str] = "response"
    runs: ClassVar[int] = 1_000_000

    @property
    def curator(self) -> Callable[..., float]:
        guarantee = self.algorithm.guarantee
        assert guarantee is not None and guarantee.curator is not None
        return guarantee.curator

    @property
    def compiled(self) -> bool:
        return compiles(self.curator)

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        return [partial(the_same_pair, pair) for pair in self._neighbours()]

    def _neighbours(self) -> Iterator[Pair]:
        rewards = self.algorithm.rewards
        known = rewards.extremes({}) if rewards is not None else None
        values = ANYTHING if known is None else known
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
        curator = getattr(self.curator, "py_func", self.curator)

        def told(rng, x, out):
            out[0] = curator(rng, float(x[0]), self.eps)

        return largest(exact_epsilon(told, x, y, 1) for x, y in self._neighbours())


def the_same_pair(pair: Pair, steps: int) -> Pair:
    """Neighbours that are not part of a path."""
    return pair


def largest(found: Iterable[float | None]) -> float | None:
    """The largest of some exact losses, if all are known."""
    known = list(found)
    return None if None in known else max(e for e in known if e is not None)
