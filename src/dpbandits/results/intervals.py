"""Confidence intervals: of a mean by the bootstrap, of a probability by Clopper and Pearson.

They have the same bits on every processor: sums are taken in a fixed order, not by BLAS; powers are
products, since NumPy's depend on the processor's instructions; and ties are counted as ties.
"""

from __future__ import annotations

import numpy as np

# scipy.special is imported where it is used, since that takes a while

RESAMPLES = 2000
LEVELS = np.array([0.025, 0.975])
MOST = 2**24  # numbers of a block of weights
CLOSE = 1e-12  # means that differ by less, relative to the largest value, differ by rounding
DIGITS = 6  # of places among the resampled means: the last ones of ``ndtr`` depend on the processor
BITS = 40  # of the significand of a rounded statistic


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

    values = np.ascontiguousarray(values.T)  # each quantity in a row: its sums are in one order
    m, n = values.shape
    mean = values.sum(axis=1) / n
    if n == 1:
        return np.full(m, np.nan), np.full(m, np.nan)
    means = np.sort(_resampled_means(values), axis=1)
    away = values - mean[:, np.newaxis]
    squares = (away * away).sum(axis=1)
    constant = np.ptp(values, axis=1) == 0.0
    squares[constant] = 1.0
    skewness = (away * away * away).sum(axis=1) / (6.0 * squares * np.sqrt(squares))
    rounding = CLOSE * np.abs(values).max(axis=1)
    under, over = ((mean + side * rounding)[:, np.newaxis] for side in (-1.0, 1.0))
    below = ((means < under).sum(axis=1) + (means <= over).sum(axis=1)) / (2.0 * RESAMPLES)
    shift = ndtri(np.clip(below, 0.5 / RESAMPLES, 1.0 - 0.5 / RESAMPLES))
    ends = []
    for z in ndtri(LEVELS):
        share = ndtr(shift + (shift + z) / (1.0 - skewness * (shift + z)))
        place = np.round(np.clip(share * RESAMPLES - 0.5, 0.0, RESAMPLES - 1.0), DIGITS)
        before, quantity = place.astype(int), np.arange(m)
        after = np.minimum(before + 1, RESAMPLES - 1)
        low, high = means[quantity, before], means[quantity, after]
        ends.append(np.where(constant, mean, low + (place - before) * (high - low)))
    return ends[0], ends[1]


def _resampled_means(values: np.ndarray) -> np.ndarray:
    """The means of resamples of the values of each quantity, float64 array (m, RESAMPLES)."""
    (m, n), rng = values.shape, np.random.default_rng(0)
    at_once = max(1, MOST // n)
    means = np.empty((m, RESAMPLES))
    for start in range(0, RESAMPLES, at_once):
        some = slice(start, min(start + at_once, RESAMPLES))
        weights = rng.multinomial(n, np.full(n, 1.0 / n), size=some.stop - some.start).astype(float)
        for of_quantity, x in zip(means, values, strict=True):
            of_quantity[some] = (weights * x).sum(axis=1) / n
    return means


def without_rounding(x: np.ndarray) -> np.ndarray:
    """Values of a statistic to twelve digits, so that those that are equal but for the order in
    which they were computed are equal: for bootstraps that count ties.
    """
    significand, exponent = np.frexp(x)
    return np.ldexp(np.round(np.ldexp(significand, BITS)), exponent - BITS)


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
