"""Comparisons of two algorithms: the difference and the ratio of their means or medians, and the
probability that a run of one has a smaller value than a run of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..results.intervals import (
    all_equal,
    another_value,
    at_least_zero,
    clopper_pearson,
    interval_of_mean,
    interval_of_quantile,
    rounded,
    rounded_mean,
)


class Located(NamedTuple):
    """Estimates with their limits: arrays of one shape, or numbers."""

    value: Any
    low: Any
    high: Any

    def of(self, some: Any) -> Located:
        """Return ``Located`` with some of the estimates."""
        return Located(*(x[some] for x in self))


# For a mean and a median, the functions that estimate it for each column and compute its interval
CENTERS: dict[str, tuple[Any, Any]] = {
    "mean": (rounded_mean, interval_of_mean),
    "median": (lambda values: np.median(values, axis=0), interval_of_quantile),
}


def located(
    samples: Sequence[np.ndarray], center: str, tail: float, largest: float = np.inf
) -> Located:
    """Return the mean, or median, of each of several samples, with limits.

    Each limit fails with probability ``tail``. Samples are regrets or times. If runs are too few
    for an interval, the limits are 0 (minus infinity if a value is negative) and infinity. Equal
    runs give no interval either, but they show that other values are rare (``another_value``).
    Equal runs therefore give a lower limit of a mean if no value is negative, and an upper limit if
    values are at most ``largest``.
    """
    middle, interval = CENTERS[center]
    found = Located(*np.empty((3, len(samples))))
    sizes = np.array([len(x) for x in samples])
    for n in np.unique(sizes):
        some = np.flatnonzero(sizes == n)
        values = np.stack([samples[int(i)] for i in some], axis=1)
        low, high = interval(values, tail)
        if center == "mean":
            other, equal = another_value(int(n), tail), all_equal(values)
            least, most = (rounded(values[0] * (1.0 - other) + other * x) for x in (0.0, largest))
            low = np.where(equal & (values[0] >= 0.0), least, low)
            high = np.where(equal, most, high)
        low = at_least_zero(values, np.where(np.isnan(low), -np.inf, low))
        ends = middle(values), low, np.where(np.isnan(high), np.inf, high)
        for place, x in zip(found, ends, strict=True):
            place[some] = x
    return found


def difference(a: Located, b: Located) -> Located:
    """Return the difference a - b, with limits by the method "square and add" (Zou & Donner 2008).

    If a and b are normal, the limits of the difference fail with the same probability as the limits
    of a and b. The limits of a and b need not be symmetric about the estimates.
    """
    return Located(*map(rounded, _difference(a, b)))


def _difference(a: Located, b: Located) -> Located:
    value = a.value - b.value
    low = value - np.hypot(a.value - a.low, b.high - b.value)
    high = value + np.hypot(a.high - a.value, b.value - b.low)
    return Located(value, low, high)


def ratio(a: Located, b: Located) -> Located:
    """Return the ratio a / b, computed as a difference of logarithms. The ratio 0 / 0 is NaN, with
    limits 0 and inf.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = _difference(*(Located(*map(np.log, estimates)) for estimates in (a, b)))
        value, low, high = (rounded(np.exp(x)) for x in logarithms)
    least = np.where((b.high == 0) & (a.low > 0), np.inf, 0.0)
    most = np.where((a.high == 0) & (b.low > 0), 0.0, np.inf)
    return Located(value, np.where(np.isnan(low), least, low), np.where(np.isnan(high), most, high))


def smaller(a: np.ndarray, b: np.ndarray, tail: float) -> Located:
    """Return the probability that a value of ``a`` is smaller than a value of ``b``.

    A pair of equal values counts as 1/2. The interval follows Brunner & Munzel (2000), on the logit
    scale. If every value of one sample is smaller than every value of the other sample, this method
    cannot estimate the variance. In this case the function pairs the runs in their order, and uses
    the interval of Clopper & Pearson.

    Args:
        a: values of one algorithm.
        b: values of the other algorithm, independent of ``a``.
        tail: the probability with which each end of the interval fails.

    Returns:
        The probability and its limits.
    """
    from scipy.special import expit, stdtrit
    from scipy.stats import rankdata

    n, m = len(a), len(b)
    if min(n, m) < 2:
        return Located(
            float(rounded((a[:, None] < b).mean() + (a[:, None] == b).mean() / 2)), 0.0, 1.0
        )
    ranks = rankdata(np.concatenate([a, b]))
    below = 1.0 - (ranks[:n] - rankdata(a)) / m  # the share of b above each value of a
    above = (ranks[n:] - rankdata(b)) / n
    p = float(above.sum() / m)
    parts = np.array([below.var(ddof=1) / n, above.var(ddof=1) / m])
    variance = parts.sum()
    if variance == 0.0 or not 0.0 < p < 1.0:
        pairs = min(n, m)
        counts = np.array([np.floor(p * pairs), np.ceil(p * pairs)]).astype(int)
        (low, _), (_, high) = np.transpose(clopper_pearson(counts, pairs, tail))
        return Located(*rounded([p, low, high]).tolist())
    freedom = variance**2 / (parts**2 / (np.array([n, m]) - 1)).sum()
    width = -stdtrit(freedom, tail) * np.sqrt(variance) / (p * (1 - p))
    odds = np.log(p / (1 - p)) + np.array([0.0, -width, width])
    return Located(*rounded(expit(odds)).tolist())
