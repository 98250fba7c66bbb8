"""Bounds of Sajed & Sheffet 2019: private stopping rules, and regret of DP-SE."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .bounds import EXACT, ORDER, Condition, bounds_of
from .conditions import BETA, PRIVACY, STOPPING, UNIT_REWARDS, algorithm
from .problem import positive

lower, upper = bounds_of("Sajed & Sheffet 2019")
ACCURACY = Condition("0 < a < 1", lambda a: 0 < a < 1)
MEAN = Condition("0 < |mu| <= R", lambda mu, R: 0 < abs(mu) <= R)
STOPPING_RULE = (STOPPING, ACCURACY, MEAN, PRIVACY)
DP_SE = (algorithm("dp_se"), UNIT_REWARDS, BETA, PRIVACY)


@upper("Theorem 3.3", EXACT, "2000 (R^2 x/(a mu)^2 + R x/(eps |mu|) + R ln(1/beta)/(eps a |mu|)), "
       "x = ln(ln(R/(a |mu|))/beta)",
       *STOPPING_RULE, Condition("0 < beta <= 0.08", lambda beta: 0 < beta <= 0.08),
       Condition("R/(a |mu|) >= e", lambda R, a, mu: a * abs(mu) * math.e <= R),
       note="number of samples of dp_nas_exp, with probability 1 - beta")  # fmt: skip
def stopping_upper(R: float, a: float, mu: float, eps: float, beta: float) -> float:
    """Number of samples after which DP exponential NAS has stopped with probability 1 - beta
    (Theorem 3.3).

    Args:
        R: rewards lie in [-R, R].
        a: accuracy, alpha in the paper: the relative error of the mean is at most a.
        mu: the mean.
        eps: privacy budget.
        beta: failure probability.
    """
    x = math.log(math.log(R / (a * abs(mu))) / beta)
    t0 = R**2 * x / (a * mu) ** 2
    t1 = R * x / (eps * abs(mu))
    t2 = R * math.log(1 / beta) / (eps * a * abs(mu))
    return 2000 * (t0 + t1 + t2)


@lower("Theorem 3.4", EXACT, "R ln(1/beta)/(12 a |mu| eps)",
       *STOPPING_RULE, Condition("0 < beta < 1/4", lambda beta: 0 < beta < 0.25),
       note="number of samples of any eps-DP rule on the two-point law on +-R, "
            "with probability above 1/4")  # fmt: skip
def stopping_lower(R: float, a: float, mu: float, eps: float, beta: float) -> float:
    """Lower bound on samples: an eps-DP rule of confidence 1 - beta needs more samples with
    probability above 1/4, for rewards of -R and R (Theorem 3.4). For the arguments see
    ``stopping_upper``. Lemma 3.5 of the printed proof fails for eps above 2.92, but a bound on the
    likelihood ratio proves the theorem for every eps.
    """
    return R * math.log(1 / beta) / (12 * a * abs(mu) * eps)


@lower("Corollary 3.6", ORDER, "R^2 ln(1/beta)/(a mu)^2 + R ln(1/beta)/(eps a |mu|)",
       *STOPPING_RULE, note="number of samples of any eps-DP rule on some law")  # fmt: skip
def stopping_lower_order(R: float, a: float, mu: float, eps: float, beta: float) -> float:
    """Order of the number of samples that an eps-DP rule needs for some law (Corollary 3.6)."""
    return math.log(1 / beta) * (R**2 / (a * mu) ** 2 + R / (eps * a * abs(mu)))


@upper("Theorem 4.3", ORDER, "sum ln T/gap + K ln T/eps", *DP_SE, note="for sufficiently large T")
def dp_se(gaps: Sequence[float], K: int, eps: float, T: float) -> float:
    """Order of the regret of DP-SE with beta = 1/T (Theorem 4.3), rewards in [0, 1]."""
    return float(math.log(T) * ((1 / positive(gaps)).sum() + K / eps))


@upper("Theorem 4.4", ORDER, "sqrt(K T ln T) + K ln T/eps", *DP_SE)
def dp_se_free(K: int, eps: float, T: float) -> float:
    """Order of the problem-independent regret of DP-SE with beta = 1/T (Theorem 4.4)."""
    return math.sqrt(K * T * math.log(T)) + K * math.log(T) / eps
