"""Bandit instances: an environment and the properties of its arms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..contracts.question import ARMS, FEATURES
from ..errors import BadInput
from .laws import PARAMETERS, STUDENT, TABLE, Environment
from .reward_laws.arm import Arm


@dataclass(frozen=True)
class Instance:
    """An environment and its arms, whose properties the learner does not know."""

    environment: Environment  # the arms' laws
    arms: tuple[Arm, ...]  # the arms; under contamination, the arms with the laws of inliers
    outliers: tuple[Arm, ...] = ()  # the laws of the arms' outliers; empty without contamination
    # float64 array (d,): the mean of an arm is <theta, features of the arm>; empty if arms have no
    # features
    theta: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def means(self) -> np.ndarray:
        """float64 array (K,): the arms' true means."""
        return np.array([arm.mean for arm in self.arms])

    @property
    def gaps(self) -> np.ndarray:
        """float64 array (K,): the largest mean minus each arm's mean."""
        return self.means.max() - self.means

    @cached_property
    def largest_gap(self) -> float:
        """The largest regret of a round."""
        return float(self.gaps.max())

    @property
    def support(self) -> tuple[float, float]:
        """Smallest and largest reward of all arms."""
        laws = self.arms + self.outliers
        return float(min(law.low for law in laws)), float(max(law.high for law in laws))

    @property
    def actions(self) -> str:
        """The kind of the actions: FEATURES if they have features, else ARMS."""
        return FEATURES if len(self.theta) else ARMS

    @property
    def longest(self) -> tuple[float, float]:
        """The length of the longest action, and the length of theta."""
        lengths = np.linalg.norm(self.environment.features, axis=1)
        return float(lengths.max(initial=0.0)), float(np.linalg.norm(self.theta))

    @property
    def withdrawn(self) -> str:
        """The reason why no privacy of contexts is promised; empty if privacy may be promised."""
        return ""

    @property
    def passes(self) -> int:
        """How often the algorithm sees the record of each user."""
        return 1

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the instance, which a run prints together with the privacy promises."""
        return ()

    @property
    def rounds(self) -> int:
        """The number of rounds for which the instance has rewards; 0 for any number of rounds."""
        return len(self.environment.table)

    @property
    def contamination(self) -> float:
        """The probability of an outlier, alpha."""
        return self.environment.alpha

    def raw_moments(self, q: float) -> np.ndarray:
        """float64 array (K,): E|X|^q of each arm."""
        return np.array([finite(arm.moment, q, 0.0) for arm in self.arms])

    def central_moments(self, q: float) -> np.ndarray:
        """float64 array (K,): E|X - E X|^q of each arm."""
        return np.array([finite(arm.moment, q, arm.reward_mean) for arm in self.arms])

    def reward_means(self) -> np.ndarray:
        """float64 array (K,): E X of each arm; with a sigmoid, E X differs from ``means``."""
        return np.array([arm.reward_mean for arm in self.arms])

    def shuffled(self, order: np.ndarray) -> Any:
        """Return an environment whose arm i is arm ``order[i]`` of this environment; ``order`` may
        leave out arms. Arrays that ``by_arm`` names are copied, other arrays are shared.
        """
        env, K = self.environment, len(self.means)
        rows = {x: np.arange(0, len(getattr(env, x)), K)[:, np.newaxis] for x in env.by_arm}
        return env._replace(**{x: getattr(env, x)[(rows[x] + order).ravel()] for x in rows})

    def alone(self, a: int) -> Instance:
        """Return the instance with arm ``a`` only. The mean of this arm is the mean of the observed
        rewards.
        """
        arm = replace(self.arms[a], mean=self.arms[a].reward_mean)
        env = self.shuffled(np.array([a]))
        env.parameters[env.law == TABLE, 0] = 0.0
        env = env._replace(table=np.ascontiguousarray(env.table[:, [a]]))
        return Instance(env, (arm,), self.outliers[a : a + 1], self.theta)

    def content(self) -> list[np.ndarray]:
        """Return the arrays that determine the course of a game on an instance, equal in all
        processes.
        """
        env = self.environment
        # addresses of users' laws differ between processes
        places = np.minimum(env.law, STUDENT + 1)
        return [np.asarray(x) for x in (*env._replace(law=places), self.means)]


def finite(moment: Callable[[float, float], float], q: float, c: float) -> float:
    """Return E|X - c|^q, or infinity if the number overflows.

    Raises:
        BadInput: the moment cannot be computed.
    """
    try:
        return moment(q, c)
    except OverflowError:
        return math.inf
    except ArithmeticError as error:
        raise BadInput(f"E|X - {c:g}|^{q:g} of an arm cannot be computed ({error})") from None


def of_arms(arms: Sequence[Arm]) -> Instance:
    """Return the instance with the given arms."""
    return Instance(environment_of(arms), tuple(arms))


def environment_of(arms: Sequence[Arm]) -> Environment:
    """Return the environment with the given arms."""
    points = [np.zeros((0, 2))]
    parameters = np.zeros((len(arms), PARAMETERS))
    stop = 0
    for a, arm in enumerate(arms):
        row = (a,) if arm.law == TABLE else arm.parameters
        if arm.points is not None:
            start, stop = stop, stop + len(arm.points)
            row = (start, stop)
            points.append(arm.points)
        parameters[a, : len(row)] = row
    return Environment(
        law=np.array([arm.law for arm in arms]),
        parameters=parameters,
        points=np.concatenate(points),
        table=np.zeros((0, len(arms))),
        alpha=0.0,
    )


def contaminate(
    clean: Instance, alpha: float, arms: Sequence[Arm], reports: bool = False
) -> Instance:
    """Return the instance in which a reward, or a report, is an outlier with probability ``alpha``;
    ``arms`` are the laws of the outliers.
    """
    environment = environment_of([*clean.arms, *arms])
    own = clean.environment
    environment = environment._replace(
        table=own.table, alpha=alpha, reports=reports, features=own.features
    )
    return Instance(environment, clean.arms, tuple(arms), clean.theta)
