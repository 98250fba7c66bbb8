"""Bounds of Azize, Jourdan, Al Marjani & Basu 2024: samples that identify the best of K arms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from scipy.optimize import brentq, minimize_scalar

from ..parts.indices.private_divergence import private_divergence
from ..parts.indices.radii import bernoulli_kl
from .bounds import EXACT, Condition, bounds_of
from .conditions import PRIVACY, STOPPING

lower, upper = bounds_of("Azize et al. 2024")
RISK = Condition("0 < delta < 1/3", lambda delta: 0 < delta < 1 / 3)
ONE_BEST = Condition("one best arm", lambda means: sum(m == max(means) for m in means) == 1)
MAX_WEIGHT_RATIO = 1e6  # the largest weight of an arm relative to the weight of the best arm
# ``rate(w, x, v, y)`` of an arm with weight w and mean x, and an arm with weight v and mean y
Rate = Callable[[float, float, float, float], float]


@lower("Theorem 2", EXACT,
       "T* ln(1/(3 delta)), 1/T* = sup over w of inf over instances with another best arm of "
       "min(sum w kl, eps sum w TV)",
       STOPPING, ONE_BEST, RISK, PRIVACY,
       note="expected number of samples of eps-DP rules that err with probability at most "
            "delta")  # fmt: skip
def samples_lower(means: Sequence[float], eps: float, delta: float) -> float:
    """Lower bound on the expected number of samples of any eps-DP rule that names the best of
    several Bernoulli arms and errs with probability at most ``delta`` (Theorem 2). An infinite
    ``eps`` means no privacy.
    """

    def rate(w: float, x: float, v: float, y: float) -> float:
        u = (w * x + v * y) / (w + v)
        divergence = w * bernoulli_kl(x, u) + v * bernoulli_kl(y, u)
        return divergence if eps == math.inf else min(divergence, eps * min(w, v) * (x - y))

    return characteristic_time(means, rate) * math.log(1 / (3 * delta))


@lower("Theorem 2 with the divergence of Azize et al. 2025", EXACT,
       "T* ln(1/(3 delta)), 1/T* = sup over w of min over a of inf over u of "
       "w_best d(best, u) + w_a d(mean_a, u)",
       STOPPING, ONE_BEST, RISK, PRIVACY,
       note="the form is from Jourdan & Azize 2025; we derived the bound")  # fmt: skip
def samples_lower_of_divergence(means: Sequence[float], eps: float, delta: float) -> float:
    """The lower bound ``samples_lower`` with another divergence: d(x, y) = inf over z of eps |z -
    x| + kl(z, y) replaces the two divergences of ``samples_lower`` (Azize et al. 2025). The bound
    with this divergence is never smaller than ``samples_lower``.
    """

    def rate(w: float, x: float, v: float, y: float) -> float:
        def weighted(u: float) -> float:
            return w * private_divergence(x, u, eps) + v * private_divergence(y, u, eps)

        return float(
            minimize_scalar(weighted, bounds=(y, x), method="bounded", options={"xatol": 1e-12}).fun
        )

    return characteristic_time(means, rate) * math.log(1 / (3 * delta))


def characteristic_time(means: Sequence[float], rate: Rate) -> float:
    """Compute T*, where 1/T* = sup over w of min over a of ``rate(w_best, best, w_a, mean_a)``.

    Here w are weights of the arms. At the optimum, all arms except the best have the same rate y.
    If the best arm has the weight 1, the weight of each other arm is a convex function of y. So T*
    is the minimum over y of the quasiconvex function (1 + sum of the other weights)/y.

    Args:
        means: the arms' means, one of them the largest.
        rate: a concave function that is homogeneous in the weights and grows with each weight.
    """
    best = max(means)
    others = sorted(m for m in means if m < best)
    most = min(rate(1.0, best, MAX_WEIGHT_RATIO, m) for m in set(others))

    def weight(m: float, y: float) -> float:
        def excess(v: float) -> float:
            return (rate(1.0, best, v, m) if v > 0.0 else 0.0) - y  # kl(m, u) may be infinite

        return float(brentq(excess, 0.0, MAX_WEIGHT_RATIO, xtol=1e-14))

    def time(y: float) -> float:
        found = {m: weight(m, y) for m in set(others)}
        return (1.0 + math.fsum(found[m] for m in others)) / y

    top = most * (1.0 - 1e-9)
    options = {"xatol": 1e-9 * most}
    inner = minimize_scalar(time, bounds=(1e-6 * most, top), method="bounded", options=options)
    return min(float(inner.fun), time(top))
