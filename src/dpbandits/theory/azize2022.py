"""Bounds of Azize & Basu 2022: eps-global DP, K arms and linear bandits."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..parts.indices.radii import bernoulli_kl
from .bounds import ASYMPTOTIC, EXACT, ORDER, REFUTED, WORST_CASE, Condition, bounds_of
from .conditions import BERNOULLI, BEST_BELOW_1, LINEAR, PRIVACY, PURE, UNIT_REWARDS, algorithm
from .linear import printed_gap, structural_gap
from .problem import positive

lower, upper = bounds_of("Azize & Basu 2022")
WIDE = Condition("alpha > 3", lambda alpha: alpha > 3)
ADAP_UCB = (algorithm("adap_ucb"), UNIT_REWARDS, PRIVACY, WIDE)


def sum_over_worse(means: Sequence[float], cost: float) -> float:
    """Return the sum of max{gap/kl(mean, best), cost} over all suboptimal arms."""
    best = max(means)
    return math.fsum(max((best - m) / bernoulli_kl(m, best), cost) for m in means if m < best)


@lower("Theorem 2", WORST_CASE, "max{sqrt(T (K-1))/27, (K-1)/(131 eps)}",
       PURE, PRIVACY, Condition("K > 1", lambda K: K > 1),
       Condition("T >= K - 1", lambda T, K: T >= K - 1),
       note="on the worst instance of Gaussian arms of unit variance")  # fmt: skip
def minimax(K: int, eps: float, T: float) -> float:
    """Minimax lower bound on regret under eps-global DP (Theorem 2), K > 1, T >= K - 1."""
    return max(math.sqrt(T * (K - 1)) / 27.0, (K - 1) / (131.0 * eps))


@lower("Theorem 3", ASYMPTOTIC, "ln T sum gap/min{kl(mean, best), 6 eps gap}",
       PURE, BERNOULLI, BEST_BELOW_1, PRIVACY,
       note="for consistent algorithms")  # fmt: skip
def bernoulli_lower(means: Sequence[float], eps: float, T: float) -> float:
    """Asymptotic lower bound on the regret for Bernoulli arms, proportional to ln T (Theorem 3).
    The bound holds for consistent algorithms with eps-global DP (which eps-local DP implies) if the
    best mean is below 1.
    """
    return math.log(T) * sum_over_worse(means, 1.0 / (6.0 * eps))


def lower_bound_terms(means: Sequence[float], eps: float, T: float) -> tuple[float, float]:
    """Return the two terms of ``bernoulli_lower`` (Theorem 3).

    Returns:
        ``ln T sum gap/kl``, the cost of partial information, dominates for large eps;
        ``ln T sum 1/(6 eps)`` is the cost of privacy.
    """
    best = max(means)
    worse = [m for m in means if m < best]
    information = sum((best - m) / bernoulli_kl(m, best) for m in worse)
    return math.log(T) * information, math.log(T) * len(worse) / (6.0 * eps)


def privacy_threshold(mean: float, best: float) -> float:
    """The budget at which the two regimes of Theorem 3 meet for one arm: kl / (6 gap)."""
    return bernoulli_kl(mean, best) / (6.0 * (best - mean))


@lower("Theorem 4", WORST_CASE, "max{e^-2/8 d sqrt T, e^-6/4 d/eps}",
       LINEAR, PRIVACY, Condition("d >= 1", lambda d: d >= 1),
       note="for the arms [-1, 1]^d and the worst theta")  # fmt: skip
def linear_minimax(d: int, eps: float, T: float) -> float:
    """Minimax lower bound for linear bandits with arms [-1, 1]^d and N(0, 1) noise (Theorem 4)."""
    return max(math.exp(-2.0) / 8.0 * d * math.sqrt(T), math.exp(-6.0) / 4.0 * d / eps)


@lower("Theorem 5", REFUTED,
       "c_eps ln T, c_eps = min sum alpha_a gap_a "
       "with |a|^2_{H^-1} <= min{gap^2/2, 3 eps rho_a gap}",
       LINEAR, PRIVACY,
       note="refuted, since Fact 2 is false; H = sum alpha_a a a^T")  # fmt: skip
def linear_lower_printed(
    arms: Sequence[Sequence[float]], theta: Sequence[float], eps: float, T: float
) -> float:
    """The printed lower bound for linear bandits with N(0, 1) noise (Theorem 5). It is refuted.

    The counter-example is two arms (1, 0) and (1, x). Fact 2 bounds a sum by rho = x^2/(1 + x^2),
    but the sum is 2 for any numbers of pulls.
    """
    return printed_gap(arms, theta, eps) * math.log(T)


@lower("Theorem 5 (what its alternatives imply)", ASYMPTOTIC,
       "c_eps ln T, c_eps = min sum alpha_a gap_a with sum alpha_a <a, z>^2 >= 2 and "
       "3 eps sum alpha_a |<a, z>| >= 1 for all z with <a*, z> = 0 and <a, z> = gap_a for some a",
       LINEAR, PRIVACY,
       note="derived; for consistent algorithms, finitely many arms and a unique best arm a*; "
            "sum max{2/gap, 1/(3 eps)} ln T for linearly independent arms")  # fmt: skip
def linear_lower(
    arms: Sequence[Sequence[float]], theta: Sequence[float], eps: float, T: float
) -> float:
    """Lower bound on the regret of linear bandits with N(0, 1) noise.

    This bound, which is proportional to ln T, follows from the alternative instances in the proof
    of Theorem 5. For the arguments see ``structural_gap``.
    """
    return structural_gap(arms, theta, eps) * math.log(T)


@upper("Theorem 7", EXACT, "sum(16 alpha ln T/min{gap, eps} + 3 alpha/(alpha-3))", *ADAP_UCB,
       note="step (33) of the proof is false, but the bound holds: see errata.md")  # fmt: skip
def adap_ucb(gaps: Sequence[float], eps: float, T: float, alpha: float) -> float:
    """Regret of AdaP-UCB (Theorem 7), alpha > 3, rewards in [0, 1].

    Step (33) of the proof needs 8 alpha where 4 alpha is printed. With 8 alpha, the printed
    inequalities only give up to 1.31 times the stated bound. But the stated bound follows if the
    probability that an index is too large is bounded by 3/(2 T) instead of 3/(2 T^alpha). Then an
    arm is played in at most 2^(l+1) rounds, where 2^l >= n for an n with ``gap >= (sqrt(alpha) + 1)
    sqrt(ln T/(2 n)) + (alpha + 1) ln T/(eps n)``. For this n, 4 n gap is at most .85 times the
    leading term. Equation (34), with min{eps, 2 gap}, does not follow.
    """
    leading = 16.0 * alpha * math.log(T) / np.minimum(positive(gaps), eps)
    return float((leading + 3.0 * alpha / (alpha - 3.0)).sum())


@upper("Theorem 8", ORDER, "sum gap ln T/min{kl(mean, best), eps gap}",
       algorithm("adap_klucb"), BERNOULLI, PRIVACY, WIDE,
       note="both terms of the minimum have unknown constants")  # fmt: skip
def adap_klucb(means: Sequence[float], eps: float, T: float, alpha: float) -> float:
    """Order of the regret of AdaP-KLUCB (Theorem 8), alpha > 3, Bernoulli arms."""
    return math.log(T) * sum_over_worse(means, 1.0 / eps)


@upper("Theorem 12", EXACT,
       "3 alpha/(alpha-3) sum gap + 8 sqrt(alpha K T ln T) + 16 alpha K ln T/eps",
       *ADAP_UCB, note="follows from the bound on the pulls in Theorem 7")  # fmt: skip
def adap_ucb_free(gaps: Sequence[float], K: int, eps: float, T: float, alpha: float) -> float:
    """Problem-independent regret of AdaP-UCB (Theorem 12), alpha > 3, rewards in [0, 1]. The bound
    follows from the number of pulls in the proof of ``adap_ucb``, without equation (34).
    """
    constant = 3.0 * alpha / (alpha - 3.0) * positive(gaps).sum()
    random = 8.0 * math.sqrt(alpha * K * T * math.log(T))
    return float(constant + random + 16.0 * alpha * K * math.log(T) / eps)


@upper("Remark 4", ORDER, "sum gap + sqrt(K T ln T) + K ln T/eps",
       algorithm("adap_klucb"), BERNOULLI, PRIVACY, WIDE,
       note="Theorem 12 up to constants, since kl >= 2 gap^2")  # fmt: skip
def adap_klucb_free(gaps: Sequence[float], K: int, eps: float, T: float) -> float:
    """Order of the problem-independent regret of AdaP-KLUCB (Remark 4), alpha > 3."""
    l = math.log(T)
    return float(positive(gaps).sum() + math.sqrt(K * T * l) + K * l / eps)
