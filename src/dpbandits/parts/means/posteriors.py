"""Beta posteriors of private means, for Thompson sampling (Hu & Hegde 2022)."""

from __future__ import annotations

import numpy as np

from ...compiled import beta, inlined


@inlined
def draw_mean(rng: np.random.Generator, mean: float, n: float) -> float:
    """Draw from Beta(mu n + 1, (1 - mu) n + 1), where mu is ``mean`` clipped to [0, 1].

    This is the posterior of an arm after ``n`` rewards with the mean mu.
    """
    mu = min(max(mean, 0.0), 1.0)
    return beta(rng, mu * n + 1.0, (1.0 - mu) * n + 1.0)
