"""Reward laws: how one reward is drawn for an arm."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..kernel import routine, verb

# The laws, and what the parameters of each mean.
TWO_POINT = 0  # low, high, probability of high
TABLE = 1  # none: the reward of a round stands in the environment's table
GAUSSIAN = 2  # mean, standard deviation
UNIFORM = 3  # low, high
BETA = 4  # a, b
DISCRETE = 5  # first and last row (exclusive) of the environment's points
SIGMOID_GAUSSIAN = 6  # mean, standard deviation of x, where the reward is 1/(1 + e^-x)
PARETO = 7  # scale, 1/shape
STUDENT = 8  # mean, scale, degrees of freedom
LOGNORMAL = 9  # mean, standard deviation of the logarithm
EMPIRICAL = 10  # first and last row (exclusive) of the environment's points, equally likely
PARAMETERS = 3


class Environment(NamedTuple):
    """The arms' laws, as kernels see them.

    Attributes:
        law: int64 array (K,), the law of each arm; (2 K,) under contamination, where entry
            ``a + K`` is the law of arm a's outliers.
        parameters: float64 array (len(law), PARAMETERS), the parameters of each law.
        points: float64 array (points, 2), value and probability of each point of discrete laws.
        table: float64 array (rounds, K), rewards fixed in advance; (0, K) if none are.
        alpha: probability with which a reward is an outlier (Huber contamination).
    """

    law: np.ndarray
    parameters: np.ndarray
    points: np.ndarray
    table: np.ndarray
    alpha: float


@verb
def sigmoid(x: float) -> float:
    """1/(1 + e^-x): squashes any reward into (0, 1)."""
    return 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0


@verb
def outliers(env: Environment, a: int) -> int:
    """The row of the law of arm ``a``'s outliers."""
    return a + env.table.shape[1]


@verb
def draw(env: Environment, rng: np.random.Generator, a: int, t: int) -> float:
    """One reward of arm ``a``, pulled when ``t`` rounds have been played."""
    row = a
    if env.alpha > 0.0 and rng.random() < env.alpha:
        row = outliers(env, a)
    return draw_from(env, rng, row, t)


@verb
def draw_from(env: Environment, rng: np.random.Generator, row: int, t: int) -> float:
    """One value of the law in a row of the environment."""
    law, x, y = env.law[row], env.parameters[row, 0], env.parameters[row, 1]
    if law == TWO_POINT:
        return y if rng.random() < env.parameters[row, 2] else x
    if law == TABLE:
        return env.table[t, row]
    if law == GAUSSIAN:
        return x + y * rng.standard_normal()
    if law == UNIFORM:
        return x + (y - x) * rng.random()
    if law == BETA:
        return rng.random() ** (1.0 / x) if y == 1.0 else rng.beta(x, y)
    if law == SIGMOID_GAUSSIAN:
        return sigmoid(x + y * rng.standard_normal())
    if law == EMPIRICAL:
        return env.points[int(x) + int((y - x) * rng.random()), 0]
    if law != DISCRETE:
        return draw_tail(rng, law, x, y, env.parameters[row, 2])
    u = rng.random()
    i = int(x)
    while i < int(y) - 1 and u >= env.points[i, 1]:
        u -= env.points[i, 1]
        i += 1
    return env.points[i, 0]


@routine
def draw_tail(rng: np.random.Generator, law: int, x: float, y: float, z: float) -> float:
    """One value of a heavy-tailed law with the given parameters."""
    if law == PARETO:
        return x * math.exp(y * rng.standard_exponential())
    if law == STUDENT:
        return x + y * rng.standard_t(z)
    return math.exp(x + y * rng.standard_normal())
