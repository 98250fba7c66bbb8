"""Confidence intervals: of a mean, a median and a probability; and whether runs are too few.

The interval of a mean has Gaffke's limits (Gaffke 2005; Phan, Thomas & Learned-Miller 2021): if all
values are at most M, a mean m is refuted from above at level p as soon as sum_i E_i (x_i - m) +
E (M - m) exceeds 0 with probability at most p, for independent exponential E_i and E. Regret has no
useful M (the worst case is a wrong arm in every round), so one value beyond the data represents
what was not observed: 1 + 10 / n times as far above the largest of n values as this is above their
median. The lower limit is the same of the negated values. ``benchmarks/intervals.py`` measures how
often the interval contains the mean, beside others (docs/runs.md).

Intervals are the same on every processor: sums are taken in a fixed order, not by BLAS, and ends
are rounded to DIGITS digits, since the last bits of NumPy's functions depend on the processor.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

# scipy is imported where it is used, since that takes a while

TAIL = 0.025  # the probability that an end fails; two ends make an interval of 95 %
WIDEST = (-30.0, 15.0)  # the logarithm of the tilt that is searched
HALVINGS, SECANTS = 12, 5  # of the search: a limit is exact to 1e-12 of the range
DIGITS = 10  # significant digits of an end, of the largest value
AT_ONCE = 2**16  # numbers that are searched together

FEWEST = 20  # runs; fewer show no tails
CARRIERS, AMPLE = 3.0, 10.0  # runs that carry the variance: fewer are too few; these are enough
DEFAULT_RUNS = 100  # needed at least where runs are too few


def rounded(values: Any, scale: Any = None) -> np.ndarray:
    """Values to DIGITS significant digits, so that equal ones are equal on every processor; with
    ``scale`` to the DIGITS digits that numbers of this size have.
    """
    values = np.asarray(values, dtype=float)
    scale = np.abs(values) if scale is None else np.asarray(scale, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = 10.0 ** np.clip(DIGITS - 1 - np.floor(np.log10(scale)), -300, 300)
        found = np.round(values * unit) / unit
    return np.where(np.isfinite(found), found, values)


def mean_of_runs(values: np.ndarray) -> np.ndarray:
    """The means of the columns of an array (n, m), summed in the order of the rows."""
    return np.add.accumulate(values, axis=0)[-1] / len(values)


def interval_of_mean(values: np.ndarray, tail: float = TAIL) -> tuple[np.ndarray, np.ndarray]:
    """The interval of a mean: its lower and upper end, each of which fails with probability about
    ``tail``.

    The interval of a + b x is a + b times that of x, for every a and b: nothing is assumed of the
    sign of the values. For laws of which the runs at hand show no bad value it is too narrow, as is
    every interval that knows no largest value.

    Args:
        values: float64 array (n, m): n independent values of each of m quantities.
        tail: the probability of a mean below the lower end, and of one above the upper end.

    Returns:
        Two float64 arrays (m,); NaN for a single value, the mean if all values are equal.
    """
    values = np.asarray(values, dtype=float)
    n, m = values.shape
    if n == 1:
        return np.full(m, np.nan), np.full(m, np.nan)
    few = max(1, AT_ONCE // n)
    blocks = [values[:, start : start + few] for start in range(0, m, few)]
    ends = [(-_upper(-block, tail), _upper(block, tail)) for block in blocks]
    if not ends:
        return np.empty(0), np.empty(0)
    low, high = map(np.concatenate, zip(*ends, strict=True))
    scale, flat = np.abs(values).max(axis=0), np.ptp(values, axis=0) == 0.0
    low, high = (np.where(flat, values[0], rounded(end, scale)) for end in (low, high))
    return low, high


def _upper(values: np.ndarray, tail: float) -> np.ndarray:
    """Gaffke's upper limits for values (n, m) and one beyond them.

    The probability that the weighted sum exceeds 0 is that of Lugannani & Rice (1980). The
    saddlepoint s and the mean m that belong to it are functions of one number, the tilt
    e = (1/s + m - top) / range: the value x has the weight 1 / (d + e), d = (top - x) / range.
    """
    n, most = len(values), values.max(axis=0)
    top = most + (1.0 + 10.0 / n) * (most - np.median(values, axis=0))
    span = top - values.min(axis=0)
    span = np.where(span > 0.0, span, 1.0)
    d = np.concatenate([(top - values) / span, np.zeros((1, values.shape[1]))])
    z, count = -NormalDist().inv_cdf(tail), len(d)

    def excess(tilt: np.ndarray) -> np.ndarray:
        """How far the normal quantile of the tail probability at a tilt lies above ``tail``'s."""
        away = d + np.exp(tilt)
        weight = 1.0 / away
        share = count / np.add.reduce(weight, axis=0)  # 1/s: the harmonic mean
        k = np.add.reduce(np.log(away), axis=0) - count * np.log(share)
        spread = np.add.reduce((share * weight - 1.0) ** 2, axis=0)
        w, u = np.sqrt(np.maximum(2.0 * k, 1e-300)), np.sqrt(spread)
        return np.asarray(w + np.log(np.maximum(u, 1e-150) / w) / w - z)

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
    beyond = np.add.reduce(d / away, axis=0) / np.add.reduce(1.0 / away, axis=0)
    return np.asarray(top - span * beyond)


