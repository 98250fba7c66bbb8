"""Bounds of Azize's thesis and of Azize & Basu 2023: K arms with zero-concentrated or Renyi DP."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .bounds import EXACT, ORDER, WORST_CASE, Condition, bounds_of
from .conditions import PRIVACY, UNIT_REWARDS, algorithm
from .problem import positive

thesis_lower, thesis_upper = bounds_of("Azize's thesis")
_, upper = bounds_of("Azize & Basu 2023")
CONCENTRATED = Condition("a zCDP algorithm", lambda problem: "rho" in problem.parameters)
WIDE = Condition("beta > 3", lambda beta: beta > 3)


@thesis_upper("Theorem 5.6", EXACT,
              "sum(8 beta ln T/gap + 8 sqrt(beta ln T/rho) + 2 beta/(beta-3))",
              algorithm("adac_ucb"), UNIT_REWARDS,
              Condition("rho > 0", lambda rho: rho > 0), WIDE)  # fmt: skip
def adac_ucb(gaps: Sequence[float], rho: float, T: float, beta: float) -> float:
    """Regret of AdaC-UCB (Theorem 5.6), beta > 3, rewards in [0, 1]."""
    l, gap = beta * math.log(T), positive(gaps)
    return float((8.0 * l / gap + 8.0 * math.sqrt(l / rho) + 2.0 * beta / (beta - 3.0)).sum())


@thesis_upper("Theorem 5.6, whatever the gaps", ORDER, "sqrt(K T ln T) + K sqrt(ln T/rho)",
              algorithm("adac_ucb"), UNIT_REWARDS,
              Condition("rho > 0", lambda rho: rho > 0), WIDE)  # fmt: skip
def adac_ucb_free(K: int, rho: float, T: float) -> float:
    """Order of the problem-independent regret of AdaC-UCB (Theorem 5.6), beta > 3."""
    l = math.log(T)
    return math.sqrt(K * T * l) + K * math.sqrt(l / rho)


@upper("Theorem 5", EXACT, "sum(8 beta ln T/gap + 8 sqrt(beta order ln T/eps) + 2 beta/(beta-3))",
       algorithm("adar_ucb"), UNIT_REWARDS, PRIVACY,
       Condition("order > 1", lambda order: order > 1), WIDE)  # fmt: skip
def adar_ucb(gaps: Sequence[float], order: float, eps: float, T: float, beta: float) -> float:
    """Regret of AdaR-UCB (Theorem 5), beta > 3, rewards in [0, 1]. The bound equals the bound of
    AdaC-UCB at rho = eps/order.
    """
    return adac_ucb(gaps, eps / order, T, beta)


@thesis_lower("Theorem 4.20", WORST_CASE, "max{sqrt(T (K-1))/27, sqrt((K-1)/rho)/124}",
              CONCENTRATED, Condition("0 < rho <= 1", lambda rho: 0 < rho <= 1),
              Condition("K > 1", lambda K: K > 1), Condition("T >= K - 1", lambda T, K: T >= K - 1),
              note="on the worst instance of Gaussian arms of unit variance")  # fmt: skip
def minimax(K: int, rho: float, T: float) -> float:
    """Minimax lower bound on regret under rho-zCDP (Theorem 4.20), rho <= 1, K > 1, T >= K - 1."""
    return max(math.sqrt(T * (K - 1)) / 27.0, math.sqrt((K - 1) / rho) / 124.0)
