"""The Laplace and the Gaussian mechanism.

The noise is meant for simulation: floating-point noise is not safe for production data.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled import exponential, gamma, inlined, normal


@inlined
def laplace(rng: np.random.Generator, scale: float) -> float:
    """Draw Laplace noise of mean 0, as the difference of two exponential numbers.

    A statistic plus ``laplace(rng, sensitivity / eps)`` is eps-DP (Dwork et al. 2006). The noise
    is 0 if the scale is 0 (eps infinite).
    """
    return scale * (exponential(rng) - exponential(rng))


@inlined
def laplace_scale(sensitivity: float, eps: float) -> float:
    """Compute the scale of the noise for a sensitivity, which may be infinite.

    The scale is 0 if eps is infinite.
    """
    return sensitivity / eps if eps < np.inf else 0.0


@inlined
def laplace_mean(rng: np.random.Generator, total: float, n: float, eps: float) -> float:
    """Return the private mean of ``n`` rewards in [0, 1], given their sum. eps-DP.

    The mean has the sensitivity 1/n.
    """
    return total / n + laplace(rng, 1.0 / (eps * n))


@inlined
def laplace_sum(rng: np.random.Generator, n: float, scale: float) -> float:
    """Draw the sum of ``n`` independent Laplace variables, from its exact law.

    A Laplace variable is the difference of two exponential variables, and the sum of n exponential
    variables has the gamma distribution of shape n. So two gamma numbers are drawn.
    """
    return scale * (gamma(rng, n) - gamma(rng, n))


@inlined
def gaussian(rng: np.random.Generator, deviation: float) -> float:
    """Draw Gaussian noise of mean 0 and the given standard deviation.

    A statistic plus ``gaussian(rng, sensitivity / sqrt(2 rho))`` is rho-zCDP (Bun & Steinke 2016,
    Proposition 1.6). The noise is 0 if the deviation is 0 (rho infinite).
    """
    return deviation * normal(rng)


@inlined
def gaussian_mean(rng: np.random.Generator, total: float, n: float, rho: float) -> float:
    """Return the private mean of ``n`` rewards in [0, 1], given their sum. rho-zCDP.

    The mean has the sensitivity 1/n.
    """
    return total / n + gaussian(rng, 1.0 / (n * math.sqrt(2.0 * rho)))
