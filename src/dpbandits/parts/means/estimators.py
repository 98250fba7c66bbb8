"""Private means that are robust to heavy tails and outliers (Wu et al. 2023).

Algorithms call the inlined functions; ``raw_moment_mean`` and ``central_moment_mean`` combine them
for an array of data.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined
from ...environments.blocks import count, truncate
from ..indices.radii import central_moment_bound, raw_moment_bound
from ..noise.mechanisms import laplace, laplace_scale

RAW_LIMIT = 0.5  # the raw-moment mean requires a smaller contamination
CENTRAL_LIMIT = 0.133  # the central-moment mean requires a smaller contamination
LARGEST_REACH = 1e6  # largest D, since the histogram has 2D/r bins


@inlined
def truncation_level(n: float, eps: float, l: float, k: float, alpha1: float) -> float:
    """Compute the truncation level M that balances bias, noise and outliers (Theorem 6.1).

    Args:
        n: number of values.
        eps: privacy budget.
        l: ln(1/delta).
        k: order of the bounded moment, at least 2.
        alpha1: bound on the probability of an outlier.
    """
    M = (n * eps / l) ** (1.0 / k)
    return min(M, alpha1 ** (-1.0 / k)) if alpha1 > 0.0 else M


@inlined
def bin_width(k: float, alpha1: float) -> float:
    """Compute the width r of a bin that, around the mean, holds most inliers (Cor. 6.6 and 6.8)."""
    iota = (1.0 - alpha1) / (0.249 - alpha1) if alpha1 > 0.0 else 10.0
    return iota ** (1.0 / k)


@inlined
def bins(D: float, r: float) -> int:
    """Return the number of bins of width ``r``, which cover [-D - r, D]."""
    return math.ceil(2.0 * D / r) + 2


@inlined
def private_mean(rng: np.random.Generator, total: float, n: float, M: float, eps: float) -> float:
    """Return the private mean of ``n`` values truncated at ``M``, given their sum. eps-DP.

    Changing one value changes the mean by at most 2M/n.
    """
    return total / n + laplace(rng, laplace_scale(2.0 * M / n, eps))


@inlined
def private_mode(rng: np.random.Generator, counts: np.ndarray, n: float, eps: float) -> int:
    """Return the private mode: the bin of largest noisy frequency, and of several such bins the
    leftmost. eps-DP.

    The bins hold ``n`` values in total, and changing one value changes two frequencies by 1/n each.
    """
    best, fullest = -np.inf, 0
    for i in range(len(counts)):
        frequency = counts[i] / n + laplace(rng, laplace_scale(2.0 / n, eps))
        if frequency > best:
            best, fullest = frequency, i
    return fullest


def raw_moment_mean(
    x: np.ndarray,
    rng: np.random.Generator,
    eps: float,
    k: float = 2.0,
    alpha1: float = 0.0,
    delta: float = 0.05,
) -> tuple[float, float]:
    """Compute the truncated Laplace mean (Wu et al. 2023, Alg. 2). eps-DP for neighbours that
    differ in one value.

    Args:
        x: float array (n,), independent values with E|X|^k <= 1, some of them outliers.
        rng: generator of the noise.
        eps: privacy budget.
        k: order of the moment, at least 2.
        alpha1: bound on the probability of an outlier, in [0, 1/2).
        delta: failure probability of the radius, for n >= 3 ln(4/delta)/alpha1.

    Returns:
        The mean and its radius: the distance to the mean of the inliers exceeds the radius with
        probability at most delta.

    Raises:
        ValueError: a parameter is out of range.
    """
    x = np.asarray(x, dtype=float)
    _check(x, eps, k, alpha1, delta, RAW_LIMIT)
    n = float(len(x))
    M = truncation_level(n, eps, math.log(1.0 / delta), k, alpha1)
    total = sum(truncate(float(value), M) for value in x)
    radius = raw_moment_bound(n, eps, math.log(4.0 / delta), k, alpha1, M)
    return private_mean(rng, total, n, M, eps), radius


def central_moment_mean(
    x: np.ndarray,
    rng: np.random.Generator,
    eps: float,
    D: float,
    k: float = 2.0,
    alpha1: float = 0.0,
    delta: float = 0.05,
) -> tuple[float, float]:
    """Compute the truncated Laplace mean around a private mode (Wu et al. 2023, Alg. 3). eps-DP for
    neighbours that differ in one value, since each half of the data enters one release.

    Args:
        x: float array (2 n,), independent values with E|X - mean|^k <= 1, some of them outliers.
            The first half gives the mode, the second half the mean. The last value of an odd number
            of values is ignored.
        rng: generator of the noise.
        eps: privacy budget.
        D: bound on the absolute value of the mean, at least 1 and at least two bin widths.
        k: order of the moment, at least 2.
        alpha1: bound on the probability of an outlier, in [0, 0.133).
        delta: failure probability of the radius for n >= 3 ln(4/delta)/alpha1, if the mode is
            within 2 r of the mean. If n >= (80 + 20/eps) ln(8 (2D/r + 2)/delta), the mode is
            farther from the mean with probability at most delta.

    Returns:
        The mean and its radius, as in ``raw_moment_mean``.

    Raises:
        ValueError: a parameter is out of range.
    """
    x = np.asarray(x, dtype=float)
    _check(x, eps, k, alpha1, delta, CENTRAL_LIMIT)
    r, half = bin_width(k, alpha1), len(x) // 2
    least = max(1.0, 2 * r)
    if not least <= D <= LARGEST_REACH:
        raise ValueError(f"D must lie in [{least:.4g}, {LARGEST_REACH:g}], not {D:g}")
    n, left = float(half), -D - r
    counts = np.zeros(bins(D, r))
    for value in x[:half]:
        count(float(value), 1, left, r, counts)
    J = left + r * private_mode(rng, counts, n, eps)
    M = truncation_level(n, eps, math.log(1.0 / delta), k, alpha1)
    total = sum(truncate(float(value) - J, M) for value in x[half : 2 * half])
    radius = central_moment_bound(n, eps, math.log(4.0 / delta), k, alpha1, M, r)
    return J + private_mean(rng, total, n, M, eps), radius


def _check(x, eps, k, alpha1, delta, limit):
    if x.ndim != 1 or len(x) == 0 or not np.isfinite(x).all():
        raise ValueError("x must hold finite numbers in one dimension")
    if not eps > 0:
        raise ValueError(f"eps must be above 0, not {eps:g}")
    if not 2 <= k < math.inf:
        raise ValueError(f"k must be at least 2, not {k:g}")
    if not 0 <= alpha1 < limit:
        raise ValueError(f"alpha1 must lie in [0, {limit:g}), not {alpha1:g}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie in (0, 1), not {delta:g}")
