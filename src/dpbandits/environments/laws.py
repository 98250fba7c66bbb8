"""Reward laws, and functions that draw one reward of an arm."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled import (
    beta,
    call_at,
    exponential,
    inlined,
    normal,
    random,
    shared_borrowing,
    student,
    unlikely,
)

# The laws, each with the meaning of its parameters.
TWO_POINT = 0  # low, high, probability of high
TABLE = 1  # the column in the environment's table
GAUSSIAN = 2  # mean, standard deviation
UNIFORM = 3  # low, high
PARETO = 4  # scale, 1/shape
DISCRETE = 5  # first and last row (exclusive) of the environment's points
EMPIRICAL = 6  # first and last row (exclusive) of the environment's points, equally likely
SIGMOID_GAUSSIAN = 7  # mean, standard deviation of x, where the reward is 1/(1 + e^-x)
LOGNORMAL = 8  # mean, standard deviation of the logarithm
BETA = 9  # a, b
STUDENT = 10  # mean, scale, degrees of freedom
LARGEST = 11  # the value that is drawn if the adversary knows no truncation level
# A larger number is a user's law: it is the address of the law's quantile function
# (``compiled.call_at``)
INVOLVED = SIGMOID_GAUSSIAN  # the code that draws from this law, or a later one, is not inlined
PARAMETERS = 3
SMALLEST = 2.0**-54  # replaces a uniform random number that is 0
NO_FEATURES = np.zeros((0, 0))


class Environment(NamedTuple):
    """The arms' laws, as kernels receive them."""

    # int64 array (K,), the law of each arm; (2 K,) under contamination, where entry ``a + K`` is
    # the law of arm a's outliers
    law: np.ndarray
    parameters: np.ndarray  # float64 array (len(law), PARAMETERS), the parameters of each law
    # float64 array (points, 2), the value and the probability of each point of discrete laws
    points: np.ndarray
    # float64 array (rounds, K), rewards fixed in advance; (0, K) without such rewards
    table: np.ndarray
    alpha: float  # probability of an outlier (Huber contamination)
    # whether an outlier replaces what a user sends (True) or the user's reward (False). Without
    # local privacy, users send their rewards
    reports: bool = False
    # float64 array (K, d), the features of each arm; (0, 0) if arms have no features
    features: np.ndarray = NO_FEATURES

    @property
    def by_arm(self) -> tuple[str, ...]:
        """The names of the arrays with a row for each arm, or several blocks of such rows. To
        permute the arms, these rows are permuted.
        """
        return "law", "parameters", "features"


class Law(NamedTuple):
    """The law in one row of an environment; a loop reads it once for many draws."""

    row: int
    kind: int  # the number of the law
    x: float  # x, y and z are the law's parameters
    y: float
    z: float


@inlined
def law_of(env: Environment, row: int) -> Law:
    """Return the law in a row of the environment."""
    x, y, z = env.parameters[row, 0], env.parameters[row, 1], env.parameters[row, 2]
    return Law(row, env.law[row], x, y, z)


@inlined
def sigmoid(x: float) -> float:
    """Return 1/(1 + e^-x), which maps any reward into (0, 1)."""
    return 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0


@inlined
def outliers(env: Environment, a: int) -> int:
    """Return the row of the environment that has the law of the outliers of arm ``a``."""
    return a + env.table.shape[1]


@inlined
def draw(env: Environment, rng: np.random.Generator, a: int, t: int) -> float:
    """Draw one reward of arm ``a``, which is pulled after ``t`` rounds."""
    return draw_again(env, rng, law_of(env, a), t)


@inlined
def draw_again(env: Environment, rng: np.random.Generator, law: Law, t: int) -> float:
    """Draw one more reward of an arm; ``law`` is the law of its inliers."""
    if unlikely(env.alpha > 0.0) and random(rng) < env.alpha:
        return draw_outlier(env, rng, outliers(env, law.row))
    return draw_from(env, rng, law, t)


@shared_borrowing
def draw_outlier(env: Environment, rng: np.random.Generator, row: int) -> float:
    """Draw one outlier from the law in a row of the environment."""
    return draw_from(env, rng, law_of(env, row), 0)


@shared_borrowing
def draw_outlier_within(
    env: Environment, rng: np.random.Generator, row: int, level: float
) -> float:
    """Draw one outlier for an algorithm that truncates at ``level``. An outlier of the law
    ``LARGEST`` equals ``level`` if ``level`` is finite.
    """
    if env.law[row] == LARGEST and level < np.inf:
        return level
    return draw_outlier(env, rng, row)


@inlined
def largest_kept(env: Environment, row: int, level: float) -> float:
    """Return ``level`` if the outliers in a row of the environment have the law ``LARGEST``, else
    infinity. Only the adversary of this law knows the level.
    """
    return level if env.law[row] == LARGEST else np.inf


@inlined
def draw_from(env: Environment, rng: np.random.Generator, law: Law, t: int) -> float:
    """Draw one value of a law. The code for the laws from the constant INVOLVED on is not
    inlined.
    """
    if unlikely(law.kind >= INVOLVED):
        return draw_apart(rng, law.kind, law.x, law.y, law.z)
    return draw_plain(env, rng, law, t)


@inlined
def draw_next(env: Environment, rng: np.random.Generator, law: Law) -> float:
    """Draw one value of a law other than ``TABLE``, with inlined code for loops that only draw."""
    if law.kind >= INVOLVED:
        return draw_involved(rng, law.kind, law.x, law.y, law.z)
    return draw_plain(env, rng, law, 0)


@inlined
def draw_plain(env: Environment, rng: np.random.Generator, law: Law, t: int) -> float:
    """Draw one value of a law before INVOLVED in the list of laws, such as a two-point law."""
    if law.kind == TWO_POINT:
        return law.y if random(rng) < law.z else law.x
    if law.kind == TABLE:
        return env.table[t, int(law.x)]
    if law.kind == GAUSSIAN:
        return law.x + law.y * normal(rng)
    if law.kind == UNIFORM:
        return law.x + (law.y - law.x) * random(rng)
    if law.kind == PARETO:
        return law.x * math.exp(law.y * exponential(rng))
    if law.kind == EMPIRICAL:
        return env.points[int(law.x) + int((law.y - law.x) * random(rng)), 0]
    u = random(rng)
    i = int(law.x)
    while i < int(law.y) - 1 and u >= env.points[i, 1]:
        u -= env.points[i, 1]
        i += 1
    return env.points[i, 0]


@inlined
def draw_involved(rng: np.random.Generator, kind: int, x: float, y: float, z: float) -> float:
    """Draw one value of a law from INVOLVED on in the list of laws, such as a log-normal law, with
    given parameters.
    """
    if kind == SIGMOID_GAUSSIAN:
        return sigmoid(x + y * normal(rng))
    if kind == LOGNORMAL:
        return math.exp(x + y * normal(rng))
    if kind == BETA:
        return random(rng) ** (1.0 / x) if y == 1.0 else beta(rng, x, y)
    if kind == LARGEST:
        return x
    if kind > STUDENT:
        return call_at(kind, max(random(rng), SMALLEST), x, y, z)
    return x + y * student(rng, z)


@shared_borrowing
def draw_apart(rng: np.random.Generator, kind: int, x: float, y: float, z: float) -> float:
    """Call ``draw_involved``. Unlike ``draw_involved``, this function is never inlined into
    kernels.
    """
    return draw_involved(rng, kind, x, y, z)
