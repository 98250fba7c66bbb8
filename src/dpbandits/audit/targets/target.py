"""The base class of audit targets: a privacy promise at one budget, and runs that test this
promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...compiled import compiles
from ...contracts.algorithm import Algorithm
from ...contracts.guarantees import Approximate, Gaussian, Guarantee, gaussian_zcdp, global_dp
from ...environments.catalogue import build
from ...settings.resolve import arguments
from .. import verdicts
from .neighbours import Neighbours, Pair

# The guarantees of releases, and of algorithms without a declared guarantee: the promised loss is
# the budget
OF_BUDGET = {"eps": global_dp("no source"), "rho": gaussian_zcdp("no source")}
CANDIDATES = 96  # the number of pairs of neighbours at the start of the search
PLAIN = 25  # a run in plain Python takes as long as this many runs of compiled code
# The environment that is used to compute parameters with the value auto
COIN = {"law": "sign", "mean": 0.0, "scale": 1.0}
MISSING = -1e30  # stands for a missing output, such as an estimate: far below every value
Progress = Callable[[float], object]  # called with each share of the work that is done


def ignored(share: float) -> None:
    """Ignore the progress of an audit."""


class Stage(NamedTuple):
    """A part of an audit by samples.

    Attributes:
        target: the target that is sampled.
        share: the part of the audit's probability of a false alarm that this stage may use.
        runs: the largest number of runs of a test; None for the usual number.
        candidates: the number of pairs of neighbours at the start of the search.
        most: a limit on the number of runs, also if the user requests more; None for no limit.
        loss: the privacy loss if it is known without samples, else None.
        event: the event that shows a known ``loss``, in words.
    """

    target: AuditTarget
    share: float = 1.0
    runs: int | None = None
    candidates: int = CANDIDATES
    most: int | None = None
    loss: float | None = None
    event: str = ""


@dataclass(frozen=True)
class AuditTarget:
    """An algorithm, a stopping rule or a mechanism that promises privacy at one budget.

    The audit runs the target on data, and an adversary observes the output.

    Attributes:
        kind: the kind of target, such as ``algorithm``.
        runs: the largest number of runs of a test under each neighbour, for a compiled target.
        source: the algorithm, stopping rule or mechanism.
        budget: the privacy budget, eps or rho; for local privacy the level of all users.
        values: the other parameters, as a configuration holds them.
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
        """All parameters in the form that a guarantee needs: an option is given as a number.

        The number of arms is K = 2, since the loss is largest for the smallest number of arms.
        """
        known = isinstance(self.source, Algorithm)
        return {**(self.source.numbers(self.parameters) if known else self.parameters), "K": 2.0}

    @property
    def usual_guarantee(self) -> Guarantee:
        """The privacy guarantee at the default options."""
        return self.source.guarantee or OF_BUDGET[self.budget_name]

    @property
    def guarantee(self) -> Guarantee:
        """The privacy guarantee at these arguments."""
        return self.usual_guarantee.at(self.numbers)

    def arguments(self, T: int) -> tuple[float, ...]:
        """Return the arguments of the function of an algorithm or a rule at a horizon.

        Raises:
            BadInput: the algorithm or rule cannot take these parameters.
        """
        horizon = T if self.source.question.plays_on else math.nan
        return arguments(self.source, self.parameters, horizon, "sign", build(COIN))

    @property
    def gaussian(self) -> Gaussian | None:
        """The promise if noise is Gaussian; None for pure DP, and for (eps, delta)-DP by noise that
        is not Gaussian.
        """
        found = self.guarantee.gaussian
        return None if isinstance(found, Approximate) else found

    @property
    def delta(self) -> float:
        """The delta if (eps, delta)-DP is promised by noise that is not Gaussian, else 0."""
        if isinstance(self.guarantee.gaussian, Approximate):
            return float(self.numbers["delta"])
        return float(getattr(self.source, "delta", 0.0))  # a release may have a delta of its own

    @property
    def unit(self) -> str:
        """The unit of a privacy loss: eps, or mu for zCDP or RDP by Gaussian noise."""
        return "mu" if self.gaussian else "eps"

    @property
    def promised(self) -> float:
        """The privacy loss that is promised at this budget, as eps or mu (see ``unit``)."""
        if self.gaussian is not None:
            return self.gaussian.mu(self.numbers)
        return self.budget if self.delta else self.guarantee.epsilon(self.numbers)

    def extremes(self) -> tuple[float, float] | None:
        """Return the smallest and the largest reward if the promise requires bounded rewards."""
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
    def usual_runs(self) -> int:
        """The usual largest number of runs of a test under each of two neighbours."""
        return self.runs if self.compiled else self.runs // PLAIN

    @property
    def caveat(self) -> str:
        """A reason why replays may fail although the target is private, or "" if there is no such
        reason.
        """
        return ""

    def replays_lead_to(self, aligned: int, replays: int) -> str:
        """Return the verdict that follows from the replays alone, of which ``aligned``
        succeeded.
        """
        return verdicts.of_replays(aligned, replays)

    def stages(self, replays: Any, seed: int) -> list[Stage]:
        """Return the stages that are sampled after the replays, whose result is ``replays``."""
        return [Stage(self)]

    def check(self) -> None:
        """Raise BadInput if the findings would not be reproducible from the seed."""

    def unbounded(self) -> Pair | None:
        """Return data that show a missing declaration: the target is private only for bounded
        rewards.

        The data are two huge rewards, or two tables of them. An algorithm for rewards without
        bounds truncates both, and then has equal outputs on equal random numbers. The outputs of
        this target differ. The result is None if no such data are found.
        """
        return None

    def pairs(self, rng: np.random.Generator, n: int) -> Iterable[Neighbours]:
        """Return about ``n`` pairs of neighbouring data that may show a large loss."""
        raise NotImplementedError

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        """Return the outputs that an adversary sees in independent runs on some data.

        The result is a float array (runs, columns).
        """
        raise NotImplementedError

    def columns(self, data: np.ndarray) -> list[str]:
        """Return the names of the columns of ``sample``."""
        raise NotImplementedError
