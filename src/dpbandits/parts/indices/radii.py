"""Confidence radii and indices; ``l`` is the logarithm of 1/(failure probability)."""

from __future__ import annotations

import math

from ...compiled import inlined


@inlined
def logarithm(x: float, base2: float) -> float:
    """Logarithm of ``x``: natural if ``base2`` is 0, to base 2 if it is 1."""
    return math.log(x) if base2 == 0.0 else math.log2(x)


@inlined
def hoeffding(n: float, l: float) -> float:
    """Hoeffding's radius of the mean of ``n`` rewards in [0, 1], exceeded with probability e^-l."""
    return math.sqrt(l / (2.0 * n))


@inlined
def laplace_tail(n: float, eps: float, l: float) -> float:
    """Radius of the noise ``Lap(1/(eps n))`` of a mean, exceeded with probability e^-l / 2."""
    return l / (eps * n)


@inlined
def gaussian_hoeffding(n: float, rho: float, l: float) -> float:
    """Radius of a mean of ``n`` rewards in [0, 1] with noise ``N(0, 1/(2 rho n^2))``: the root of
    twice the sum of the two variance proxies, times ``l`` (Azize's thesis, eq. 5.4).
    """
    return math.sqrt((1.0 / (2.0 * n) + 1.0 / (rho * n**2)) * l)


@inlined
def bernoulli_kl(p: float, q: float) -> float:
    """Kullback-Leibler divergence kl(p, q) of Bernoulli laws, continuously extended to [0, 1]."""
    if p == q:
        return 0.0
    if p <= 0.0:
        return -math.log1p(-q) if q < 1.0 else math.inf
    if p >= 1.0:
        return -math.log(q) if q > 0.0 else math.inf
    return kl_of_step(p, 1.0 - p, q - p) if 0.0 < q < 1.0 else math.inf


@inlined
def kl_of_step(p: float, r: float, x: float) -> float:
    """kl(p, p + x) for r = 1 - p, accurate also for small x."""
    return -p * math.log1p(x / p) - r * math.log1p(-x / r)


@inlined
def kl_upper(p: float, d: float, least: float = 0.0) -> float:
    """``max{q in [0, 1] : kl(p, q) <= d}``, to 1e-10 (Garivier & Cappe 2011).

    An argmax that has found the index ``least`` needs no exact index below it: in the place of one
    this may return any number below ``least``.

    Newton's method from above: kl(p, .) is convex and increasing on [p, 1], so the iterates
    decrease to the root. The initial value is the smaller of two upper bounds: that of Pinsker's
    inequality, and the root of kl without its term in p.
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
    """Order of the error of a private robust mean, with constants of 1 (Wu et al. 2023, Theorem
    6.1, Corollaries 6.6 and 6.8), where ``l`` is ln(1/delta). It is not a bound.
    """
    share = 1.0 - 1.0 / k
    return math.sqrt(l / n) + (l / (n * eps)) ** share + alpha1**share


@inlined
def raw_moment_bound(n: float, eps: float, l: float, k: float, alpha1: float, M: float) -> float:
    """Radius of the mean of ``n`` values truncated at ``M`` with noise ``Lap(2M/(n eps))``.

    It sums Bernstein's inequality, the tail of the noise, Markov's inequality for the truncation
    bias and Chernoff's inequality for the outliers. It holds with probability 1 - delta for
    E|X|^k <= 1, a contamination of at most alpha1 and n >= 3 l/alpha1, where l = ln(4/delta).
    """
    if math.inf == M:
        return math.inf
    random = math.sqrt(2.0 * l / n) + (2.0 / 3.0 + 2.0 / eps) * M * l / n
    return random + M ** (1.0 - k) + 2.0 * alpha1 * (M + 1.0)


@inlined
def central_moment_bound(
    n: float, eps: float, l: float, k: float, alpha1: float, M: float, r: float
) -> float:
    """``raw_moment_bound`` for truncation around a point within 2 r of the mean, given
    E|X - mean|^k <= 1.
    """
    if math.inf == M:
        return math.inf
    noise, m = (2.0 / 3.0 + 2.0 / eps) * M * l / n, 1.0 + 2.0 * r
    radius = m * math.sqrt(2.0 * l / n) + m**k * M ** (1.0 - k) + 2.0 * alpha1 * (M + m)
    if 2.0 * r < M:  # two bounds hold; just above 2 r this one is large
        tail = (M - 2.0 * r) ** -k
        V = 1.0 + 4.0 * r**2 * tail
        closer = math.sqrt(2.0 * V * l / n) + M * tail + 2.0 * alpha1 * (M + 2.0 * r)
        radius = min(radius, closer)
    return radius + noise
