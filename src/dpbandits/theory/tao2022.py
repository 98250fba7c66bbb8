"""Bounds of Tao et al. 2022: heavy tails, E|X|^(1+v) <= u, global (central) and local DP."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..contracts.assumptions import HeavyTails
from .bounds import ORDER, REFUTED, Condition, bounds_of
from .conditions import BETA, EPS_AND_V, HEAVY_TAILED, LOCAL, algorithm, assumes
from .problem import positive

lower, upper = bounds_of("Tao et al. 2022")


def constant(literal: float) -> Condition:
    """Return the condition that the algorithm uses the constant of its paper."""
    return Condition(f"c = {literal:g}, the paper's", lambda c: c == literal)


MOMENTS = assumes("E|X|^(1+v) <= u and no outliers", HeavyTails())
DPR_SE = (algorithm("dpr_se"), MOMENTS, constant(24), BETA, *EPS_AND_V)
LDPR_SE = (algorithm("ldpr_se"), MOMENTS, constant(28), BETA)
PAPER_S_COUNTERS = Condition(
    "the paper's tree and bonus",
    lambda problem: not any(problem.parameters.get(key) for key in ("tree", "bonus")),
)
LARGE = "for sufficiently large T"
HARD = "on a hard instance with these gaps"


def gaps_below(limit: str, most: float) -> Condition:
    """Return the condition that gaps are below a limit, as in the proofs of lower bounds."""
    return Condition(f"gaps below {limit}", lambda gaps: max(gaps) < most)


@upper("Theorem 2", ORDER, "ln(T)^(2.5 + 1/v)/eps sum (u/gap)^(1/v) + sum gap",
       algorithm("dpr_ucb"), MOMENTS, constant(18), PAPER_S_COUNTERS, *EPS_AND_V)  # fmt: skip
def dpr_ucb(gaps: Sequence[float], eps: float, T: float, u: float, v: float) -> float:
    """Order of the regret of DPR-UCB (Theorem 2), 0 < eps <= 1."""
    gap = positive(gaps)
    leading = math.log(T) ** (2.5 + 1 / v) / eps * ((u / gap) ** (1 / v)).sum()
    return float(leading + gap.sum())


@upper("Theorem 4", ORDER, "u^(1/v) ln T/eps sum gap^(-1/v) + max gap",
       *DPR_SE, note=f"{LARGE}; the paper prints u^(1/(1+v))")  # fmt: skip
def dpr_se(gaps: Sequence[float], eps: float, T: float, u: float, v: float) -> float:
    """Order of the regret of DPR-SE with beta = 1/T (Theorem 4), 0 < eps <= 1.

    The paper prints u^(1/(1+v)). The epochs of the algorithm imply u^(1/v). If all rewards are
    multiplied by a constant, regret is multiplied by the constant; only a bound with this power
    changes in the same way.
    """
    gap = positive(gaps)
    return float(((u / gap) ** (1 / v)).sum() * math.log(T) / eps + gap.max(initial=0))


@upper("Theorem 4, whatever the gaps", ORDER, "u^(1/(1+v)) (K ln T/eps)^(v/(1+v)) T^(1/(1+v))",
       *DPR_SE, note=f"{LARGE}; the paper prints u^(v/(1+v)^2)")  # fmt: skip
def dpr_se_free(K: int, eps: float, T: float, u: float, v: float) -> float:
    """Order of the problem-independent regret of DPR-SE (Theorem 4); see ``dpr_se``."""
    return (u * T) ** (1 / (1 + v)) * (K * math.log(T) / eps) ** (v / (1 + v))


@lower("Theorem 5", ORDER, "ln T/eps sum gap^(-1/v)",
       *HEAVY_TAILED, gaps_below("1/12", 1 / 12),
       note=f"{HARD}, u <= 1")  # fmt: skip
def central_lower(gaps: Sequence[float], eps: float, T: float, v: float) -> float:
    """Order of a lower bound of eps-DP (Theorem 5), 0 < eps <= 1, gaps below 1/12, u <= 1."""
    return float(math.log(T) / eps * (positive(gaps) ** (-1 / v)).sum())


@upper("Theorem 7", REFUTED, "u^(2/v) ln T/eps^2 sum gap^(-1/v) + max gap",
       *LDPR_SE, *EPS_AND_V,
       note="Zhou & Zhang 2024, App. C.3, refute it; the epochs of Alg. 4 imply more")  # fmt: skip
def ldpr_se_printed(gaps: Sequence[float], eps: float, T: float, u: float, v: float) -> float:
    """The printed order of the regret of LDPR-SE (Theorem 7), which is refuted."""
    gap = positive(gaps)
    leading = u ** (2 / v) * math.log(T) / eps**2 * (gap ** (-1 / v)).sum()
    return float(leading + gap.max(initial=0))


@upper("Theorem 7, whatever the gaps", REFUTED, "u^(2/(1+v)) (K ln T/eps^2)^(v/(1+v)) T^(1/(1+v))",
       *LDPR_SE, *EPS_AND_V, note="Zhou & Zhang 2024, App. C.3, refute it")  # fmt: skip
def ldpr_se_free_printed(K: int, eps: float, T: float, u: float, v: float) -> float:
    """The printed, refuted order of the problem-independent regret of LDPR-SE (Theorem 7)."""
    power = v / (1 + v)
    return u ** (2 / (1 + v)) * (K * math.log(T) / eps**2) ** power * T ** (1 - power)


@upper("Algorithm 4 (what its epochs imply)", ORDER, "u^(2/v) ln T/eps^2 sum gap^(-(2+v)/v)",
       *LDPR_SE, *EPS_AND_V)  # fmt: skip
def ldpr_se(gaps: Sequence[float], eps: float, T: float, u: float, v: float) -> float:
    """Order of the regret of LDPR-SE that follows from its epochs (Algorithm 4). The order is R
    gap, the regret of an arm in the epoch with D = gap, in which each arm has R pulls.

    The order holds for 0 < eps <= 1. For larger eps, the truncation level grows, and the deviation
    of the truncated mean does not fall. So the radius err of the algorithm covers this deviation
    only for eps of order 1.
    """
    gap = positive(gaps)
    return float(u ** (2 / v) * math.log(T) / eps**2 * (gap ** (-(2 + v) / v)).sum())


@lower("Theorem 8", ORDER, "ln T/eps^2 sum gap^(-1/v)",
       LOCAL, *HEAVY_TAILED, gaps_below("1/5", 1 / 5),
       note=f"{HARD}, u <= 1, as T grows")  # fmt: skip
def local_lower(gaps: Sequence[float], eps: float, T: float, v: float) -> float:
    """Order of a lower bound of eps-local DP (Theorem 8), 0 < eps <= 1, gaps below 1/5, u <= 1."""
    return float(math.log(T) / eps**2 * (positive(gaps) ** (-1 / v)).sum())


@lower("Theorem 9", ORDER, "(K/eps^2)^(v/(1+v)) T^(1/(1+v))",
       LOCAL, *HEAVY_TAILED,
       note=f"on the worst instance with u = 1, {LARGE}")  # fmt: skip
def local_minimax(K: int, eps: float, T: float, v: float) -> float:
    """Order of a minimax lower bound of eps-local DP (Theorem 9), 0 < eps <= 1, u = 1."""
    return (K / eps**2) ** (v / (1 + v)) * T ** (1 / (1 + v))
