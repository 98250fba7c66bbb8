"""The divergence of two Bernoulli laws under global DP, and the index that follows from it, in
closed form.

Azize et al. 2025 measure how hard it is, under eps-global DP, to distinguish two Bernoulli laws
with means x and y by ``d(x, y) = inf over z between x and y of eps |z - x| + kl(z, y)``. For x <= y
the infimum is attained at the z with logit(z) = logit(y) - eps, or at x if this z is below x. The
closed forms below follow from this z.
"""

from __future__ import annotations

import math

from ...compiled import inlined
from .radii import bernoulli_kl, kl_upper


@inlined
def private_divergence(x: float, y: float, eps: float) -> float:
    """Compute d(x, y) for x and y in [0, 1]; this is kl(x, y) if eps is infinite."""
    if x > y:
        x, y = 1.0 - x, 1.0 - y
    if y >= 1.0:
        return eps * (1.0 - x) if x < 1.0 else 0.0
    share = y * math.expm1(-eps)
    if y * math.exp(-eps) <= x * (1.0 + share):  # the logits of x and y are at most eps apart
        return bernoulli_kl(x, y)
    return -eps * x - math.log1p(share) if x > 0.0 else -math.log1p(share)


@inlined
def private_upper(x: float, c: float, eps: float) -> float:
    """Compute the index ``max{q in [0, 1] : d(x, q) <= c}`` for c > 0.

    The index is the index of KL-UCB if eps is infinite.
    """
    if x >= 1.0 or c >= eps * (1.0 - x):
        return 1.0
    if x <= 0.0:
        return min(math.expm1(-c) / math.expm1(-eps), 1.0)
    if c <= eps * (1.0 - x) + math.log1p((1.0 - x) * math.expm1(-eps)):  # z = x, so d is kl(x, q)
        return kl_upper(x, c)
    return min(math.expm1(-(c + eps * x)) / math.expm1(-eps), 1.0)
