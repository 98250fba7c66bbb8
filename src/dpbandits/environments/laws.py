"""Reward laws: how one reward, or the sum of many, is drawn for an arm."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..kernel import verb

# The laws, and what the parameters of each mean.
TWO_POINT = 0  # low, high, probability of high
TABLE = 1  # none: the reward of a round stands in the environment's table
GAUSSIAN = 2  # mean, standard deviation
UNIFORM = 3  # low, high
BETA = 4  # a, b
DISCRETE = 5  # first and last row (exclusive) of the environment's points
SIGMOID_GAUSSIAN = 6  # mean, standard deviation of x, where the reward is 1/(1 + e^-x)
PARAMETERS = 3


class Environment(NamedTuple):
    """The arms' laws, as kernels see them.

    Attributes:
        law: int64 array (K,), the law of each arm.
        parameters: float64 array (K, PARAMETERS), the parameters of each arm's law.
        points: float64 array (points, 2), value and probability of each point of discrete laws.
        table: float64 array (rounds, K), rewards fixed in advance; (0, K) if none are.
    """

    law: np.ndarray
    parameters: np.ndarray
    points: np.ndarray
    table: np.ndarray


@verb
def sigmoid(x: float) -> float:
    """1/(1 + e^-x): squashes any reward into (0, 1)."""
    return 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0


@verb
def draw(env: Environment, rng: np.random.Generator, a: int, t: int) -> float:
    """One reward of arm ``a``, pulled when ``t`` rounds have been played."""
    law, x, y = env.law[a], env.parameters[a, 0], env.parameters[a, 1]
    if law == TWO_POINT:
        return y if rng.random() < env.parameters[a, 2] else x
    if law == TABLE:
        return env.table[t, a]
    if law == GAUSSIAN:
        return x + y * rng.standard_normal()
    if law == UNIFORM:
        return x + (y - x) * rng.random()
    if law == BETA:
        return rng.random() ** (1.0 / x) if y == 1.0 else rng.beta(x, y)
    if law == SIGMOID_GAUSSIAN:
        return sigmoid(x + y * rng.standard_normal())
    u = rng.random()
    i = int(x)
    while i < int(y) - 1 and u >= env.points[i, 1]:
        u -= env.points[i, 1]
        i += 1
    return env.points[i, 0]


@verb
def draw_sum(
    env: Environment, rng: np.random.Generator, a: int, n: int, t: int, step: int
) -> float:
    """The sum of ``n`` rewards of arm ``a``, from its exact law.

    It costs O(1) for two-point and Gaussian laws and O(points) for discrete ones, whatever
    ``n``; other laws are drawn one by one. Arm ``a`` is pulled when ``t, t + step,
    t + 2 step, ...`` rounds have been played; only rewards fixed in advance depend on it.
    """
    law, x, y = env.law[a], env.parameters[a, 0], env.parameters[a, 1]
    if law == TWO_POINT:
        highs = rng.binomial(n, env.parameters[a, 2])
        return x * (n - highs) + y * highs
    if law == GAUSSIAN:
        return x * n + y * math.sqrt(n) * rng.standard_normal()
    total = 0.0
    if law == DISCRETE:
        left, mass = n, 1.0
        for i in range(int(x), int(y) - 1):
            share = min(env.points[i, 1] / mass, 1.0) if mass > 0.0 else 1.0
            here = rng.binomial(left, share)
            total += env.points[i, 0] * here
            left -= here
            mass -= env.points[i, 1]
        return total + env.points[int(y) - 1, 0] * left
    for i in range(n):
        total += draw(env, rng, a, t + i * step)
    return total
