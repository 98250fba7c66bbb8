"""Check whether a sample has a given law, and whether two samples may have the same law."""

import numpy as np
from helpers import P_VALUE
from scipy import stats


def assert_law(x, law, *wrong):
    """Assert that a sample has a law of SciPy and, as a control, none of some wrong laws."""
    assert stats.kstest(x, law.cdf).pvalue > P_VALUE
    for other in wrong:
        assert stats.kstest(x, other.cdf).pvalue < 1e-9


def apart(first, second):
    """Return by how many standard errors the means of two samples differ, in the column where they
    differ most.

    A sample is an array with a row for each run. For a column that is constant in both samples,
    only the error of rounding counts.
    """
    x, y = (np.asarray(sample, dtype=float) for sample in (first, second))
    error = np.sqrt(x.var(axis=0, ddof=1) / len(x) + y.var(axis=0, ddof=1) / len(y))
    gap = np.abs(x.mean(axis=0) - y.mean(axis=0))
    return float(np.max(gap / np.maximum(error, 1e-9 + 1e-9 * gap)))


def apart_in_sizes(first, second):
    """Return the larger of ``apart`` for the numbers and for their logarithms, for laws with heavy
    tails.
    """
    return max(apart(first, second), apart(np.log1p(first), np.log1p(second)))
