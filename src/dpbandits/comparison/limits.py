"""Confidence limits of means and medians that hold for heavy-tailed values, too.

The limits of a mean are Gaffke's (2005; Phan, Thomas & Learned-Miller 2021): if the values are at
most M, then m is refuted from above at level p as soon as sum_i E_i (x_i - m) + E (M - m) exceeds 0
with probability at most p, for exponential E_i, E. No number of resamples bounds p from below, no
matrix product is summed in an order of its own, and all values count at the exact weight. Regret
has no useful M (the worst case is a wrong arm in every round), so one value beyond the data stands
for what was not seen: as far above the largest as this is above the median.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# scipy is imported where it is used, since that takes a while

STEPS = 45  # of bisection: the limit is exact to 1e-12 of the range
WIDEST = (-30.0, 15.0)  # the logarithm of the tilt that bisection searches
DIGITS = 10  # significant digits of a result: the last bits depend on the processor
AT_ONCE = 2**22  # numbers that are searched together


def rounded(values: Any) -> np.ndarray:
    """Values to DIGITS significant digits, so that equal ones are equal on every processor."""
    values = np.asarray(values, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        places = np.floor(np.log10(np.abs(values)))
        unit = 10.0 ** np.clip(DIGITS - 1 - places, -300, 300)
        found = np.round(values * unit) / unit
    return np.where(np.isfinite(found), found, values)


def mean_of_runs(values: np.ndarray) -> np.ndarray:
    """The means of the columns of an array (n, m), summed in the order of the rows."""
    return np.add.accumulate(values, axis=0)[-1] / len(values)


def limits_of_mean(values: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limits of means, each of which fails with probability about ``tail``.

    Args:
        values: float64 array (n, m): n independent values, at least 0, of each of m quantities.
        tail: the probability of a mean below its lower limit, and of one above its upper.

    Returns:
        Two arrays (m,). A single value has the limits 0 and infinity.
    """
    values = np.asarray(values, dtype=float)
    n, m = values.shape
    if n == 1:
        return np.zeros(m), np.full(m, np.inf)
    few = max(1, AT_ONCE // n)
    blocks = [values[:, start : start + few] for start in range(0, m, few)]
    low, high = zip(*(_limits(block, tail) for block in blocks), strict=True)
    return rounded(np.concatenate(low)), rounded(np.concatenate(high))


def _limits(values: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    middle, least, most = np.median(values, axis=0), values.min(axis=0), values.max(axis=0)
    bottom = np.minimum(np.maximum(2.0 * least - middle, 0.0), least)
    top = 2.0 * most - middle
    return -_upper(-values, -bottom, tail), _upper(values, top, tail)


def _upper(values: np.ndarray, top: np.ndarray, tail: float) -> np.ndarray:
    """Gaffke's upper limits for values of at most ``top``.

    The probability that the weighted sum exceeds 0 is that of Lugannani & Rice (1980). The
    saddlepoint s and the mean m that belong to it are functions of one number, the tilt
    e = (1/s + m - top) / range: the value x has the weight 1 / (d + e), d = (top - x) / range.
    """
    from scipy.special import ndtri

    span = top - values.min(axis=0)
    flat = span <= 0.0
    span = np.where(flat, 1.0, span)
    d = np.concatenate([(top - values) / span, np.zeros((1, values.shape[1]))])
    z, count = -ndtri(tail), len(d)
    low, high = (np.full(values.shape[1], end) for end in WIDEST)
    for _ in range(STEPS):
        tilt = (low + high) / 2.0
        away = d + np.exp(tilt)
        weight = 1.0 / away
        share = count / np.add.reduce(weight, axis=0)  # 1/s: the harmonic mean
        log_share = np.log(share)
        k = np.add.reduce(np.log(away), axis=0) - count * log_share
        spread = np.add.reduce((share * weight - 1.0) ** 2, axis=0)
        w, u = np.sqrt(np.maximum(2.0 * k, 1e-300)), np.sqrt(spread)
        far = w + np.log(np.maximum(u, 1e-150) / w) / w > z
        low, high = np.where(far, tilt, low), np.where(far, high, tilt)
    away = d + np.exp((low + high) / 2.0)
    beyond = np.add.reduce(d / away, axis=0) / np.add.reduce(1.0 / away, axis=0)
    return np.where(flat, top, top - span * beyond)


def limits_of_median(values: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limits of medians: order statistics, exact for every law.

    Args:
        values: float64 array (n, m), at least 0.
        tail: the largest probability of a median below its lower limit, and above its upper.

    Returns:
        Two arrays (m,), 0 and infinity if n values are too few for any limit.
    """
    from scipy.stats import binom

    n, m = np.shape(values)
    rank = int(binom.ppf(tail, n, 0.5))  # the largest k with P(fewer than k below) <= tail
    if rank == 0:
        return np.zeros(m), np.full(m, np.inf)
    ordered = np.sort(values, axis=0)
    return rounded(ordered[rank - 1]), rounded(ordered[n - rank])
