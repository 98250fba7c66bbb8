"""Bounds of Zhou & Zhang 2024: local DP, E|X|^k <= 1, and outliers before or after the randomizer.

Without outliers, the rate of this paper refutes and replaces Theorem 7 of Tao et al. 2022.
"""

from __future__ import annotations

import math

from ..contracts.assumptions import RawMoments
from .bounds import ORDER, Condition, bounds_of
from .conditions import HEAVY_TAILED, LOCAL, PRIVACY, SMALL_BUDGET, algorithm, assumes

lower, upper = bounds_of("Zhou & Zhang 2024")
MOMENTS = assumes("E|X|^k <= 1 and at most alpha1 outliers", RawMoments())
OF_SIGNS = algorithm("ctl_ucb", "ltc_ucb", words="an algorithm of Zhou & Zhang 2024")
REWARDS = Condition(
    "outliers that replace rewards", lambda problem: not problem.instance.environment.reports
)
REPORTS = Condition(
    "outliers that replace messages of users",
    lambda problem: problem.instance.environment.reports or problem.instance.contamination == 0,
)
WORST = "on the worst instance, for large T"


def private_rate(K: float, eps: float, T: float, k: float) -> float:
    """Return T^((k+1)/(2k)) (K/eps^2)^((k-1)/(2k)), the minimax rate without outliers."""
    return T ** ((k + 1) / (2 * k)) * (K / eps**2) ** ((k - 1) / (2 * k))


def exploration(K: int, T: float, alpha1: float) -> float:
    """Return the order of the rounds of exploration, K ln T/alpha1, or 0 without outliers."""
    return K * math.log(T) / alpha1 if alpha1 > 0 else 0.0


@lower("App. C.3", ORDER, "T^((k+1)/(2k)) (K/eps^2)^((k-1)/(2k)), k = 1 + v",
       LOCAL, *HEAVY_TAILED,
       note="the minimax rate: the bound holds on the worst instance with u = 1")  # fmt: skip
def local_minimax(K: int, eps: float, T: float, v: float) -> float:
    """Order of the minimax regret under eps-local DP for E|X|^(1+v) <= 1, eps <= 1 (App. C.3)."""
    return private_rate(K, eps, T, 1 + v)


@lower("Proposition 3 (CTL)", ORDER, "T alpha^(1-1/k) + T^((k+1)/(2k)) (K/eps^2)^((k-1)/(2k))",
       OF_SIGNS, REWARDS, PRIVACY, SMALL_BUDGET,
       note=WORST)  # fmt: skip
def ctl_minimax(K: int, eps: float, T: float, alpha: float, k: float) -> float:
    """Order of the minimax regret if outliers replace rewards (Proposition 3), eps <= 1."""
    return T * alpha ** (1 - 1 / k) + private_rate(K, eps, T, k)


@lower("Proposition 3 (LTC)", ORDER,
       "T (alpha/eps)^(1-1/k) + T^((k+1)/(2k)) (K/eps^2)^((k-1)/(2k))",
       OF_SIGNS, REPORTS, PRIVACY, SMALL_BUDGET,
       note=WORST)  # fmt: skip
def ltc_minimax(K: int, eps: float, T: float, alpha: float, k: float) -> float:
    """Order of the minimax regret if outliers replace reports (Proposition 3), eps <= 1."""
    return T * (alpha / eps) ** (1 - 1 / k) + private_rate(K, eps, T, k)


@upper("Proposition 4 (CTL)", ORDER,
       "T alpha1^(1-1/k) + (K ln T/eps^2)^((k-1)/(2k)) T^((k+1)/(2k)) + K ln T/alpha1",
       algorithm("ctl_ucb"), MOMENTS, REWARDS, PRIVACY, SMALL_BUDGET,
       note="for large T; it replaces Theorem 7 of Tao et al. 2022")  # fmt: skip
def ctl_ucb(K: int, eps: float, T: float, alpha1: float, k: float) -> float:
    """Order of the regret of CTL-UCB (Proposition 4), eps <= 1."""
    linear = T * alpha1 ** (1 - 1 / k)
    return linear + private_rate(K * math.log(T), eps, T, k) + exploration(K, T, alpha1)


@upper("Proposition 4 (LTC)", ORDER,
       "T (alpha1/eps)^(1-1/k) + (K ln T/eps^2)^((k-1)/(2k)) T^((k+1)/(2k)) + K ln T/alpha1",
       algorithm("ltc_ucb"), MOMENTS, REPORTS, PRIVACY, SMALL_BUDGET,
       note="for large T; it replaces Theorem 7 of Tao et al. 2022")  # fmt: skip
def ltc_ucb(K: int, eps: float, T: float, alpha1: float, k: float) -> float:
    """Order of the regret of LTC-UCB (Proposition 4), eps <= 1."""
    linear = T * (alpha1 / eps) ** (1 - 1 / k)
    return linear + private_rate(K * math.log(T), eps, T, k) + exploration(K, T, alpha1)
