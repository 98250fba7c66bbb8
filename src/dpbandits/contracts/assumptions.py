"""Assumptions of algorithms on the rewards, and checks whether an environment satisfies them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from ..errors import plain
from .question import ARMS, CONTEXTS, FEATURES, USERS

ROUNDING = 1.0 + 1e-7  # tolerance for moments computed by quadrature
UNBOUNDED = (-math.inf, math.inf)

Values = Mapping[str, float]


class Instance(Protocol):
    """The properties of an environment that assumptions check, see ``environments.instances``."""

    @property
    def support(self) -> tuple[float, float]: ...

    @property
    def contamination(self) -> float: ...

    def reward_means(self) -> np.ndarray: ...

    @property
    def longest(self) -> tuple[float, float]: ...

    def raw_moments(self, q: float) -> np.ndarray: ...

    def central_moments(self, q: float) -> np.ndarray: ...


class Assumption:
    """An assumption of an algorithm on the rewards.

    Attributes:
        automatic: parameters of the algorithm for which the user may write ``auto``: they are
            computed from the environment.
        parameters: parameters of the algorithm on which the automatic parameters depend.
        needed_for_privacy: whether privacy requires the assumption, so that users cannot waive it.
        outliers: whether rewards may be contaminated.
        waived_with_privacy: whether users may waive the assumption, but then lose privacy. If both
            this attribute and ``needed_for_privacy`` are false, users may waive the assumption and
            keep privacy.
        actions: the kind of actions that the algorithm plays: ARMS, FEATURES, CONTEXTS or USERS.
        words: the assumption in words if the privacy guarantee requires it, else "any rewards".
    """

    automatic: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[str, ...]] = ()
    needed_for_privacy: ClassVar[bool] = False
    outliers: ClassVar[bool] = False
    waived_with_privacy: bool = False
    actions: str = ARMS

    @property
    def words(self) -> str:
        return "any rewards"

    def extremes(self, values: Values) -> tuple[float, float] | None:
        """Return the smallest and the largest reward if privacy requires bounded rewards."""
        return None

    def value(self, instance: Instance, values: Values) -> float:
        """Compute the smallest value of the automatic parameter for which the assumption holds."""
        raise NotImplementedError

    def misfit(self, values: Values) -> str | None:
        """Return the reason why parameters contradict each other, or None."""
        return None

    def violation(self, instance: Instance, values: Values) -> tuple[str, str] | None:
        """Return None if an instance satisfies the assumption, else two texts.

        The first text states the property of the instance, and the second text states the
        assumption.
        """
        raise NotImplementedError

    def remedy(self, instance: Instance, values: Values) -> str:
        """Return a hint how to make the environment satisfy the assumption, or ""."""
        return ""


@dataclass(frozen=True)
class Bounded(Assumption):
    """Rewards lie in [low, high]."""

    low: float
    high: float
    needed_for_privacy: ClassVar[bool] = True

    @property
    def words(self) -> str:
        return f"rewards in [{self.low:g}, {self.high:g}]"

    def extremes(self, values: Values) -> tuple[float, float] | None:
        return self.low, self.high

    def violation(self, instance: Instance, values: Values) -> tuple[str, str] | None:
        low, high = instance.support
        if self.low <= low and high <= self.high:
            return None
        inside = f"lie in [{low:g}, {high:g}]" if (low, high) != UNBOUNDED else "have no bounds"
        return f"its rewards {inside}", self.words

    def remedy(self, instance: Instance, values: Values) -> str:
        finite = np.isfinite(instance.support).all()
        hint = "; give a law other parameters, or shift and scale data with bounds that you know"
        return hint if finite else ""


UNIT_INTERVAL = Bounded(0.0, 1.0)


@dataclass(frozen=True)
class OfUsers(Bounded):
    """Rewards lie in [low, high], and users have features of length at most 1.

    Every environment of users has such features.
    """

    actions = USERS

    @property
    def words(self) -> str:
        return f"{super().words} and features of length at most 1"


LABELLED = OfUsers(0.0, 1.0)


@dataclass(frozen=True)
class WithinR(Assumption):
    """Rewards lie in [-R, R] for the parameter R, and there are no outliers."""

    needed_for_privacy: ClassVar[bool] = True
    words = "rewards in [-R, R]"

    def extremes(self, values: Values) -> tuple[float, float]:
        return -values["R"], values["R"]

    def violation(self, instance: Instance, values: Values) -> tuple[str, str] | None:
        return Bounded(*self.extremes(values)).violation(instance, values)

    def remedy(self, instance: Instance, values: Values) -> str:
        reach = max(map(abs, instance.support))
        return f"; R={plain(reach)} covers them" if values["R"] < reach < math.inf else ""


WITHIN_R = WithinR()


@dataclass(frozen=True)
class LinearRewards(Assumption):
    """The mean of a reward is the inner product <theta, x> with the vector x of the action.

    The parameter vector theta has a length of at most 1. The noise of the rewards is 1-subgaussian,
    which is not checked.

    Attributes:
        actions: FEATURES or CONTEXTS, the kind of the vectors.
        waived_with_privacy: whether privacy needs rewards in [-1, 1] without outliers and vectors
            of length at most 1.
    """

    actions: str
    waived_with_privacy: bool = False

    @property
    def words(self) -> str:
        vectors = "features" if self.actions == FEATURES else "contexts"
        long = f"rewards in [-1, 1] and {vectors} of length at most 1"
        return long if self.waived_with_privacy else super().words

    def extremes(self, values: Values) -> tuple[float, float] | None:
        return (-1.0, 1.0) if self.waived_with_privacy else None

    def violation(self, instance: Instance, values: Values) -> tuple[str, str] | None:
        longest, theta = instance.longest
        bounds = self.extremes(values)
        if bounds and longest > ROUNDING:
            length = f"of up to {longest:g}" if longest < math.inf else "without a bound"
            return f"its vectors have a length {length}", "at most 1"
        found = Bounded(*bounds).violation(instance, values) if bounds else None
        too_long = (f"theta has the length {theta:g}", "at most 1") if theta > ROUNDING else None
        return found or too_long


LINEAR, CONTEXTUAL = LinearRewards(FEATURES), LinearRewards(CONTEXTS)
BOUNDED_LINEAR, BOUNDED_CONTEXTUAL = LinearRewards(FEATURES, True), LinearRewards(CONTEXTS, True)


@dataclass(frozen=True)
class HeavyTails(Assumption):
    """The reward X of every arm has E|X|^(1+v) <= u; there are no outliers (Tao et al. 2022)."""

    automatic: ClassVar[tuple[str, ...]] = ("u",)
    parameters: ClassVar[tuple[str, ...]] = ("v",)

    def value(self, instance: Instance, values: Values) -> float:
        return float(instance.raw_moments(1.0 + values["v"]).max())

    def violation(self, instance: Instance, values: Values) -> tuple[str, str] | None:
        order = 1.0 + values["v"]
        bound = f"at most u = {values['u']:g}"
        return too_large("E|X|", order, instance.raw_moments(order), values["u"], bound)


@dataclass(frozen=True)
class Contaminated(Assumption):
    """Outliers have a probability of at most alpha1."""

    automatic: ClassVar[tuple[str, ...]] = ("alpha1",)
    outliers: ClassVar[bool] = True

    def value(self, instance: Instance, values: Values) -> float:
        return instance.contamination

    def violation(self, instance: Instance, values: Values) -> tuple[str, str] | None:
        if instance.contamination <= values["alpha1"]:
            return None
        found = f"its rewards are outliers with probability {instance.contamination:g}"
        return found, f"a probability of at most alpha1 = {values['alpha1']:g}"


@dataclass(frozen=True)
class RawMoments(Contaminated):
    """E|X|^k <= 1 for the inliers X of every arm, and outliers have a probability of at most alpha1
    (Wu et al. 2023, Def. 3.1).
    """

    def violation(self, instance: Instance, values: Values) -> tuple[str, str] | None:
        moments = instance.raw_moments(values["k"])
        return super().violation(instance, values) or too_large(
            "E|X|", values["k"], moments, 1.0, "at most 1"
        )


@dataclass(frozen=True)
class CentralMoments(Contaminated):
    """E|X - mean|^k <= 1 and |mean| <= D for the inliers X of every arm, and outliers have a
    probability of at most alpha1 (Wu et al. 2023, Def. 3.2).

    Attributes:
        width: the bin width r as a function of k and alpha1.
    """

    width: Callable[[float, float], float]

    def misfit(self, values: Values) -> str | None:
        r = self.width(values["k"], values["alpha1"])
        if values["D"] < 2 * r:
            return (
                f"algo.D={values['D']:g}: a number of at least {2 * r:.4g} (twice the width of a "
                "bin) is needed; D may be larger than all means; prae_r takes no D"
            )
        return None

    def violation(self, instance: Instance, values: Values) -> tuple[str, str] | None:
        farthest = float(np.abs(instance.reward_means()).max())
        if farthest > values["D"]:
            return f"a mean lies {farthest:g} from 0", f"at most D = {values['D']:g}"
        moments = instance.central_moments(values["k"])
        return super().violation(instance, values) or too_large(
            "E|X - mean|", values["k"], moments, 1.0, "at most 1"
        )


def too_large(
    words: str, order: float, moments: np.ndarray, bound: float, assumed: str
) -> tuple[str, str] | None:
    """Return the texts of ``Assumption.violation`` if a moment of an arm exceeds ``bound``."""
    worst = int(moments.argmax())
    if moments[worst] <= bound * ROUNDING:
        return None
    size = "infinite" if math.isinf(moments[worst]) else f"{moments[worst]:.6g}"
    return f"{words}^{order:g} of arm {worst + 1} is {size}", assumed
