"""Privacy mechanisms: the noise that hides one reward.

This is noise for simulation: floating-point Laplace noise is not safe for production data.
"""

from __future__ import annotations

import numpy as np

from ..compiled.decorators import verb
from ..compiled.intrinsics import borrow


@verb
def laplace(rng: np.random.Generator, scale: float) -> float:
    """Laplace noise of mean 0, as the difference of two exponentials.

    Adding ``laplace(rng, sensitivity / eps)`` to a statistic releases it with eps-DP (Dwork et
    al. 2006); scale 0 (eps infinite) adds nothing.
    """
    rng = borrow(rng)
    return scale * (rng.standard_exponential() - rng.standard_exponential())


@verb
def laplace_scale(sensitivity: float, eps: float) -> float:
    """Scale of the noise that hides ``sensitivity``; 0 if eps is infinite, whatever that is."""
    return sensitivity / eps if eps < np.inf else 0.0


@verb
def laplace_mean(rng: np.random.Generator, total: float, n: float, eps: float) -> float:
    """The mean of ``n`` rewards in [0, 1], given their sum. eps-DP: one reward moves it by 1/n."""
    return total / n + laplace(rng, 1.0 / (eps * n))


@verb
def laplace_sum(rng: np.random.Generator, n: float, scale: float) -> float:
    """The sum of ``n`` independent Laplace variables, exactly, in two draws.

    A Laplace variable is the difference of two exponentials, and n exponentials sum to a gamma
    variable of shape n.
    """
    rng = borrow(rng)
    return scale * (rng.standard_gamma(n) - rng.standard_gamma(n))
