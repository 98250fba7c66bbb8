"""Confidence intervals of a mean, a median and a probability, and tests whether runs are too few.

The interval of a mean has Gaffke's limits (Gaffke 2005; Phan, Thomas & Learned-Miller 2021). Let
the values x_1, ..., x_n be at most M, and let E_1, ..., E_n and E be independent exponential
variables. The upper limit at level p is the smallest mean m for which
sum_i E_i (x_i - m) + E (M - m) exceeds 0 with probability at most p. The lower limit is the
negative of the upper limit of the negated values.

Regret has no useful bound M, since the largest possible regret has a wrong arm in every round. M is
therefore a guess of the largest value that did not occur in the runs. M is near the largest value
if the values are as symmetric as normal values. The more skewed the values are, the farther M lies
above the largest value. ``benchmarks/intervals.py`` measures how often this interval and others
contain the mean (docs/runs.md). If all values are equal, they contain no information about other
possible values, and there is no interval.

Intervals are the same on every processor. Sums are computed in a fixed order and not by BLAS. The
ends are rounded to DIGITS digits, since the last bits of NumPy's functions depend on the processor.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

# scipy is imported only in the functions that use it, since the import is slow

TAIL = 0.025  # probability beyond each end, so that intervals have 95 %
WIDEST = (-30.0, 15.0)  # range in which the logarithm of the tilt is searched
HALVINGS, SECANTS = 12, 5  # steps of the search; a limit is exact to 1e-12 of the range
DIGITS = 10  # significant digits, counted from the first digit of the largest value
AT_ONCE = 2**16  # largest number of values in one search

# Two values are equal up to rounding if their difference is below this share of the largest value
SAME = 1e-12
TAIL_DISTANCE = 300.0  # (M - largest value) / (largest value - median) is at least this / n^3
SYMMETRIC, SKEWED = 0.7, 0.5  # of the skewness: bound for normal values; weight of the excess

FEWEST = 100  # fewer runs never show the tail
TAIL_RUNS = 1000  # with this many runs, bad runs that matter have occurred
CARRIERS, AMPLE = 3.0, 10.0  # runs that cause the variance: fewest allowed; ample
SKEW = 0.15  # the largest skewness of fewer than TAIL_RUNS runs that does not show a tail
ONCE_SHARE = 0.02  # if at most this share of values occurred once, all have been seen


def rounded(values: Any, scale: Any = None) -> np.ndarray:
    """Round values to DIGITS significant digits, so that results are equal on every processor.

    With ``scale``, each value is rounded to the last of the DIGITS digits of the number ``scale``.
    """
    values = np.asarray(values, dtype=float)
    scale = np.abs(values) if scale is None else np.asarray(scale, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = 10.0 ** np.clip(DIGITS - 1 - np.floor(np.log10(scale)), -300, 300)
        found = np.round(values * unit) / unit
    return np.where(np.isfinite(found), found, values)


def mean_of_runs(values: np.ndarray) -> np.ndarray:
    """Return the means of the columns of an array (n, m), summed in the order of the rows."""
    return np.add.accumulate(values, axis=0)[-1] / len(values)


def rounded_mean(values: np.ndarray) -> np.ndarray:
    """Return ``mean_of_runs``, rounded in the same way as the ends of the interval, so that the
    mean lies between the ends.
    """
    return rounded(mean_of_runs(values), np.abs(values).max(axis=0))


def interval_of_mean(values: np.ndarray, tail: float = TAIL) -> tuple[np.ndarray, np.ndarray]:
    """Compute the confidence interval of a mean.

    Each end fails with probability about ``tail``. The interval of a + b x is a + b times the
    interval of x, for all numbers a and b: the values may be negative. The interval knows no
    largest possible value. So the interval is too narrow for a law with large values that do not
    occur in the runs.

    Args:
        values: float64 array (n, m): n independent values of each of m quantities.
        tail: the probability of a mean below the lower end, and of a mean above the upper end.

    Returns:
        Two float64 arrays (m,), the lower and the upper ends; NaN if there is a single value or all
            values are equal.
    """
    values = np.asarray(values, dtype=float)
    n, m = values.shape
    if n == 1:
        return np.full(m, np.nan), np.full(m, np.nan)
    few = max(1, AT_ONCE // n)
    blocks = [values[:, start : start + few] for start in range(0, max(m, 1), few)]
    skewed = [skewness(block) for block in blocks]
    ends = [
        (-_upper(-x, -skew, tail), _upper(x, skew, tail))
        for x, skew in zip(blocks, skewed, strict=True)
    ]
    low, high = map(np.concatenate, zip(*ends, strict=True))
    scale, flat = np.abs(values).max(axis=0), all_equal(values)
    low, high = (np.where(flat, np.nan, rounded(end, scale)) for end in (low, high))
    return low, high


def _upper(values: np.ndarray, skew: np.ndarray, tail: float) -> np.ndarray:
    """Return Gaffke's upper limits for values (n, m), whose skewness is ``skew``, and one assumed
    value ``top`` above them.

    The formula of Lugannani & Rice (1980) gives the probability that the weighted sum exceeds 0.
    The saddlepoint s and the corresponding mean m are functions of one number, the tilt
    e = (1/s + m - top) / range: the value x has the weight 1 / (d + e), where
    d = (top - x) / range.
    """
    n, most = len(values), values.max(axis=0)
    z = skew * np.sqrt(n / 6.0)  # nearly standard normal for many normal values
    beyond = TAIL_DISTANCE / n**3 + SKEWED * np.maximum(z - SYMMETRIC, 0.0)
    top = most + np.minimum(beyond, 1.0 + 10.0 / n) * (most - np.median(values, axis=0))
    span = top - values.min(axis=0)
    span = np.where(span > 0.0, span, 1.0)
    d = np.concatenate([(top - values) / span, np.zeros((1, values.shape[1]))])
    quantile, count = -NormalDist().inv_cdf(tail), len(d)

    def excess(tilt: np.ndarray) -> np.ndarray:
        """Return the difference of two normal quantiles: at the tail probability of a tilt, and at
        ``tail``.
        """
        away = d + np.exp(tilt)
        weight = 1.0 / away
        # 1/s, where s is the mean of the weights: the harmonic mean of the distances
        share = count / np.add.reduce(weight, axis=0)
        k = np.add.reduce(np.log(away), axis=0) - count * np.log(share)
        spread = np.add.reduce((share * weight - 1.0) ** 2, axis=0)
        w, u = np.sqrt(np.maximum(2.0 * k, 1e-300)), np.sqrt(spread)
        return np.asarray(w + np.log(np.maximum(u, 1e-150) / w) / w - quantile)

    low, high = (np.full(values.shape[1], end) for end in WIDEST)
    for _ in range(HALVINGS):
        tilt = (low + high) / 2.0
        far = excess(tilt) > 0.0
        low, high = np.where(far, tilt, low), np.where(far, high, tilt)
    before, tilt = low, high
    was, now = excess(before), excess(tilt)
    for _ in range(SECANTS):
        slope = (now - was) / np.where(tilt == before, 1.0, tilt - before)
        step = now / np.where(slope == 0.0, 1.0, slope)
        before, tilt = tilt, np.clip(tilt - step, low, high)
        was, now = now, excess(tilt)
    away = d + np.exp(tilt)
    below = np.add.reduce(d / away, axis=0) / np.add.reduce(1.0 / away, axis=0)
    return np.asarray(top - span * below)


def at_least_zero(values: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Raise the lower ends of means to at least 0 in columns (n, m) that have no negative value.

    The function is for statistics that cannot be negative, such as regret and stopping times. In a
    column with a negative value, the lower end stays unchanged.
    """
    return np.where(values.min(axis=0) >= 0.0, np.maximum(low, 0.0), low)


