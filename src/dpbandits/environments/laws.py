"""Reward laws: how one reward, or the sum of many, is drawn for an arm."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernel import verb

TWO_POINT = 0  # parameters: low, high, probability of high
TABLE = 1  # no parameters: the reward of a round stands in the environment's table
PARAMETERS = 3


class Environment(NamedTuple):
    """The arms' laws, as kernels see them.

    Attributes:
        law: int64 array (K,), the law of each arm.
        parameters: float64 array (K, PARAMETERS), the parameters of each arm's law.
        table: float64 array (rounds, K), rewards fixed in advance; (0, K) if none are.
    """

    law: np.ndarray
    parameters: np.ndarray
    table: np.ndarray


@verb
def draw(env: Environment, rng: np.random.Generator, a: int, t: int) -> float:
    """One reward of arm ``a``, pulled when ``t`` rounds have been played."""
    if env.law[a] == TWO_POINT:
        high = rng.random() < env.parameters[a, 2]
        return env.parameters[a, 1] if high else env.parameters[a, 0]
    return env.table[t, a]


@verb
def draw_sum(
    env: Environment, rng: np.random.Generator, a: int, n: int, t: int, step: int
) -> float:
    """The sum of ``n`` rewards of arm ``a``, from its exact law: O(1), whatever ``n``.

    Arm ``a`` is pulled when ``t, t + step, t + 2 step, ...`` rounds have been played; only
    rewards fixed in advance depend on it, and they are added one by one.
    """
    if env.law[a] == TWO_POINT:
        low, high = env.parameters[a, 0], env.parameters[a, 1]
        highs = rng.binomial(n, env.parameters[a, 2])
        return low * (n - highs) + high * highs
    total = 0.0
    for i in range(n):
        total += env.table[t + i * step, a]
    return total
