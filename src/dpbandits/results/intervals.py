"""Confidence intervals: of a mean by the bootstrap, of a probability by Clopper and Pearson."""

from __future__ import annotations

import numpy as np

# scipy.special is imported where it is used, since that takes a while

RESAMPLES = 2000
LEVELS = np.array([0.025, 0.975])
MOST = 2**24  # numbers of a block of weights


def interval_of_mean(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % interval of a mean by the bootstrap, BCa (Efron 1987): its lower and upper end.

    Unlike Student's, it is skewed as the values are, and never reaches beyond them. The resamples
    depend on nothing but the number of values.

    Args:
        values: float64 array (n, m): n independent values of each of m quantities.

    Returns:
        Two float64 arrays (m,); NaN for a single value, the mean if all values are equal.
    """
    from scipy.special import ndtr, ndtri

    n, mean = len(values), values.mean(axis=0)
    if n == 1:
        return np.full(mean.shape, np.nan), np.full(mean.shape, np.nan)
    means = np.sort(_resampled_means(values), axis=0)
    away = values - mean
    squares = (away**2).sum(axis=0)
    constant = np.ptp(values, axis=0) == 0.0
    squares[constant] = 1.0
    skewness = (away**3).sum(axis=0) / (6.0 * squares**1.5)
    below = ((means < mean).sum(axis=0) + (means <= mean).sum(axis=0)) / (2.0 * RESAMPLES)
    shift = ndtri(np.clip(below, 0.5 / RESAMPLES, 1.0 - 0.5 / RESAMPLES))
    ends = []
    for z in ndtri(LEVELS):
        share = ndtr(shift + (shift + z) / (1.0 - skewness * (shift + z)))
        place = np.clip(share * RESAMPLES - 0.5, 0.0, RESAMPLES - 1.0)
        row, columns = place.astype(int), np.arange(means.shape[1])
        after = np.minimum(row + 1, RESAMPLES - 1)
        end = means[row, columns] + (place - row) * (means[after, columns] - means[row, columns])
        ends.append(np.where(constant, mean, end))
    return ends[0], ends[1]


def _resampled_means(values: np.ndarray) -> np.ndarray:
    """The means of resamples of the values of each quantity, float64 array (RESAMPLES, m)."""
    n, rng = len(values), np.random.default_rng(0)
    at_once = max(1, MOST // n)
    means = np.empty((RESAMPLES, values.shape[1]))
    for start in range(0, RESAMPLES, at_once):
        some = slice(start, min(start + at_once, RESAMPLES))
        weights = rng.multinomial(n, np.full(n, 1.0 / n), size=some.stop - some.start)
        means[some] = weights @ values / n
    return means


def clopper_pearson(
    successes: np.ndarray, trials: np.ndarray | int, tail: float = 0.025
) -> tuple[np.ndarray, np.ndarray]:
    """The exact interval of a probability (Clopper & Pearson 1934): its lower and upper end.

    Args:
        successes: numbers of successes.
        trials: number of trials, of each or of all.
        tail: the probability with which each end is missed, at most; 0.025 gives 95 %.
    """
    from scipy.special import betaincinv

    k, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    with np.errstate(invalid="ignore"):
        low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
        high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    return low, high
