"""Releases and local randomizers as audit targets: an adversary sees the published numbers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from typing import Any, ClassVar

import numpy as np

from ...compiled import loop
from .neighbours import Neighbours, Pair, fixed
from .releases import ANYTHING, HUGE
from .target import AuditTarget

played: Any = None  # stands for the release or the local randomizer in the loops below


def play_releases(x, rng, budget, seen):
    """Run a release in a loop, and fill ``seen``, float array (runs, numbers), with its outputs."""
    for i in range(len(seen)):
        played(rng, x, budget, seen[i])


def play_responses(x, rng, eps, seen):
    """Run a local randomizer in a loop, and fill ``seen``, float array (runs, 1)."""
    for i in range(len(seen)):
        seen[i, 0] = played(rng, x[0], eps)


class ReleaseTarget(AuditTarget):
    """A mechanism: an adversary sees the numbers that it publishes about some data."""

    kind = "mechanism"
    runs = 400_000
    plays: ClassVar[Callable] = staticmethod(play_releases)  # the loop that runs the release

    def neighbours(self) -> list[Pair]:
        """Return all pairs of data that are compared."""
        found = []
        values = self.source.values
        for n in self.source.sizes:
            changes = permutations(values, 2)
            for i, rest, change in product(range(n), (values[0], values[-1]), changes):
                x, y = np.full(n, rest), np.full(n, rest)
                x[i], y[i] = change
                found.append((x, y))
        return found

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        every = self.neighbours()
        return [fixed(every[i]) for i in rng.permutation(len(every))[:n]]

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = np.zeros((runs, len(self.columns(data))))
        loop(self.plays, self.function)(data, rng, self.budget, seen)
        return seen

    def columns(self, data: np.ndarray) -> list[str]:
        return [f"output {i + 1}" for i in range(self.source.seen(len(data)))]

    def output(self, rng: Any, x: np.ndarray, out: np.ndarray) -> None:
        """Run the release once in plain Python, and write its output into ``out``."""
        self.function(rng, x, self.budget, out)


class LocalRandomizerTarget(ReleaseTarget):
    """A user of an algorithm with local privacy: an adversary sees the response to one reward."""

    kind = "response"
    plays = staticmethod(play_responses)

    @property
    def function(self) -> Callable:
        assert self.guarantee.curator is not None
        return self.guarantee.curator

    def unbounded(self) -> Pair | None:
        """Return two huge rewards if their responses differ, else None.

        The result is also None if the algorithm declares a range of rewards.
        """
        pair = np.array([HUGE]), np.array([2.0 * HUGE])
        if self.source.rewards is not None:
            return None
        one, two = (self.sample(x, 1, np.random.default_rng(0))[0, 0] for x in pair)
        return pair if one != two else None

    def neighbours(self) -> list[Pair]:
        values = self.extremes() or ANYTHING
        return [(np.array([x]), np.array([y])) for x, y in permutations(values, 2)]

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        return [fixed(pair) for pair in self.neighbours()]

    def columns(self, data: np.ndarray) -> list[str]:
        return ["response"]

    def output(self, rng: Any, x: np.ndarray, out: np.ndarray) -> None:
        curator = getattr(self.function, "py_func", self.function)
        out[0] = curator(rng, float(x[0]), self.budget)
