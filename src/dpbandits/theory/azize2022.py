"""Lower bounds of Azize & Basu 2022."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..radii import bernoulli_kl


def lower_bound_terms(means: Sequence[float], eps: float, T: float) -> tuple[float, float]:
    """The two terms of the problem-dependent lower bound (Theorem 3), Bernoulli arms.

    The bound itself is asymptotic in T: ``ln T sum gap / min(kl(mu_a, mu*), 6 eps gap)``.

    Args:
        means: the arms' means.
        eps: privacy budget.
        T: horizon.

    Returns:
        ``ln T sum gap/kl``, the cost of partial information (all that is left at low privacy),
        and ``ln T sum 1/(6 eps)``, the cost of privacy.
    """
    best = max(means)
    worse = [m for m in means if m < best]
    information = sum((best - m) / bernoulli_kl(m, best) for m in worse)
    return math.log(T) * information, math.log(T) * len(worse) / (6.0 * eps)


def privacy_threshold(mean: float, best: float) -> float:
    """The budget at which the two regimes of Theorem 3 meet for one arm: kl / (6 gap)."""
    return bernoulli_kl(mean, best) / (6.0 * (best - mean))
