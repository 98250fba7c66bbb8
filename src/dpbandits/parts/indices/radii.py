"""Confidence radii and indices; ``l`` is the logarithm of 1/(failure probability)."""

from __future__ import annotations

import math

from ...compiled import inlined


@inlined
def logarithm(x: float, base2: float) -> float:
    """Compute the logarithm of ``x``: natural if ``base2`` is 0, to base 2 if ``base2`` is 1."""
    return math.log(x) if base2 == 0.0 else math.log2(x)


@inlined
def hoeffding(n: float, l: float) -> float:
    """Compute Hoeffding's radius of the mean of ``n`` rewards in [0, 1].

    The mean exceeds its expectation by more than the radius with probability at most e^-l.
    """
    return math.sqrt(l / (2.0 * n))


@inlined
def laplace_tail(n: float, eps: float, l: float) -> float:
    """Compute the radius that the noise ``Lap(1/(eps n))`` exceeds with probability e^-l / 2."""
    return l / (eps * n)


@inlined
def gaussian_hoeffding(n: float, rho: float, l: float) -> float:
    """Compute the radius of a mean of ``n`` rewards in [0, 1] with noise ``N(0, 1/(2 rho n^2))``.

    The radius is sqrt(2 v l), where v is the sum of the variance proxies of the mean and of the
    noise (Azize's thesis, eq. 5.4).
    """
    return math.sqrt((1.0 / (2.0 * n) + 1.0 / (rho * n**2)) * l)


@inlined
def bernoulli_kl(p: float, q: float) -> float:
    """Compute the Kullback-Leibler divergence kl(p, q) of Bernoulli laws, for p and q in [0, 1]."""
    if p == q:
        return 0.0
    if p <= 0.0:
        return -math.log1p(-q) if q < 1.0 else math.inf
    if p >= 1.0:
        return -math.log(q) if q > 0.0 else math.inf
    return kl_of_step(p, 1.0 - p, q - p) if 0.0 < q < 1.0 else math.inf


@inlined
def kl_of_step(p: float, r: float, x: float) -> float:
    """Compute kl(p, p + x), where r = 1 - p; the result is accurate also for small x."""
    return -p * math.log1p(x / p) - r * math.log1p(-x / r)


@inlined
def kl_upper(p: float, d: float, least: float = 0.0) -> float:
    """Compute ``max{q in [0, 1] : kl(p, q) <= d}`` to 1e-10 (Garivier & Cappe 2011).

    If the exact result is below ``least``, the function may return any number below ``least``: an
    argmax that has already found the index ``least`` does not need a smaller index exactly.

    The root is found by Newton's method from above: kl(p, .) is convex and increasing on [p, 1], so
    the iterates decrease to the root. The initial value is the smaller of two upper bounds, which
    come from Pinsker's inequality and from kl without its term in p.
    """
    if p >= 1.0:
        return 1.0
    if p <= 0.0:
        return 1.0 - math.exp(-d)
    r = 1.0 - p
    entropy = -p * math.log(p) - r * math.log(r)
    x = min(math.sqrt(d / 2.0), r - math.exp(-(d + entropy) / r), r * (1.0 - 1e-15))
    while x > 0.0 and p + x > least - 1e-9:  # the unknown is q - p
        excess = kl_of_step(p, r, x) - d
        step = excess * (p + x) * (r - x) / x
        x -= step
        if step < 1e-12:
            break
    return min(p + max(x, 0.0), 1.0)


@inlined
def robust_order(n: float, eps: float, l: float, k: float, alpha1: float) -> float:
    """Compute the order of the error of a private robust mean, with all constants set to 1.

    The source of the order is Wu et al. 2023, Theorem 6.1 and Corollaries 6.6 and 6.8, with
    l = ln(1/delta). The order is not a bound on the error.
    """
    share = 1.0 - 1.0 / k
    return math.sqrt(l / n) + (l / (n * eps)) ** share + alpha1**share


@inlined
def raw_moment_bound(n: float, eps: float, l: float, k: float, alpha1: float, M: float) -> float:
    """Compute the radius of the mean of ``n`` values truncated at ``M``, with Laplace noise.

    The noise is ``Lap(2M/(n eps))``. The radius is the sum of the bounds of Bernstein's inequality,
    of the tail of the noise, of Markov's inequality for the truncation bias, and of Chernoff's
    inequality for the outliers. The radius holds with probability 1 - delta if E|X|^k <= 1, the
    probability of an outlier is at most alpha1, and n >= 3 l/alpha1, where l = ln(4/delta).
    """
    if math.inf == M:
        return math.inf
    random = math.sqrt(2.0 * l / n) + (2.0 / 3.0 + 2.0 / eps) * M * l / n
    return random + M ** (1.0 - k) + 2.0 * alpha1 * (M + 1.0)


@inlined
def central_moment_bound(
    n: float, eps: float, l: float, k: float, alpha1: float, M: float, r: float
) -> float:
    """Compute the radius as ``raw_moment_bound`` does, for truncation around a point near the mean.

    The point is within 2 r of the mean, and E|X - mean|^k <= 1.
    """
    if math.inf == M:
        return math.inf
    noise, m = (2.0 / 3.0 + 2.0 / eps) * M * l / n, 1.0 + 2.0 * r
    radius = m * math.sqrt(2.0 * l / n) + m**k * M ** (1.0 - k) + 2.0 * alpha1 * (M + m)
    if 2.0 * r < M:  # a second bound, which is large for M just above 2 r
        tail = (M - 2.0 * r) ** -k
        V = 1.0 + 4.0 * r**2 * tail
        closer = math.sqrt(2.0 * V * l / n) + M * tail + 2.0 * alpha1 * (M + 2.0 * r)
        radius = min(radius, closer)
    return radius + noise
