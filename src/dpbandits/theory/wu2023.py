"""Bounds of Wu et al. 2023: eps-DP, heavy tails of order k, Huber contamination."""

from __future__ import annotations

import math

from ..contracts.assumptions import CentralMoments, RawMoments
from ..parts.means.estimators import bin_width
from .bounds import ORDER, Condition, bounds_of
from .conditions import DELTA, PRIVACY, SMALL_BUDGET, algorithm, assumes

lower, upper = bounds_of("Wu et al. 2023")
MOMENTS_OF_ORDER_K = Condition("k >= 2", lambda k: k >= 2)
ROBUST = algorithm("prae_r", "prae_c", words="an algorithm for moments of order k")
RAW = assumes("E|X|^k <= 1 and outliers at most alpha1", RawMoments())
CENTRAL = assumes(
    "E|X - mean|^k <= 1, |mean| <= D and outliers at most alpha1", CentralMoments(bin_width)
)
PRAE_R = (algorithm("prae_r"), RAW, DELTA, PRIVACY, MOMENTS_OF_ORDER_K)
PRAE_C = (algorithm("prae_c"), CENTRAL, DELTA, PRIVACY, SMALL_BUDGET, MOMENTS_OF_ORDER_K)
CLEAN = Condition("alpha1 = 0", lambda alpha1: alpha1 == 0)
RADIUS = "for the radius in the proof, whose constants the paper does not state"


@lower("Theorem 4.1", ORDER, "sqrt(K T) + (K/eps)^(1-1/k) T^(1/k) + T alpha^(1-1/k)",
       ROBUST, PRIVACY, MOMENTS_OF_ORDER_K,
       note="on the worst instance of contamination alpha")  # fmt: skip
def minimax(K: int, eps: float, T: float, k: float, alpha: float) -> float:
    """Order of the minimax clean regret under eps-DP with moments of order k >= 2 (Theorem 4.1)."""
    share = 1 - 1 / k
    return math.sqrt(K * T) + (K / eps) ** share * T ** (1 / k) + T * alpha**share


def leading(K: int, eps: float, T: float, k: float) -> float:
    """Return sqrt(K T ln T) + (K ln T/eps)^(1-1/k) T^(1/k), the order without outliers."""
    l = math.log(T)
    return math.sqrt(K * T * l) + (K * l / eps) ** (1 - 1 / k) * T ** (1 / k)


@upper("Theorem 6.2", ORDER,
       "sqrt(K T ln T) + (K ln T/eps)^(1-1/k) T^(1/k) + T alpha1^(1-1/k) + K ln T/alpha1",
       *PRAE_R, Condition("alpha1 in (0, 1/2)", lambda alpha1: 0 < alpha1 < 0.5),
       note=RADIUS)  # fmt: skip
def prae_r(K: int, eps: float, T: float, k: float, alpha1: float) -> float:
    """Order of the clean regret of PRAE-R with delta = 1/T (Theorem 6.2)."""
    foul = T * alpha1 ** (1 - 1 / k) + K * math.log(T) / alpha1
    return leading(K, eps, T, k) + foul


@upper("Remark 6.3", ORDER, "sqrt(K T ln T) + (K ln T/eps)^(1-1/k) T^(1/k)",
       *PRAE_R, SMALL_BUDGET, CLEAN, note=RADIUS)  # fmt: skip
def prae_r_clean(K: int, eps: float, T: float, k: float) -> float:
    """Order of the regret of PRAE-R without outliers, delta = 1/T, eps <= 1 (Remark 6.3).

    Bernstein's inequality has a term M ln(1/delta)/n with M = (n eps/ln(1/delta))^(1/k). The radius
    of Theorem 6.1 covers this term only for eps of order 1, since for large eps nothing is
    truncated. With outliers, M is at most alpha1^(-1/k), and the radius is right for every eps.
    """
    return leading(K, eps, T, k)


@upper("Theorem 6.10", ORDER, "sqrt(K T ln T) + (K ln T/eps)^(1-1/k) T^(1/k) + K D ln(D T)/eps",
       *PRAE_C, CLEAN, note=RADIUS)  # fmt: skip
def prae_c_clean(K: int, eps: float, T: float, k: float, D: float) -> float:
    """Order of the regret of PRAE-C without outliers, delta = 1/T, eps <= 1 (Theorem 6.10)."""
    return leading(K, eps, T, k) + K * D * math.log(D * T) / eps


@upper("Theorem 6.12", ORDER,
       "sqrt(K T ln T) + (K ln T/eps)^(1-1/k) T^(1/k) + T alpha1^(1-1/k) + D K ln T/alpha1 "
       "+ D K ln(D T)/eps",
       *PRAE_C, Condition("alpha1 in (0, 0.133)", lambda alpha1: 0 < alpha1 < 0.133),
       note=f"{RADIUS}; one term is missing in our copy of the paper")  # fmt: skip
def prae_c(K: int, eps: float, T: float, k: float, alpha1: float, D: float) -> float:
    """Order of the clean regret of PRAE-C with delta = 1/T, eps <= 1 (Theorem 6.12)."""
    foul = T * alpha1 ** (1 - 1 / k) + D * K * math.log(T) / alpha1
    return leading(K, eps, T, k) + foul + D * K * math.log(D * T) / eps
