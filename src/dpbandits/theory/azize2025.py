"""Bounds of Azize, Wu, Honda, Orabona, Ito & Basu 2025: eps-global DP, Bernoulli arms."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..parts.indices.private_divergence import private_divergence
from .bounds import ASYMPTOTIC, Condition, bounds_of
from .conditions import BERNOULLI, BEST_BELOW_1, PRIVACY, PURE, RELAXED, algorithm

lower, upper = bounds_of("Azize et al. 2025")
PHASES = algorithm("dp_klucb", "dp_imed")
GROWING = Condition("alpha > 1", lambda alpha: alpha > 1)


@lower("Theorem 1", ASYMPTOTIC,
       "ln T sum gap/d(mean, best), d(x, y) = inf over z of eps |z - x| + kl(z, y)",
       PURE, BERNOULLI, BEST_BELOW_1, PRIVACY,
       note="for consistent algorithms")  # fmt: skip
def bernoulli_lower(means: Sequence[float], eps: float, T: float) -> float:
    """Asymptotic lower bound on the regret for Bernoulli arms, proportional to ln T (Theorem 1).
    The bound holds for consistent algorithms with eps-global DP and for a best mean below 1. The
    bound is never below the bound of Theorem 3 of Azize & Basu 2022.
    """
    best = max(means)
    terms = [(best - m) / private_divergence(m, best, eps) for m in means if m < best]
    return math.log(T) * math.fsum(terms)


@lower("Theorem 1 (without privacy)", ASYMPTOTIC, "ln T sum gap/kl(mean, best)",
       RELAXED, BERNOULLI, BEST_BELOW_1,
       note="for consistent algorithms")  # fmt: skip
def free_lower(means: Sequence[float], T: float) -> float:
    """Asymptotic lower bound of Theorem 1 for an infinite eps. The bound holds for every consistent
    algorithm, and is used for algorithms that promise something other than eps-DP.
    """
    return bernoulli_lower(means, math.inf, T)


@upper("Theorem 2", ASYMPTOTIC, "alpha ln T sum gap/d(mean, best), d as in Theorem 1",
       PHASES, BERNOULLI, BEST_BELOW_1, PRIVACY, GROWING)  # fmt: skip
def phases_upper(means: Sequence[float], eps: float, T: float, alpha: float) -> float:
    """Asymptotic regret of DP-KLUCB and DP-IMED (Theorem 2): alpha times ``bernoulli_lower``."""
    return alpha * bernoulli_lower(means, eps, T)
