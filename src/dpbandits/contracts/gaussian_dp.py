"""Compute the exact (eps, delta) of Gaussian noise, and the noise that a pair (eps, delta) needs.

Let mu be the sensitivity divided by the standard deviation of the noise, phi the density and Phi
the distribution function of the standard normal law. The noise is (eps, delta)-DP if and only if
delta >= Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) (Balle & Wang 2018, Theorem 8).
"""

from __future__ import annotations

import math

from ..compiled import shared

# Number of terms of the continued fraction of Mills' ratio, which is used from FAR on
FRACTIONS = 60
FAR = 5.0
SMALL = 1e-5  # for a smaller mu, a derivative replaces the difference of two Mills' ratios
HALVINGS = 200  # how often bisection halves the interval in which a root lies


@shared
def mills(x: float) -> float:
    """Compute Mills' ratio of the normal law, Phi(-x)/phi(x), for x >= 0."""
    if x < FAR:
        return math.erfc(x / math.sqrt(2.0)) * math.exp(x * x / 2.0) * math.sqrt(math.pi / 2.0)
    r = x
    for k in range(FRACTIONS, 0, -1):
        r = x + k / r
    return 1.0 / r


@shared
def delta_of_noise(mu: float, eps: float) -> float:
    """Compute the smallest delta for which noise with this mu is (eps, delta)-DP.

    Let a = eps/mu - mu/2 and b = eps/mu + mu/2. Then delta = Phi(-a) - e^eps Phi(-b). The identity
    e^eps phi(b) = phi(a) avoids the factor e^eps, which may overflow. With Mills' ratio m, delta is
    phi(a) (m(a) - m(b)), which is nearly phi(a) mu (1 - x m(x)) at x = eps/mu if mu is small.
    """
    if mu == math.inf:
        return 1.0
    a, b = eps / mu - mu / 2.0, eps / mu + mu / 2.0
    phi = math.exp(-a * a / 2.0) / math.sqrt(2.0 * math.pi)
    if mu < SMALL and phi > 0.0:
        return phi * mu * (1.0 - eps / mu * mills(eps / mu))
    if a >= 0.0:
        return phi * (mills(a) - mills(b))
    return math.erfc(a / math.sqrt(2.0)) / 2.0 - phi * mills(b)


@shared
def mu_for(eps: float, delta: float) -> float:
    """Compute the largest mu for which noise is (eps, delta)-DP; infinite if eps is infinite."""
    if eps == math.inf:
        return math.inf
    low = high = 1.0
    while delta_of_noise(high, eps) < delta:
        high *= 2.0
    while delta_of_noise(low, eps) > delta:
        low /= 2.0
    for _ in range(HALVINGS):
        mu = (low + high) / 2.0
        low, high = (mu, high) if delta_of_noise(mu, eps) < delta else (low, mu)
    return low


def eps_of_noise(mu: float, delta: float) -> float:
    """Compute the smallest eps for which noise with this mu is (eps, delta)-DP."""
    low, high = 0.0, 1.0
    if mu == math.inf or delta_of_noise(mu, 0.0) <= delta:
        return mu if mu == math.inf else 0.0
    while delta_of_noise(mu, high) > delta:
        low, high = high, 2.0 * high
    for _ in range(HALVINGS):
        eps = (low + high) / 2.0
        low, high = (eps, high) if delta_of_noise(mu, eps) > delta else (low, eps)
    return high