def interval_of_quantile(
    values: np.ndarray, tail: float = TAIL, share: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the confidence interval of a quantile. The ends of the interval are order statistics,
    so the interval is valid for every law.

    Args:
        values: float64 array (n, m).
        tail: the largest probability that the quantile is below the lower end, and also that it is
            above the upper end.
        share: the probability of a value below the quantile; .5 for the median.

    Returns:
        Two float64 arrays (m,), the lower and the upper ends; NaN where n values are too few.
    """
    from scipy.stats import binom

    n, m = np.shape(values)
    blank, ordered = np.full((1, m), np.nan), np.sort(values, axis=0)
    # the largest k for which P(fewer than k values below), or P(fewer than k above), is at most
    # ``tail``
    below, above = (int(binom.ppf(tail, n, p)) for p in (share, 1.0 - share))
    low, high = np.vstack([blank, ordered])[below], np.vstack([ordered, blank])[n - above]
    return rounded(low), rounded(high)


def all_equal(values: np.ndarray) -> np.ndarray:
    """Return whether the values of each column of an array (n, m) are equal up to rounding, bool
    (m,).
    """
    return np.asarray(np.ptp(values, axis=0) <= SAME * np.abs(values).max(axis=0))


def another_value(runs: int, tail: float = TAIL) -> float:
    """Return an upper bound, at level ``tail``, on the probability that a further run has another
    value, after ``runs`` runs with equal values.
    """
    return float(1.0 - tail ** (1.0 / runs))


def skewness(values: np.ndarray) -> np.ndarray:
    """Return the skewness of each column of an array (n, m); 0 if all values are equal."""
    away = _scaled(values)
    second, third = mean_of_runs(away**2), mean_of_runs(away * away * away)
    return np.where(second > 0.0, third / np.where(second > 0.0, second, 1.0) ** 1.5, 0.0)


def carriers(values: np.ndarray) -> np.ndarray:
    """Return how many runs cause the variance of each column of an array (n, m).

    This number is an effective sample size, (sum d^2)^2 / sum d^4 for the deviations d from the
    mean. For normal values, this size is about n/3. If k equally bad runs among many good runs
    cause all of the variance, the size is about k. If all values are equal, the size is 0.
    """
    squares = _scaled(values) ** 2
    total, fourth = squares.sum(axis=0), (squares * squares).sum(axis=0)
    return np.where(fourth > 0.0, total * total / np.where(fourth > 0.0, fourth, 1.0), 0.0)


def _scaled(values: np.ndarray) -> np.ndarray:
    """Return the deviations from the mean of each column, divided by the largest absolute value of
    the column, so that their powers are finite.
    """
    size = np.abs(values).max(axis=0)
    scaled = values / np.where(size > 0.0, size, 1.0)
    return np.where(all_equal(values), 0.0, scaled - mean_of_runs(scaled))


def occurred_once(values: np.ndarray) -> np.ndarray:
    """Return the share of the values of each column (n, m) that occurred once.

    This share estimates the probability that a further run has a new value (Good and Turing; Good
    1953).
    """
    ordered = np.sort(values, axis=0)
    steps = np.diff(ordered, axis=0) > SAME * np.abs(values).max(axis=0)
    edge = np.ones((1, values.shape[1]), dtype=bool)
    return np.asarray((np.vstack([edge, steps]) & np.vstack([steps, edge])).mean(axis=0))


def tail_is_seen(values: np.ndarray) -> np.ndarray:
    """Return whether the runs of each column of an array (n, m) show the tail of their law, bool
    (m,).

    Runs do not show the tail if there are fewer than FEWEST runs, if all runs are equal, or if
    fewer than CARRIERS runs cause the variance (see ``carriers``). (If 3 bad runs are expected, one
    sample in twenty has none.) Fewer than TAIL_RUNS runs do not show the tail either if they are
    skewed to large values, since still larger values may not have occurred yet. The rule for
    TAIL_RUNS has an exception: if hardly any value occurred only once, nearly all values have been
    seen.
    """
    n = len(values)
    light = (n >= TAIL_RUNS) | (skewness(values) <= SKEW) | (occurred_once(values) <= ONCE_SHARE)
    return np.asarray((n >= FEWEST) & light & (carriers(values) >= CARRIERS))


def runs_needed(values: np.ndarray) -> np.ndarray:
    """Return how many runs are needed to show the tail of the law of a run.

    If at least FEWEST runs are given and fewer than CARRIERS of them cause the variance, the number
    of runs is scaled up until AMPLE runs would cause the variance. If n is smaller than FEWEST, the
    number is at least FEWEST, else at least TAIL_RUNS. The number is rounded up to 1, 2 or 5 times
    a power of ten.

    Args:
        values: float64 array (n, m): n runs of each of m settings.

    Returns:
        Int64 array (m,). For settings with enough runs, no further runs are needed: the number is
        n. For settings with equal runs or a single run, which have no interval, the number is n,
            too.
    """
    n = len(values)
    few = carriers(values)
    short = (few > 0.0) & (few < CARRIERS) & (n >= FEWEST)
    needed = np.where(short, n * AMPLE / np.where(short, few, 1.0), 0.0)
    needed = np.maximum(needed, FEWEST if n < FEWEST else TAIL_RUNS)
    enough = tail_is_seen(values) | all_equal(values)  # also true for a single run
    return np.where(enough, n, _round_number(needed)).astype(np.int64)


def _round_number(x: np.ndarray) -> np.ndarray:
    """Return the next number that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(x))
    steps = np.array([1.0, 2.0, 5.0, 10.0])
    return steps[np.searchsorted(steps, np.round(x / power, 6))] * power


def clopper_pearson(
    successes: np.ndarray, trials: np.ndarray | int, tail: float = 0.025
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the exact confidence interval of a probability (Clopper & Pearson 1934).

    Args:
        successes: numbers of successes.
        trials: the numbers of trials, or one number of trials for all.
        tail: the largest probability that the probability lies below the lower end, and also that
            it lies above the upper end; 0.025 gives an interval of 95 %.

    Returns:
        The lower and the upper ends.
    """
    from scipy.special import betaincinv

    k, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    with np.errstate(invalid="ignore"):
        low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
        high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    return low, high
