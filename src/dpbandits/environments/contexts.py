"""Contexts that are drawn in each round, and rewards whose means depend on the contexts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ..compiled import inlined, normal, random, shared_rare, unlikely
from ..contracts.question import CONTEXTS
from .instances import Instance
from .laws import EMPIRICAL, GAUSSIAN, TABLE, sigmoid

Numbers = Sequence[float] | np.ndarray
# No normal number that is drawn is more than this many standard deviations from its mean
FARTHEST = 40.0
ONE_PASS = -1  # the law that shows the rows in a random order, each row once per pass
REPLAY = -2  # the law that shows the rows of a log in a random order; only some rows count
LEAST = 100  # least number of rows of a log that must count


class ContextualEnvironment(NamedTuple):
    """The law of contexts and rewards, as kernels receive it."""

    # int64 array (1,), the law. TWO_POINT: rewards are 1 and -1, or 1 and 0 with a logistic link.
    # GAUSSIAN: rewards have normal noise. EMPIRICAL: rows of features and rewards are drawn with
    # replacement. ONE_PASS: these rows are shown in a random order. REPLAY: rows of a log. TABLE:
    # rows in the order of the table
    law: np.ndarray
    theta: np.ndarray  # float64 array (d,), the parameter of the mean reward
    center: np.ndarray  # float64 array (d,), the mean of a context
    deviation: float  # standard deviation of each coordinate of a context
    # A context whose squared length exceeds ``limit`` is divided by its length. The limit is 1 for
    # the unit ball, 0 for the unit sphere, and else infinite
    limit: float
    sigma: float  # standard deviation of normal noise
    logistic: bool  # whether the mean of a reward is 1/(1 + e^-<theta, x>), not <theta, x>
    # float64 array (rows, p) for the laws EMPIRICAL, ONE_PASS and REPLAY: the features of each
    # user, where d = K p. For TABLE, float64 array (rounds, K d): the contexts of each round. For
    # other laws, the shape is (0, 0)
    rows: np.ndarray
    # float64 array. For REPLAY: (len(rows), 3), the action of the log, its reward, and the
    # probability with which a row counts if the policy chooses this action. For other laws:
    # (len(rows), K), the rewards, or (0, K) if rewards are drawn
    table: np.ndarray
    order: np.ndarray  # int64 array (K,), the arm at each place

    @property
    def reports(self) -> bool:
        """Whether outliers replace the reports of users. The value is always False, since there are
        no outliers.
        """
        return False

    @property
    def by_arm(self) -> tuple[str, ...]:
        """The names of the arrays that a permutation of the arms changes."""
        return ("order",)


@dataclass(frozen=True)
class ContextualInstance(Instance):
    """An environment with contexts. Arms have no means, since expected rewards depend on the
    contexts of the round.
    """

    environment: Any  # a ContextualEnvironment
    low: float = -math.inf  # the smallest reward
    high: float = math.inf  # the largest reward
    reach: float = math.inf  # the largest length of a context
    withdrawn: str = ""
    notes: tuple[str, ...] = ()

    @property
    def actions(self) -> str:
        return CONTEXTS

    @property
    def means(self) -> np.ndarray:  # type: ignore[override]
        return np.full(len(self.environment.order), np.nan)

    @property
    def longest(self) -> tuple[float, float]:
        return self.reach, float(np.linalg.norm(self.theta))

    @property
    def support(self) -> tuple[float, float]:
        return self.low, self.high

    @cached_property
    def largest_gap(self) -> float:
        """An upper bound on the regret of a round."""
        env, K = self.environment, len(self.environment.order)
        if len(env.rows):
            drawn = env.law[0] != TABLE
            means = env.table if drawn else env.rows.reshape(-1, K, len(env.theta)) @ env.theta
            return float(np.ptp(means, axis=1).max())
        length = float(np.linalg.norm(env.center)) + FARTHEST * env.deviation * len(env.center)
        if math.isfinite(env.limit):
            length = max(1.0, math.sqrt(env.limit))
        gap = 2.0 * length * float(np.linalg.norm(env.theta))
        return min(gap, 1.0) if env.logistic else gap

    @property
    def rounds(self) -> int:
        return 0

    @property
    def contamination(self) -> float:
        return 0.0

    def content(self) -> list[np.ndarray]:
        return [np.asarray(x) for x in self.environment]


def contextual_environment(
    law: int, K: int, theta: Numbers, center: Numbers = (), deviation: float = 0.0,
    limit: float = math.inf, sigma: float = 0.0, logistic: bool = False, rows: Any = (),
    table: Any = (),
) -> ContextualEnvironment:  # fmt: skip
    """Return a ``ContextualEnvironment`` of K arms with values of the right types."""
    drawn = len(rows) == 0
    rows, table = (np.ascontiguousarray(x, float) for x in (rows, table))
    return ContextualEnvironment(
        np.array([law]), np.array(theta, float), np.array(center, float), float(deviation),
        float(limit), float(sigma), bool(logistic), np.zeros((0, 0)) if drawn else rows,
        np.zeros((0, K)) if drawn else table, np.arange(K),
    )  # fmt: skip


@inlined
def row_of(env: ContextualEnvironment, rng: np.random.Generator, t: int, order: np.ndarray) -> int:
    """Return the row of the environment that has the contexts of the next round, after ``t``
    rounds. ``order`` has the rows in the order in which the current pass shows them.
    """
    if unlikely(len(order) > 0):
        draw_row_of_pass(rng, t, order)
        return order[t % len(order)]
    return int(random(rng) * len(env.rows)) if env.law[0] == EMPIRICAL else t


@partial(shared_rare, borrows=True)
def draw_row_of_pass(rng: np.random.Generator, t: int, order: np.ndarray) -> None:
    """Draw the next row of a random order: one swap of the Fisher-Yates shuffle."""
    n = len(order)
    k = t % n
    if k == 0:
        for i in range(n):
            order[i] = i
    j = k + int(random(rng) * (n - k))
    order[k], order[j] = order[j], order[k]


@inlined
def draw_contexts(
    env: ContextualEnvironment, rng: np.random.Generator, row: int, X: np.ndarray, means: np.ndarray
) -> None:
    """Fill ``X``, float64 array (K, d), with the contexts of a round, and ``means``, float64 array
    (K + 1,), with the expected reward of each context and the largest expected reward.
    """
    if unlikely(env.rows.shape[0] > 0):
        read_contexts(env, row, X, means)
        return
    K, d = X.shape
    for i in range(K):
        for j in range(d):
            X[i, j] = normal(rng)
    best = -np.inf
    for i in range(K):  # a loop of its own: without calls of the generator, this loop is faster
        square = mean = 0.0
        for j in range(d):
            x = env.center[j] + env.deviation * X[i, j]
            X[i, j] = x
            square += x * x
            mean += env.theta[j] * x
        if square > env.limit:
            mean = 0.0
            for j in range(d):
                X[i, j] *= 1.0 / math.sqrt(square)
                mean += env.theta[j] * X[i, j]
        if unlikely(env.logistic):
            mean = sigmoid(mean)
        means[i] = mean
        best = max(best, mean)
    means[K] = best


@partial(shared_rare, borrows=True)
def read_contexts(env: ContextualEnvironment, row: int, X: np.ndarray, means: np.ndarray) -> None:
    """Fill ``X`` and ``means`` (see ``draw_contexts``) from a row of the environment."""
    K, d = X.shape
    block = env.law[0] != TABLE  # the features lie in the block of the arm, and d = K p
    p = env.rows.shape[1] if block else d
    means[K] = -np.inf
    for i in range(K):
        mean, start = 0.0, env.order[i] * p
        for j in range(d):
            if block:
                X[i, j] = env.rows[row, j - start] if 0 <= j - start < p else 0.0
            else:
                X[i, j] = env.rows[row, start + j]
            mean += env.theta[j] * X[i, j]
        if env.law[0] == REPLAY:
            means[i] = 0.0  # a log does not contain the mean reward
        else:
            means[i] = env.table[row, env.order[i]] if block else mean
        means[K] = max(means[K], means[i])


@inlined
def reward_given(
    env: ContextualEnvironment, rng: np.random.Generator, row: int, i: int, mean: float
) -> float:
    """Return the reward of the arm with the index ``i`` in the game. If the table has rewards, the
    reward comes from the table, else it is drawn with expectation ``mean``.
    """
    if env.table.shape[0] > 0:
        return env.table[row, env.order[i]]
    if env.law[0] == GAUSSIAN:
        return mean + env.sigma * normal(rng)
    low = 0.0 if env.logistic else -1.0
    return 1.0 if random(rng) < (mean - low) / (1.0 - low) else low