def at_least_zero(values: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Lower ends of means, at least 0 where none of the values (n, m) is negative: for statistics
    such as regret and stopping times. Ends of values of both signs stay as they are.
    """
    return np.where(values.min(axis=0) >= 0.0, np.maximum(low, 0.0), low)


def interval_of_median(values: np.ndarray, tail: float = TAIL) -> tuple[np.ndarray, np.ndarray]:
    """The interval of a median: its lower and upper end, order statistics, exact for every law.

    Args:
        values: float64 array (n, m).
        tail: the largest probability of a median below its lower end, and above its upper.

    Returns:
        Two float64 arrays (m,), NaN if n values are too few for any end.
    """
    from scipy.stats import binom

    n, m = np.shape(values)
    rank = int(binom.ppf(tail, n, 0.5))  # the largest k with P(fewer than k below) <= tail
    if rank == 0:
        return np.full(m, np.nan), np.full(m, np.nan)
    ordered = np.sort(values, axis=0)
    return rounded(ordered[rank - 1]), rounded(ordered[n - rank])


def runs_needed(values: np.ndarray) -> np.ndarray:
    """How many runs the tails need that the runs at hand show.

    The runs that carry the variance, (sum d^2)^2 / sum d^4 for deviations d from the mean, are n/3
    for normal values, and k if k equally bad runs among many good ones are all that varies. Fewer
    than CARRIERS are too few, since of a law with 3 bad runs expected one sample in twenty has
    none; then as many runs are needed as have AMPLE. Of fewer than FEWEST runs nothing is known.

    Args:
        values: float64 array (n, m): n runs of each of m settings.

    Returns:
        Int64 array (m,): n where the runs are enough, also for a single run, which has no interval.
    """
    n, m = values.shape
    size = np.abs(values).max(axis=0)
    scaled = values / np.where(size > 0.0, size, 1.0)
    away = scaled - mean_of_runs(scaled)
    squares = np.where(np.ptp(values, axis=0) > 0.0, away * away, 1.0)  # all carry as much
    total, fourth = squares.sum(axis=0), (squares * squares).sum(axis=0)
    carriers = total * total / np.where(fourth > 0.0, fourth, 1.0)
    carriers = np.where(fourth > 0.0, carriers, n)
    few = np.full(m, 1 < n < FEWEST) | ((n >= FEWEST) & (carriers < CARRIERS))
    needed = np.maximum(n * AMPLE / carriers, DEFAULT_RUNS)
    return np.where(few, _round_number(needed), n).astype(np.int64)


def _round_number(x: np.ndarray) -> np.ndarray:
    """The next number 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(x))
    steps = np.array([1.0, 2.0, 5.0, 10.0])
    return steps[np.searchsorted(steps, np.round(x / power, 6))] * power


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
