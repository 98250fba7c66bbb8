"""Bounds of Ren et al. 2020: local DP with equal or individual levels; the choice of eps_min."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..environments.laws import GAUSSIAN
from ..environments.populations import Population
from ..environments.users import half_tanh
from .bounds import ASYMPTOTIC, EXACT, ORDER, Condition, bounds_of
from .conditions import BERNOULLI, BEST_BELOW_1, LOCAL, PRIVACY, UNIT_REWARDS, algorithm
from .problem import Problem, positive

lower, upper = bounds_of("Ren et al. 2020")
LAPLACE = (algorithm("heldp_ucb_l"), UNIT_REWARDS)
BITS = (algorithm("heldp_ucb_b"), UNIT_REWARDS)
SOME_USERS = Condition(
    "p_0 T >= 1 for p_0 = P(eps_t >= eps_min), eps_min > 0",
    lambda population, eps_min, T: eps_min > 0 and population.mass(eps_min) * T >= 1,
)
EQUAL_LEVELS = (
    Condition("eps_t = eps_min for all users", lambda problem: problem.equal_levels),
    PRIVACY,
)
# Theorem 7 has a maximum of two terms. Corollary 8 leaves out one, 10 gap ln T, as the smaller
DOMINATED = Condition(
    "gaps of at most sqrt(.8) (1 + 4/eps)",
    lambda gaps, eps: max(gaps) <= math.sqrt(0.8) * (1 + 4 / eps),
)


def v_l(population: Population, eps_min: float) -> float:
    """V_L = E[(1 + 4/eps)^2 | eps >= eps_min] / p_0, the factor of HeLDP-UCB-L's regret (Thm. 7).

    Args:
        population: privacy levels of the users.
        eps_min: users with a lower level send nothing; p_0 is the share of the other users.
    """
    return population.total(lambda e: (1 + 4 / e) ** 2, eps_min) / population.mass(eps_min) ** 2


def v_b(population: Population, eps_min: float) -> float:
    """V_B = E[coth^2(eps/2) | eps >= eps_min] / p_0, for HeLDP-UCB-B (Thm. 10)."""
    return population.total(inverse_tanh, eps_min) / population.mass(eps_min) ** 2


LEADING_TERMS = {"V_L": v_l, "V_B": v_b}


def candidates(population: Population, term: str) -> dict[float, float]:
    """Return the leading term of the regret for each possible value of eps_min. The paper proposes
    to minimise this term over eps_min.
    """
    return {e: LEADING_TERMS[term](population, e) for e in population.candidates()}


def inverse_square(eps: float) -> float:
    """Return alpha(eps) = eps^-2."""
    return 1 / eps**2


def inverse_tanh(eps: float) -> float:
    """Return beta(eps) = ((e^eps + 1)/(e^eps - 1))^2 = coth^2(eps/2)."""
    return 1 / half_tanh(eps) ** 2


def spread(
    population: Population, eps_min: float, f: Callable[[float], float]
) -> tuple[float, float, float]:
    """Return p_0, E[f(eps) | eps >= eps_min] and Q = f(eps_min) - f(eps_max)."""
    p0 = population.mass(eps_min)
    mean = population.total(f, eps_min) / p0
    return p0, mean, f(eps_min) - f(max(population.largest, eps_min))


def least(
    pulls: Callable[[np.ndarray], Any], n: int, gap: np.ndarray, p0: float, Q: float, T: float
) -> float:
    """Compute the bound of Theorem 7 or 10: its infimum over kappa > 0, summed over the arms.

    ``pulls(kappa Q)`` returns the first term of the bound for each arm. ``n`` is the factor of the
    last two terms, 2 in Theorem 7 and 1 in Theorem 10. Every kappa gives a valid bound, so the
    result is valid even if the search misses the infimum. If all users have the same level (Q = 0),
    the bound decreases as kappa grows, so kappa is infinite.
    """

    def bound(kappa: np.ndarray, excess: np.ndarray) -> np.ndarray:
        spared = gap / p0 * (math.log(p0 * T) / (2 * kappa**2) + 1)
        return (pulls(excess) + spared + n * gap / p0 + n * math.pi**2 * gap / 3).sum(axis=0)

    if Q <= 0:
        return float(bound(np.array([math.inf]), np.zeros(1))[0])
    low, high = 1e-9, 1e9
    for _ in range(4):
        kappa = np.geomspace(low, high, 400)
        values = bound(kappa, kappa * Q)
        best = int(values.argmin())
        low, high = kappa[max(best - 1, 0)], kappa[min(best + 1, 399)]
    return float(values.min())


@lower("Theorem 4", ASYMPTOTIC, "ln T/(e^eps - e^-eps)^2 sum 1/gap",
       LOCAL, BERNOULLI, BEST_BELOW_1, PRIVACY,
       note="for consistent algorithms")  # fmt: skip
def bernoulli_lower(means: Sequence[float], eps: float, T: float) -> float:
    """Asymptotic lower bound on the regret for Bernoulli arms, proportional to ln T (Theorem 4).
    The bound holds for consistent algorithms with eps-local DP if the best mean is below 1. For
    large eps this bound is weaker than Theorem 3 of Azize & Basu 2022.
    """
    inverse = math.exp(-eps) / -math.expm1(-2.0 * eps)  # 1/(e^eps - e^-eps) without overflow
    gaps = max(means) - np.asarray(means, dtype=float)
    return float(math.log(T) * inverse**2 * (1.0 / positive(gaps)).sum())


@upper("Theorem 7", EXACT,
       "inf_kappa sum[max{8 (1 + 4 sqrt(alpha_0 + kappa Q_L))^2 ln T/(p_0 gap), "
       "2 gap (4 alpha_0 eps_min^-2 + eps_min^-4) ln T/(p_0 alpha_0^2)} "
       "+ gap (ln(p_0 T)/(2 kappa^2) + 1)/p_0 + 2 gap/p_0 + 2 pi^2 gap/3]",
       *LAPLACE, SOME_USERS,
       note="alpha_0 = E[eps^-2 | eps >= eps_min], Q_L = eps_min^-2 - eps_max^-2")  # fmt: skip
def heldp_ucb_l(gaps: Sequence[float], population: Population, eps_min: float, T: float) -> float:
    """Regret of HeLDP-UCB-L (Theorem 7), rewards in [0, 1]; users whose level is below ``eps_min``
    send nothing.
    """
    p0, alpha0, Q = spread(population, eps_min, inverse_square)
    gap = positive(gaps)[:, None]
    forced = 2 * gap / (p0 * alpha0**2) * (4 * alpha0 / eps_min**2 + 1 / eps_min**4) * math.log(T)

    def pulls(excess: np.ndarray) -> np.ndarray:
        width = 1 + 4 * np.sqrt(alpha0 + excess)
        return np.maximum(8 / (p0 * gap) * width**2 * math.log(T), forced)

    return least(pulls, 2, gap, p0, Q, T)


@upper("Theorem 7, whatever the gaps", ORDER, "sqrt((1 + alpha_0) K T ln T/p_0)",
       *LAPLACE, SOME_USERS)  # fmt: skip
def heldp_ucb_l_free(K: int, population: Population, eps_min: float, T: float) -> float:
    """Order of the problem-independent regret of HeLDP-UCB-L (Theorem 7)."""
    p0, alpha0, _ = spread(population, eps_min, inverse_square)
    return math.sqrt((1 + alpha0) * K * T * math.log(T) / p0)


@upper("Corollary 8", EXACT, "sum(8 (1 + 4/eps)^2 ln T/gap + (3 + 2 pi^2/3) gap)",
       *LAPLACE, *EQUAL_LEVELS, DOMINATED)  # fmt: skip
def holdp_ucb_l(gaps: Sequence[float], eps: float, T: float) -> float:
    """Regret of HeLDP-UCB-L for users with the same level (Corollary 8), rewards in [0, 1]."""
    gap = positive(gaps)
    terms = 8 * (1 + 4 / eps) ** 2 * math.log(T) / gap + (3 + 2 * math.pi**2 / 3) * gap
    return float(terms.sum())


@upper("Corollary 8, whatever the gaps", ORDER, "(1 + 1/eps) sqrt(K T ln T)",
       *LAPLACE, *EQUAL_LEVELS)  # fmt: skip
def holdp_ucb_l_free(K: int, eps: float, T: float) -> float:
    """Order of the problem-independent regret of HeLDP-UCB-L with equal levels (Corollary 8)."""
    return (1 + 1 / eps) * math.sqrt(K * T * math.log(T))


@upper("Theorem 10", EXACT, "inf_kappa sum[8 (beta_0 + kappa Q_B) ln T/(p_0 gap) "
       "+ gap (ln(p_0 T)/(2 kappa^2) + 1)/p_0 + gap/p_0 + pi^2 gap/3]",
       *BITS, SOME_USERS,
       note="beta_0 = E[coth^2(eps/2) | eps >= eps_min], "
            "Q_B = coth^2(eps_min/2) - coth^2(eps_max/2); the paper lacks one factor "
            "1/p_0")  # fmt: skip
def heldp_ucb_b(gaps: Sequence[float], population: Population, eps_min: float, T: float) -> float:
    """Regret of HeLDP-UCB-B (Theorem 10), rewards in [0, 1]; see ``heldp_ucb_l``.

    The proof first bounds the number of responses of an arm. The mean number of its pulls is 1/p_0
    times as large. So all terms have the factor 1/p_0, as in Theorem 7. The paper prints one term
    without this factor.
    """
    p0, beta0, Q = spread(population, eps_min, inverse_tanh)
    gap = positive(gaps)[:, None]
    return least(lambda excess: 8 / (p0 * gap) * (beta0 + excess) * math.log(T), 1, gap, p0, Q, T)


@upper("Theorem 10, whatever the gaps", ORDER, "sqrt(beta_0 K T ln T/p_0)", *BITS, SOME_USERS)
def heldp_ucb_b_free(K: int, population: Population, eps_min: float, T: float) -> float:
    """Order of the problem-independent regret of HeLDP-UCB-B (Theorem 10)."""
    p0, beta0, _ = spread(population, eps_min, inverse_tanh)
    return math.sqrt(beta0 * K * T * math.log(T) / p0)


@upper("Corollary 11", EXACT, "sum(8 coth^2(eps/2) ln T/gap + (2 + pi^2/3) gap)",
       *BITS, *EQUAL_LEVELS)  # fmt: skip
def holdp_ucb_b(gaps: Sequence[float], eps: float, T: float) -> float:
    """Regret of HeLDP-UCB-B for users with the same level (Corollary 11), rewards in [0, 1]."""
    gap = positive(gaps)
    terms = 8 * inverse_tanh(eps) * math.log(T) / gap + (2 + math.pi**2 / 3) * gap
    return float(terms.sum())


@upper("Corollary 11, whatever the gaps", ORDER, "(1 + 1/eps) sqrt(K T ln T)", *BITS, *EQUAL_LEVELS)
def holdp_ucb_b_free(K: int, eps: float, T: float) -> float:
    """Order of the problem-independent regret of HeLDP-UCB-B with equal levels (Corollary 11)."""
    return (1 + 1 / eps) * math.sqrt(K * T * math.log(T))


def sub_gaussian(problem: Problem) -> bool:
    """Return whether rewards are normal around means in [0, 1] with the same sd of at most 1."""
    env, means = problem.instance.environment, problem.instance.means
    normal = (env.law == GAUSSIAN).all() and (env.parameters[:, 1] <= 1).all()
    same = np.ptp(env.parameters[:, 1]) == 0
    return bool(normal and same and env.alpha == 0 and means.min() >= 0 and means.max() <= 1)


SUB_GAUSSIAN = Condition("normal noise of sd at most 1 around means in [0, 1]", sub_gaussian)


@upper("Corollary 13 (with Theorem 7)", ORDER, "Theorem 7's over c_s^2",
       algorithm("heldp_ucb_ls"), SUB_GAUSSIAN, SOME_USERS,
       note="c_s is a universal constant")  # fmt: skip
def heldp_ucb_ls(gaps: Sequence[float], population: Population, eps_min: float, T: float) -> float:
    """Order of the regret of HeLDP-UCB-LS (Corollary 13), sub-Gaussian noise, means in [0, 1]."""
    return heldp_ucb_l(gaps, population, eps_min, T)


@upper("Corollary 13 (with Theorem 10)", ORDER, "Theorem 10's over c_s^2",
       algorithm("heldp_ucb_bs"), SUB_GAUSSIAN, SOME_USERS,
       note="c_s is a universal constant")  # fmt: skip
def heldp_ucb_bs(gaps: Sequence[float], population: Population, eps_min: float, T: float) -> float:
    """Order of the regret of HeLDP-UCB-BS (Corollary 13), sub-Gaussian noise, means in [0, 1]."""
    return heldp_ucb_b(gaps, population, eps_min, T)
