"""Private means that neither heavy tails nor a few outliers spoil (Wu et al. 2023).

The verbs are the parts of an algorithm that plays a bandit; ``raw_moment_mean`` and
``central_moment_mean`` put them together for data of your own.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.decorators import verb
from ..compiled.intrinsics import borrow
from ..environments.blocks import count, kept
from .mechanisms import laplace, laplace_scale
from .radii import central_moment_bound, raw_moment_bound

RAW_LIMIT = 0.5  # contamination below which the raw-moment mean works
CENTRAL_LIMIT = 0.133  # and the central-moment mean
LARGEST_REACH = 1e6  # D, of which there are 2D/r bins


@verb
def truncation_level(n: float, eps: float, l: float, k: float, alpha1: float) -> float:
    """M: what is cut off beyond it weighs no more than the noise and the outliers (Theorem 6.1).

    Args:
        n: number of values.
        eps: privacy budget.
        l: ln(1/delta).
        k: order of the moment that exists, at least 2.
        alpha1: bound on the contamination.
    """
    M = (n * eps / l) ** (1.0 / k)
    return min(M, alpha1 ** (-1.0 / k)) if alpha1 > 0.0 else M


@verb
def bin_width(k: float, alpha1: float) -> float:
    """r: a bin this wide around the mean holds most of the inliers (Theorem 6.9)."""
    iota = (1.0 - alpha1) / (0.249 - alpha1) if alpha1 > 0.0 else 10.0
    return iota ** (1.0 / k)


@verb
def bins(D: float, r: float) -> int:
    """Number of bins from -D - r to beyond D: also a mean near D lies in one."""
    return math.ceil(2.0 * D / r) + 2


@verb
def private_mean(rng: np.random.Generator, total: float, n: float, M: float, eps: float) -> float:
    """The mean of ``n`` values truncated at ``M``, given their sum. eps-DP: one changed value
    moves the mean by 2M/n at most.
    """
    return total / n + laplace(rng, laplace_scale(2.0 * M / n, eps))


@verb
def private_mode(rng: np.random.Generator, counts: np.ndarray, n: float, eps: float) -> int:
    """The fullest bin of a histogram of ``n`` values, noise added to each frequency. eps-DP: one
    changed value moves two frequencies by 1/n each. Ties go to the leftmost.
    """
    counts = borrow(counts)
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
    """Truncated Laplace mean (Wu et al. 2023, Alg. 2). eps-DP for one changed value.

    Args:
        x: float array (n,), independent values with E|X|^k <= 1, outliers among them.
        rng: generator of the noise.
        eps: privacy budget.
        k: order of the moment, at least 2.
        alpha1: bound on the contamination, in [0, 1/2).
        delta: probability that the radius fails, for n of at least 3 ln(4/delta)/alpha1.

    Returns:
        The mean and its radius: the distance to the inliers' mean, exceeded with probability
        delta at most.

    Raises:
        ValueError: a parameter out of range.
    """
    x = np.asarray(x, dtype=float)
    _check(x, eps, k, alpha1, delta, RAW_LIMIT)
    n = float(len(x))
    M = truncation_level(n, eps, math.log(1.0 / delta), k, alpha1)
    total = sum(kept(float(value), M) for value in x)
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
    """Private histogram mode, then truncation around it (Wu et al. 2023, Alg. 3). eps-DP for one
    changed value, since each half of the data is used once.

    Args:
        x: float array (2 n,), independent values with E|X - mean|^k <= 1, outliers among them;
            the first half places the second, an odd value is left out.
        rng: generator of the noise.
        eps: privacy budget.
        D: bound on the mean's distance from 0, at least two bins wide.
        k: order of the moment, at least 2.
        alpha1: bound on the contamination, in [0, 0.133).
        delta: probability that the radius fails, for n of at least 3 ln(4/delta)/alpha1, given that
            the mode is within 2 r of the mean, which is as certain for n of at least
            (80 + 20/eps) ln(8 (2D/r + 2)/delta).

    Returns:
        The mean and its radius, as ``raw_moment_mean``.

    Raises:
        ValueError: a parameter out of range.
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
    total = sum(kept(float(value) - J, M) for value in x[half : 2 * half])
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
