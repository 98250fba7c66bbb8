"""Whether two samples may have one law: how many standard errors lie between their means."""

import numpy as np


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
