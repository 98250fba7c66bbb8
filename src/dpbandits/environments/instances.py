"""Bandit instances: an environment with its true means, ranges and moments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import BadInput
from .arms import Arm
from .laws import DISCRETE, EMPIRICAL, PARAMETERS, SIGMOID_GAUSSIAN, Environment


@dataclass(frozen=True)
class Instance:
    """An environment and its properties, which the learner does not know.

    Attributes:
        environment: the arms' laws.
        means: float64 array (K,), the arms' true means; under contamination those of inliers.
        supports: float64 array (K, 2), each arm's smallest and largest reward.
        moments: E|X - c|^q of each arm as a function of q and c; under contamination of inliers.
    """

    environment: Environment
    means: np.ndarray
    supports: np.ndarray
    moments: tuple[Callable[[float, float], float], ...]

    @property
    def gaps(self) -> np.ndarray:
        """float64 array (K,): the largest mean minus each arm's mean."""
        return self.means.max() - self.means

    @property
    def support(self) -> tuple[float, float]:
        """Smallest and largest reward of all arms."""
        return float(self.supports[:, 0].min()), float(self.supports[:, 1].max())

    @property
    def contamination(self) -> float:
        """The probability of an outlier, alpha."""
        return self.environment.alpha

    def raw_moments(self, q: float) -> np.ndarray:
        """float64 array (K,): E|X|^q of each arm."""
        return np.array([finite(moment, q, 0.0) for moment in self.moments])

    def central_moments(self, q: float) -> np.ndarray:
        """float64 array (K,): E|X - E X|^q of each arm."""
        centers = self.reward_means()
        return np.array([finite(m, q, c) for m, c in zip(self.moments, centers, strict=True)])

    def reward_means(self) -> np.ndarray:
        """float64 array (K,): E X of each arm; with a sigmoid they differ from ``means``."""
        squashed = self.environment.law[: len(self.means)] == SIGMOID_GAUSSIAN
        pairs = zip(self.moments, self.means, squashed, strict=True)
        return np.array([moment(1.0, 0.0) if s else mean for moment, mean, s in pairs])

    def shuffled(self, order: np.ndarray) -> Environment:
        """The environment with permuted arms: arm i is arm ``order[i]`` of this one."""
        env, K = self.environment, len(self.means)
        rows = np.concatenate([order + i for i in range(0, len(env.law), K)])
        return env._replace(
            law=env.law[rows],
            parameters=np.ascontiguousarray(env.parameters[rows]),
            table=np.ascontiguousarray(env.table[:, order]),
        )

    def alone(self, a: int) -> Instance:
        """The instance of arm ``a`` alone; its mean is that of the observed rewards."""
        squashed = self.environment.law[a] == SIGMOID_GAUSSIAN
        mean = self.moments[a](1.0, 0.0) if squashed else self.means[a]
        one = self.shuffled(np.array([a]))
        return Instance(one, np.array([mean]), self.supports[[a]], (self.moments[a],))


def finite(moment: Callable[[float, float], float], q: float, c: float) -> float:
    """E|X - c|^q; infinite if it overflows.

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
    """The instance with the given arms."""
    supports = np.array([(arm.low, arm.high) for arm in arms])
    means = np.array([arm.mean for arm in arms])
    return Instance(environment_of(arms), means, supports, tuple(arm.moment for arm in arms))


def environment_of(arms: Sequence[Arm]) -> Environment:
    """The environment with the given arms."""
    points: list[tuple[float, float]] = []
    parameters = np.zeros((len(arms), PARAMETERS))
    for a, arm in enumerate(arms):
        row = arm.parameters
        if arm.points:
            row = (len(points), len(points) + len(arm.points))
            points += arm.points
        parameters[a, : len(row)] = row
    return Environment(
        law=np.array([arm.law for arm in arms]),
        parameters=parameters,
        points=np.array(points, dtype=float).reshape(-1, 2),
        table=np.zeros((0, len(arms))),
        alpha=0.0,
    )


def contaminate(clean: Instance, alpha: float, arms: Sequence[Arm]) -> Instance:
    """The instance in which a reward is drawn from ``arms`` with probability ``alpha``."""
    env, foul = clean.environment, environment_of(arms)
    rows = foul.parameters.copy()
    of_points = (foul.law == DISCRETE) | (foul.law == EMPIRICAL)
    rows[of_points, :2] += len(env.points)
    environment = Environment(
        law=np.concatenate([env.law, foul.law]),
        parameters=np.concatenate([env.parameters, rows]),
        points=np.concatenate([env.points, foul.points]),
        table=env.table,
        alpha=alpha,
    )
    low = np.minimum(clean.supports[:, 0], [arm.low for arm in arms])
    high = np.maximum(clean.supports[:, 1], [arm.high for arm in arms])
    return replace(clean, environment=environment, supports=np.column_stack([low, high]))
