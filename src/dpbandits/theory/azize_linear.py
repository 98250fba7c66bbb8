"""Bounds of Azize's thesis for linear and contextual bandits, and sums over AdaC-GOPE's phases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..contracts.question import CONTEXTS, FEATURES
from ..environments.laws import GAUSSIAN
from .bounds import EXACT, ORDER, WORST_CASE, Condition, bounds_of
from .conditions import IN_THE_BALL, algorithm
from .problem import Problem

lower, upper = bounds_of("Azize's thesis")


def _is_cube(problem: Problem) -> bool:
    """Return whether the actions are all corners of the cube [-1, 1]^d."""
    x, d = problem.instance.environment.features, len(problem.instance.theta)
    return len(np.unique(x, axis=0)) == 2**d and bool((np.abs(x) == 1).all())


def _is_sub_gaussian(problem: Problem) -> bool:
    """Return whether noise is 1-subgaussian: rewards in [-1, 1], or normal with sd at most 1."""
    instance = problem.instance
    env: Any = instance.environment
    if instance.contamination > 0:
        return False
    deviation = env.sigma if instance.actions == CONTEXTS else env.parameters[:, 1]
    normal = (env.law == GAUSSIAN).all() and np.max(deviation) <= 1
    return bool(normal or (instance.support[0] >= -1 and instance.support[1] <= 1))


def _has_linear_means(problem: Problem) -> bool:
    """Return whether rewards are drawn, and their mean is linear in the context."""
    env: Any = problem.instance.environment
    return len(env.table) == 0 and not env.logistic


MIDDLE = Condition("noise=middle", lambda noise: noise == 0)  # 0: ``middle``
NOISE = Condition("rewards in [-1, 1], or normal noise of sd at most 1", _is_sub_gaussian)
LINEAR_MEANS = Condition("rewards drawn around the mean <theta, context>", _has_linear_means)


@lower("Theorem 4.21", WORST_CASE, "(e^-2/8) d sqrt(T)",
       Condition("the corners of [-1, 1]^d as actions", _is_cube), actions=FEATURES,
       note="for the worst theta and noise of unit variance; the private term, of order "
       "d/sqrt(rho), is left out, since we do not know its constant")  # fmt: skip
def cube(d: int, T: float) -> float:
    """Minimax lower bound for the corners of [-1, 1]^d (Theorem 4.21), without its privacy term."""
    return math.exp(-2.0) / 8.0 * d * math.sqrt(T)


@upper("Theorem 5.12", ORDER,
       "sqrt(d T ln(K ln T/delta)) + (d/sqrt(rho)) sqrt(ln(K ln T/delta)) ln T",
       algorithm("adac_gope"), IN_THE_BALL, NOISE, actions=FEATURES,
       note="the lengths of phases have d + ln(K ln T/delta) under the second root")  # fmt: skip
def adac_gope(d: int, K: int, rho: float, T: float, delta: float) -> float:
    """Order of the regret of AdaC-GOPE (Theorem 5.12), with constants of 1."""
    l = math.log(K * max(math.log(T), 1.0) / delta)
    return math.sqrt(d * T * l) + d / math.sqrt(rho) * math.sqrt(l) * math.log(T)


@upper("Theorem 5.17", ORDER, "d ln T sqrt(T) + d^2 ln(T)^2/sqrt(rho)",
       algorithm("adac_oful"), IN_THE_BALL, NOISE, LINEAR_MEANS, actions=CONTEXTS)  # fmt: skip
def adac_oful(d: int, rho: float, T: float) -> float:
    """Order of the regret of AdaC-OFUL (Theorem 5.17), with constants of 1."""
    return d * math.log(T) * math.sqrt(T) + (d * math.log(T)) ** 2 / math.sqrt(rho)


@upper("Alg. 8, phases summed", EXACT, "2 delta T + sum over phases l of min{2, 8 2^-l} length_l",
       algorithm("gope"), IN_THE_BALL, NOISE, actions=FEATURES, note="derived")  # fmt: skip
def gope_phases(d: int, K: int, T: float, delta: float) -> float:
    """Regret of GOPE, summed over its phases (Alg. 8). With probability 1 - delta, the errors of
    all estimates in phase l are at most beta = 2^-l. Then all active arms have gaps of at most 8
    beta.
    """
    return adac_gope_phases(d, K, math.inf, T, delta)


@upper("Alg. 8, private phases summed", EXACT,
       "2 delta T + sum over phases l of min{2, 8 2^-l} length_l",
       algorithm("adac_gope"), MIDDLE, IN_THE_BALL, NOISE, actions=FEATURES,
       note="derived")  # fmt: skip
def adac_gope_phases(d: int, K: int, rho: float, T: float, delta: float) -> float:
    """Regret of AdaC-GOPE (Alg. 8) with noise in the middle; see ``gope_phases``."""
    total, left, l = 2.0 * delta * T, float(T), 0
    while left > 0:
        l += 1
        beta, x = 2.0**-l, math.log(2.0 * K * l * (l + 1) / delta)
        length = 8.0 * d / beta**2 * (x + math.log(2.0)) + d * (d + 1) / 2.0
        length += 2.0 * d / beta * math.sqrt(2.0 / rho * (d + 2.0 * math.sqrt(d * x) + 2.0 * x))
        total += min(2.0, 8.0 * beta) * min(length, left)
        left -= length
    return total
