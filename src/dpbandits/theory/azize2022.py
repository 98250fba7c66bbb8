"""Bounds of Azize & Basu 2022: eps-global DP, K arms and linear bandits."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..parts.radii import bernoulli_kl
from .bounds import ASYMPTOTIC, EXACT, LOWER, ORDER, UPPER, WORST_CASE, Condition, theorem
from .conditions import BERNOULLI, BEST_BELOW_1, LINEAR, PRIVACY, UNIT_REWARDS, algorithm
from .linear import structural_gap
from .problem import positive

PAPER = "Azize & Basu 2022"
TWO_ARMS = Condition("K > 1", lambda K: K > 1)
WIDE = Condition("alpha > 3", lambda alpha: alpha > 3)


@theorem(
    f"{PAPER}, Theorem 2",
    LOWER,
    WORST_CASE,
    "max{sqrt(T (K-1))/27, (K-1)/(131 eps)}",
    PRIVACY,
    TWO_ARMS,
    Condition("T >= K - 1", lambda T, K: T >= K - 1),
    note="on the worst instance of Gaussian arms of unit variance",
)
def minimax(K: int, eps: float, T: float) -> float:
    """Minimax lower bound of eps-global DP (Theorem 2), K > 1, T >= K - 1."""
    return max(math.sqrt(T * (K - 1)) / 27.0, (K - 1) / (131.0 * eps))


@theorem(
    f"{PAPER}, Theorem 3",
    LOWER,
    ASYMPTOTIC,
    "ln T sum gap/min{kl(mean, best), 6 eps gap}",
    BERNOULLI,
    BEST_BELOW_1,
    PRIVACY,
    note="of consistent algorithms",
)
def bernoulli_lower(means: Sequence[float], eps: float, T: float) -> float:
    """Lower bound for Bernoulli arms, times ln T (Theorem 3): eps-global DP, consistent algorithms,
    best mean below 1. Local DP at eps implies eps-global DP.
    """
    best = max(means)
    worse = [m for m in means if m < best]
    return math.log(T) * math.fsum(
        max((best - m) / bernoulli_kl(m, best), 1.0 / (6.0 * eps)) for m in worse
    )


def lower_bound_terms(means: Sequence[float], eps: float, T: float) -> tuple[float, float]:
    """The two terms of the problem-dependent lower bound (Theorem 3), Bernoulli arms.

    The bound itself is asymptotic in T: ``ln T sum gap / min(kl(mu_a, mu*), 6 eps gap)``.

    Args:
        means: the arms' means.
        eps: privacy budget.
        T: horizon.

    Returns:
        ``ln T sum gap/kl``, the cost of partial information, which dominates for large eps, and
        ``ln T sum 1/(6 eps)``, the cost of privacy.
    """
    best = max(means)
    worse = [m for m in means if m < best]
    information = sum((best - m) / bernoulli_kl(m, best) for m in worse)
    return math.log(T) * information, math.log(T) * len(worse) / (6.0 * eps)


def privacy_threshold(mean: float, best: float) -> float:
    """The budget at which the two regimes of Theorem 3 meet for one arm: kl / (6 gap)."""
    return bernoulli_kl(mean, best) / (6.0 * (best - mean))


@theorem(
    f"{PAPER}, Theorem 4",
    LOWER,
    WORST_CASE,
    "max{e^-2/8 d sqrt T, e^-6/4 d/eps}",
    LINEAR,
    PRIVACY,
    Condition("d >= 1", lambda d: d >= 1),
    note="arms [-1, 1]^d, on the worst parameter",
)
def linear_minimax(d: int, eps: float, T: float) -> float:
    """Minimax lower bound of linear bandits with arms [-1, 1]^d and N(0, 1) noise (Theorem 4)."""
    return max(math.exp(-2.0) / 8.0 * d * math.sqrt(T), math.exp(-6.0) / 4.0 * d / eps)


@theorem(
    f"{PAPER}, Theorem 5",
    LOWER,
    ASYMPTOTIC,
    "c_eps ln T, c_eps = min sum alpha_a gap_a with |a|^2_{H^-1} <= min{gap^2/2, 3 eps rho_a gap}",
    LINEAR,
    PRIVACY,
    note="of consistent algorithms; H = sum alpha_a a a^T, finitely many arms, one best",
)
def linear_lower(
    arms: Sequence[Sequence[float]], theta: Sequence[float], eps: float, T: float
) -> float:
    """Lower bound of linear bandits with N(0, 1) noise, times ln T (Theorem 5).

    Args:
        arms: shape (K, d), arms that span R^d.
        theta: shape (d,), the parameter; one arm alone is best.
        eps: privacy budget.
        T: horizon.
    """
    return structural_gap(arms, theta, eps) * math.log(T)


@theorem(
    f"{PAPER}, Theorem 7",
    UPPER,
    EXACT,
    "sum(16 alpha ln T/min{gap, eps} + 3 alpha/(alpha-3))",
    algorithm("adap_ucb"),
    UNIT_REWARDS,
    PRIVACY,
    WIDE,
)
def adap_ucb(gaps: Sequence[float], eps: float, T: float, alpha: float) -> float:
    """Regret of AdaP-UCB (Theorem 7), alpha > 3, rewards in [0, 1]."""
    worse = positive(gaps)
    terms = 16.0 * alpha * math.log(T) / np.minimum(worse, eps) + 3.0 * alpha / (alpha - 3.0)
    return float(terms.sum())


@theorem(
    f"{PAPER}, Theorem 8",
    UPPER,
    ORDER,
    "sum gap ln T/min{kl(mean, best), eps gap}",
    algorithm("adap_klucb"),
    BERNOULLI,
    PRIVACY,
    WIDE,
    note="both terms of the minimum have unknown constants",
)
def adap_klucb(means: Sequence[float], eps: float, T: float, alpha: float) -> float:
    """Order of the regret of AdaP-KLUCB (Theorem 8), alpha > 3, Bernoulli arms."""
    best = max(means)
    return math.log(T) * math.fsum(
        max((best - m) / bernoulli_kl(m, best), 1.0 / eps) for m in means if m < best
    )


@theorem(
    f"{PAPER}, Theorem 12",
    UPPER,
    EXACT,
    "3 alpha/(alpha-3) sum gap + 8 sqrt(alpha K T ln T) + 16 alpha K ln T/eps",
    algorithm("adap_ucb"),
    UNIT_REWARDS,
    PRIVACY,
    WIDE,
)
def adap_ucb_free(gaps: Sequence[float], K: int, eps: float, T: float, alpha: float) -> float:
    """Problem-independent regret of AdaP-UCB (Theorem 12), alpha > 3, rewards in [0, 1]."""
    constant = 3.0 * alpha / (alpha - 3.0) * positive(gaps).sum()
    random = 8.0 * math.sqrt(alpha * K * T * math.log(T))
    return float(constant + random + 16.0 * alpha * K * math.log(T) / eps)
