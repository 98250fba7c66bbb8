"""Whether a sample has a law, and whether two samples may have one law."""

import numpy as np
from helpers import P_VALUE
from scipy import stats


def assert_law(x, law, *wrong):
    """A sample has a law of SciPy and, as a control, none of those that are wrong."""
    assert stats.kstest(x, law.cdf).pvalue > P_VALUE
    for other in wrong:
        assert stats.kstest(x, other.cdf).pvalue < 1e-9


def apart(first, second):
    """The most standard errors by which the means of the columns of two samples differ.

    Samples are arrays of a row a run; a column that is constant in both has no other error than
    that of rounding.
    """
    x, y = (np.asarray(sample, dtype=float) for sample in (first, second))
    error = np.sqrt(x.var(axis=0, ddof=1) / len(x) + y.var(axis=0, ddof=1) / len(y))
    gap = np.abs(x.mean(axis=0) - y.mean(axis=0))
    return float(np.max(gap / np.maximum(error, 1e-9 + 1e-9 * gap)))


def apart_in_sizes(first, second):
    """The larger of ``apart`` of numbers and of their logarithms, for laws with heavy tails."""
    return max(apart(first, second), apart(np.log1p(first), np.log1p(second)))
