"""The target of an audit: a promise of privacy at one budget, and the runs that test it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...compiled import compiles
from ...contracts.algorithm import Algorithm
from ...contracts.guarantees import ZCDP, Approximate, Gaussian, Guarantee
from ...environments.catalogue import build
from ...settings.resolve import arguments
from .. import verdicts
from .neighbours import Neighbours, Pair

COIN = {"law": "sign", "mean": 0.0, "scale": 1.0}  # the environment of parameters that are auto


class Stage(NamedTuple):
    """A part of an audit by samples.

    Attributes:
        target: what is sampled.
        share: of the probability of a false alarm that the whole audit may have.
        runs, candidates: see ``sampling.auditor.audit``; None for the usual numbers.
        most: the largest number of runs, however many are requested; None if there is none.
        loss: the loss, if it is known without samples; None if it is not.
        event: what happens in words, where ``loss`` is known.
    """

    target: AuditTarget
    share: float = 1.0
    runs: int | None = None
    candidates: int | None = None
    most: int | None = None
    loss: float | None = None
    event: str = ""


@dataclass(frozen=True)
class AuditTarget:
    """An algorithm, a stopping rule or a mechanism that promises privacy at one budget. It is run
    on data, and an adversary observes its output.

    Attributes:
        kind: what it is, in a word.
        runs: the most runs of a test of a compiled target under either neighbour.
        source: the algorithm, stopping rule or mechanism.
        budget: its privacy budget, eps or rho; for local privacy the level of all users.
        values: its other parameters, as a configuration holds them.
    """

    kind: ClassVar[str]
    runs: ClassVar[int]
    source: Any
    budget: float
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def budget_name(self) -> str:
        """The name of the privacy budget, eps or rho."""
        return str(self.source.budget)

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters, as a configuration holds them."""
        return {**self.values, self.budget_name: self.budget, "eps_min": self.budget}

    @property
    def numbers(self) -> Mapping[str, Any]:
        """All parameters, as a guarantee takes them: the name of a choice as its number; and the
        least number of arms, with which the loss is largest.
        """
        known = isinstance(self.source, Algorithm)
        return {**(self.source.numbers(self.parameters) if known else self.parameters), "K": 2.0}

    @property
    def guarantee(self) -> Guarantee | None:
        """What is promised at these arguments; None for a release, whose budget it is."""
        return self.source.guarantee and self.source.guarantee.at(self.numbers)

    def arguments(self, T: int) -> tuple[float, ...]:
        """The arguments of the function of an algorithm or a rule at a horizon.

        Raises:
            BadInput: it cannot take these parameters.
        """
        question = self.source.question
        horizon, goals = T if question.plays_on else math.nan, question.goal_names
        return arguments(self.source, self.parameters, horizon, "sign", build(COIN), goals)

    @property
    def gaussian(self) -> Gaussian | None:
        """What Gaussian noise promises; None for pure DP, and for (eps, delta) of other noise."""
        if self.guarantee is not None:
            found = self.guarantee.gaussian
            return None if isinstance(found, Approximate) else found
        return ZCDP if self.budget_name == "rho" else None

    @property
    def delta(self) -> float:
        """The delta of a loss whose unit is eps; 0 for pure DP."""
        if self.guarantee is not None:
            approximate = isinstance(self.guarantee.gaussian, Approximate)
            return float(self.numbers["delta"]) if approximate else 0.0
        return float(getattr(self.source, "delta", 0.0))  # a release has one

    @property
    def unit(self) -> str:
        """The unit of a privacy loss: eps, or mu if Gaussian noise promises zCDP or RDP."""
        return "mu" if self.gaussian else "eps"

    @property
    def promised(self) -> float:
        """The privacy loss that is promised with this budget, in its unit."""
        if self.gaussian is not None:
            return self.gaussian.mu(self.numbers)
        if self.delta:
            return self.budget
        return self.guarantee.epsilon(self.numbers) if self.guarantee else self.budget

    def extremes(self) -> tuple[float, float] | None:
        """The smallest and the largest reward, if the promise requires bounded rewards."""
        rewards = self.source.rewards
        return rewards.extremes(self.parameters) if rewards else None

    @property
    def function(self) -> Callable:
        """The function that is audited."""
        return self.source.function

    @property
    def compiled(self) -> bool:
        return compiles(self.function)

    @property
    def caveat(self) -> str:
        """Why its replays may fail though it is private; nothing if there is no such reason."""
        return ""

    def replays_lead_to(self, aligned: int, replays: int) -> str:
        """The verdict on its replays alone, of which so many succeeded."""
        return verdicts.of_replays(aligned, replays)

    def stages(self, replays: Any, seed: int) -> list[Stage]:
        """What is sampled after its replays, which are None if there were none."""
        return [Stage(self)]

    def check(self) -> None:
        """Raise BadInput if no finding can depend on its seed alone."""

    def unbounded(self) -> Pair | None:
        """Data that show that the range of the rewards is not declared but matters: the difference
        between huge ones changes the output, which no private algorithm allows. None if not so.
        """
        return None

    def pairs(self, rng: np.random.Generator, n: int) -> Iterable[Neighbours]:
        """About ``n`` pairs of neighbouring data that are worth a test."""
        raise NotImplementedError

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        """What an adversary sees in independent runs on some data, float array (runs, columns)."""
        raise NotImplementedError

    def columns(self, data: np.ndarray) -> list[str]:
        """The names of these columns."""
        raise NotImplementedError
