"""A studentised permutation test that finds which algorithms differ, for all pairs at once.

The statistic of two samples is the difference of their means divided by its standard error (Welch
1947). A shuffle assigns the pooled runs of a pair to the two algorithms at random. If both samples
have the same law, all assignments are equally likely, so that the test is exact. If the laws differ
but the means are equal, the error probability tends to the level, since the statistic is
studentised (Janssen 1997; Chung & Romano 2013). All pairs of a table use the same shuffles. Each
observed statistic is compared with the largest statistic of all pairs in each shuffle. The error
probability therefore holds for all pairs together.

The seed is fixed. Values are rounded to integers whose sums are exact in every order, so that the
test is the same on every processor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

FEWEST = 4  # least number of runs of an algorithm; fewer cannot show a difference at 5 %
SHUFFLES = 1999  # number of shuffles at the level 5 %; smaller levels need more
MAX_DEALT_RUNS = 500  # with twice as many in the smaller sample, batch means are shuffled
LEVELS = 2**16  # values are rounded to integers from 0 to LEVELS
AT_ONCE = 2**21  # most numbers in a block of the computation
NEARLY = 1e-9  # statistics with at most this relative difference count as equal


def differing(pairs: Sequence[tuple[np.ndarray, np.ndarray]], error: float) -> np.ndarray:
    """Return which pairs of samples have different means, bool array (pairs,).

    Args:
        pairs: the runs of the two algorithms of each pair.
        error: the probability that the test finds a difference between any two algorithms with the
            same law.
    """
    pooled = {
        i: _pooled(*sorted(pair, key=len))
        for i, pair in enumerate(pairs)
        if min(map(len, pair)) >= FEWEST
    }
    alike: dict[tuple[int, int], list[int]] = {}  # the pairs by the sizes of their samples
    for i, (first, pool) in pooled.items():
        alike.setdefault((first, len(pool)), []).append(i)
    shuffles = max(SHUFFLES, int(np.ceil(20.0 / error)))
    observed, largest = np.zeros(len(pairs)), np.zeros(shuffles)
    for (first, size), some in alike.items():
        pools = np.stack([pooled[i][1] for i in some])
        dealt = np.arange(size)[np.newaxis] < first
        observed[some] = _statistics(pools, dealt)[0]
        rng, rows = np.random.default_rng([first, size]), max(1, AT_ONCE // size)
        for start in range(0, shuffles, rows):
            block = slice(start, min(start + rows, shuffles))
            dealt = np.tile(np.arange(size) < first, (block.stop - start, 1))
            dealt = rng.permuted(dealt, axis=1)
            each = max(1, AT_ONCE // len(dealt))
            for begin in range(0, len(some), each):
                found = _statistics(pools[begin : begin + each], dealt).max(axis=1)
                largest[block] = np.maximum(largest[block], found)
    ordered = np.sort(largest)
    as_large = shuffles - np.searchsorted(ordered, observed * (1.0 - NEARLY))
    return np.asarray((observed > 0.0) & (1 + as_large <= error * (shuffles + 1)))


def _pooled(x: np.ndarray, y: np.ndarray) -> tuple[int, np.ndarray]:
    """Pool the runs of two samples as integers; the smaller sample comes first.

    Returns:
        The number of values in the first sample, and all values.
    """
    batch = max(1, len(x) // MAX_DEALT_RUNS)
    x, y = (_batches(values, batch) for values in (x, y))
    pool = np.concatenate([x, y])
    least, span = pool.min(), np.ptp(pool)
    levels = min(LEVELS, 2**30 // len(pool))  # squares of sums stay below 2^63
    return len(x), np.rint((pool - least) / (span if span > 0.0 else 1.0) * levels)


def _batches(values: np.ndarray, batch: int) -> np.ndarray:
    """Return the means of batches of ``batch`` consecutive runs."""
    whole = len(values) // batch * batch
    return np.add.accumulate(values[:whole].reshape(-1, batch), axis=1)[:, -1] / batch


def _statistics(pools: np.ndarray, dealt: np.ndarray) -> np.ndarray:
    """Return the absolute Welch statistics, array (s, p), of the pairs ``pools`` (p, N) in the
    shuffles ``dealt`` (s, N).

    Sums of integers below 2^53 are exact in float64, so the order in which a matrix product adds
    does not matter.
    """
    n = int(dealt[0].sum())
    m = pools.shape[1] - n
    weights = dealt.astype(float)
    sums, squares = ((weights @ x.T).astype(np.int64) for x in (pools, pools * pools))
    rest, rest_squares = (
        x.sum(axis=1).astype(np.int64) - part
        for x, part in ((pools, sums), (pools * pools, squares))
    )
    difference = np.abs(sums * m - rest * n) / (n * m)
    error = np.sqrt(
        (n * squares - sums * sums) / (n * n * (n - 1.0))
        + (m * rest_squares - rest * rest) / (m * m * (m - 1.0))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference > 0.0, difference / error, 0.0)
