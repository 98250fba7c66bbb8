"""Bounds of Hu & Hegde 2022: Thompson sampling and lazy UCB under eps-global DP. All are orders."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .bounds import ORDER, bounds_of
from .conditions import PRIVACY, UNIT_REWARDS, algorithm
from .problem import positive

_, upper = bounds_of("Hu & Hegde 2022")
DP_TS = (algorithm("dp_ts"), UNIT_REWARDS, PRIVACY)
LAZY_DP_TS = (algorithm("lazy_dp_ts"), UNIT_REWARDS, PRIVACY)


@upper("Theorem 2", ORDER, "sum max{ln T/gap, ln T/eps ln(ln T/(eps gap))}", *DP_TS)
def dp_ts(gaps: Sequence[float], eps: float, T: float) -> float:
    """Order of the regret of DP-TS (Theorem 2), rewards in [0, 1]."""
    gap, l = positive(gaps), math.log(T)
    privacy = l / eps * np.log(np.maximum(l / (eps * gap), 1.0))
    return float(np.maximum(l / gap, privacy).sum())


@upper("Theorem 2, whatever the gaps", ORDER, "sqrt(K T ln T) + K ln T/eps ln(sqrt(T ln T/K)/eps)",
       *DP_TS, note="remark (c); if the privacy term is negative, 0 replaces it")  # fmt: skip
def dp_ts_free(K: int, eps: float, T: float) -> float:
    """Order of the problem-independent regret of DP-TS (remark on Theorem 2)."""
    l = math.log(T)
    return math.sqrt(K * T * l) + K * l / eps * max(math.log(math.sqrt(T * l / K) / eps), 0.0)


@upper("Theorem 4", ORDER, "sum ln T/min{eps, gap}", *LAZY_DP_TS)
def lazy_dp_ts(gaps: Sequence[float], eps: float, T: float) -> float:
    """Order of the regret of Lazy-DP-TS (Theorem 4), rewards in [0, 1]."""
    return float((math.log(T) / np.minimum(positive(gaps), eps)).sum())


@upper("Theorem 4, whatever the gaps", ORDER, "sqrt(K T ln T) + K ln T/eps",
       *LAZY_DP_TS, note="remark (b) in the paper")  # fmt: skip
def lazy_dp_ts_free(K: int, eps: float, T: float) -> float:
    """Order of the problem-independent regret of Lazy-DP-TS (remark on Theorem 4)."""
    return math.sqrt(K * T * math.log(T)) + K * math.log(T) / eps


@upper("Theorem 4, remark (a)", ORDER, "sum ln T/min{eps, gap}",
       algorithm("anytime_lazy_ucb"), UNIT_REWARDS, PRIVACY,
       note="as for Lazy-DP-TS, see Hu, Huang & Mehta 2021")  # fmt: skip
def anytime_lazy_ucb(gaps: Sequence[float], eps: float, T: float) -> float:
    """Order of the regret of Anytime-Lazy-UCB, the same as for Lazy-DP-TS (remark on Theorem 4)."""
    return lazy_dp_ts(gaps, eps, T)
