"""What can be audited: releases on their own, the responses of users, and what plays games."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any, ClassVar

import numpy as np
from scipy.stats import norm

from ..compiled import compiles, loop
from ..contracts.guarantees import ZCDP, Gaussian
from .betting import Line, gaussian_line, pure_line
from .events import Scale, ratio
from .exact import exact_epsilon, exact_mu
from .neighbours import Neighbours, Pair
from .releases import ANYTHING

played: Any = None  # in the loops below: the release, or the local randomizer


def play_releases(x, rng, budget, seen):
    """A loop: what a release publishes, float array (runs, numbers)."""
    for i in range(len(seen)):
        played(rng, x, budget, seen[i])


def play_responses(x, rng, eps, seen):
    """A loop: what a user sends, float array (runs, 1)."""
    for i in range(len(seen)):
        seen[i, 0] = played(rng, x[0], eps)


@dataclass(frozen=True)
class Subject:
    """Something that promises privacy: it is run on data, and an adversary observes its output.

    Attributes:
        source: the algorithm, stopping rule or mechanism.
        budget: its privacy budget, eps or rho.
        kind: what it is, in a word.
        runs: the most runs of a test of a compiled subject under either neighbour.
    """

    source: Any
    budget: float
    kind: ClassVar[str]
    runs: ClassVar[int]

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def function(self) -> Callable:
        """The function that is audited."""
        return self.source.function

    @property
    def compiled(self) -> bool:
        return compiles(self.function)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters, as a configuration holds them."""
        return {self.budget_name: self.budget}

    @property
    def budget_name(self) -> str:
        """The name of the privacy budget, eps or rho."""
        return str(self.source.budget)

    @property
    def gaussian(self) -> Gaussian | None:
        """What Gaussian noise promises; None for pure DP."""
        if self.source.guarantee is not None:
            return self.source.guarantee.gaussian
        return ZCDP if self.budget_name == "rho" else None

    @property
    def unit(self) -> str:
        """What a privacy loss is measured in: eps, or mu if Gaussian noise promises zCDP or RDP."""
        return "mu" if self.gaussian else "eps"

    @property
    def promised(self) -> float:
        """The privacy loss that is promised with this budget, in its unit."""
        if self.gaussian is not None:
            return self.gaussian.mu(self.parameters)
        guarantee = self.source.guarantee
        return guarantee.epsilon(self.parameters) if guarantee else self.budget

    @property
    def line(self) -> Line:
        """What a loss promises of every event, to bet against."""
        return gaussian_line if self.gaussian else pure_line

    @property
    def scale(self) -> Scale:
        """The scale on which differences of probabilities are losses."""
        return norm.ppf if self.gaussian else ratio

    def extremes(self) -> tuple[float, float] | None:
        """The smallest and the largest reward, if the promise requires bounded rewards."""
        rewards = self.source.rewards
        return rewards.extremes(self.parameters) if rewards else None

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        """About ``n`` pairs of neighbouring data that are worth a test."""
        raise NotImplementedError

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        """What an adversary sees in independent runs on some data, float array (runs, columns)."""
        raise NotImplementedError

    def columns(self, data: np.ndarray) -> list[str]:
        """The names of these columns."""
        raise NotImplementedError

    def exact(self) -> float | None:
        """The exact privacy loss of the release that the promise rests on, if it is known."""
        return None


class Release(Subject):
    """A mechanism: an adversary sees the numbers that it publishes about some data."""

    kind = "mechanism"
    runs = 400_000
    plays: ClassVar[Callable] = staticmethod(play_releases)  # the loop that runs it

    def neighbours(self) -> list[Pair]:
        """All pairs of data that are compared."""
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
        return [_fixed(every[i]) for i in rng.permutation(len(every))[:n]]

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = np.zeros((runs, len(self.columns(data))))
        loop(self.plays, self.function)(data, rng, self.budget, seen)
        return seen

    def columns(self, data: np.ndarray) -> list[str]:
        return [f"output {i + 1}" for i in range(self.source.seen(len(data)))]

    def output(self, rng: Any, x: np.ndarray, out: np.ndarray) -> None:
        """Write what an adversary sees into ``out``, in plain Python."""
        self.function(rng, x, self.budget, out)

    def exact(self) -> float | None:
        exact_loss = exact_mu if self.gaussian else exact_epsilon
        losses = []
        for x, y in self.neighbours():
            loss = exact_loss(self.output, x, y, len(self.columns(x)))
            if loss is None:
                return None
            losses.append(loss)
        return max(losses)


class Sender(Release):
    """A user of an algorithm with local privacy: an adversary sees the response to one reward."""

    kind = "response"
    plays = staticmethod(play_responses)

    @property
    def function(self) -> Callable:
        return self.source.guarantee.curator

    def neighbours(self) -> list[Pair]:
        values = self.extremes() or ANYTHING
        return [(np.array([x]), np.array([y])) for x, y in permutations(values, 2)]

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        return [_fixed(pair) for pair in self.neighbours()]

    def columns(self, data: np.ndarray) -> list[str]:
        return ["response"]

    def output(self, rng: Any, x: np.ndarray, out: np.ndarray) -> None:
        curator = getattr(self.function, "py_func", self.function)
        out[0] = curator(rng, float(x[0]), self.budget)


def _fixed(pair: Pair) -> Neighbours:
    """Neighbours that are not part of a walk."""
    return lambda steps: pair
