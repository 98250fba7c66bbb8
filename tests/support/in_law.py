"""Whether a sample has a law, and whether two samples may have one law."""

import math

import numpy as np
from helpers import P_VALUE
from scipy import stats


def p_value(x, law):
    """The p-value of a sample to have a law: Kolmogorov-Smirnov for one with a density, as SciPy
    has it, chi-square for integers and for the chances of some values, ``{value: chance}``.
    """
    if isinstance(law, dict):
        possible = {x: chance for x, chance in law.items() if chance > 0}
        values, chances = [*possible], [*possible.values()]
    elif isinstance(getattr(law, "dist", None), stats.rv_discrete):
        values = np.arange(law.ppf(0.001), law.ppf(0.999) + 1)
        chances = [*law.pmf(values)]
    else:
        return stats.kstest(x, law.cdf).pvalue
    seen = [np.sum(np.asarray(x) == value) for value in values]
    other, chance = len(x) - sum(seen), 1 - math.fsum(chances)
    if chance > 1e-9:
        seen, chances = [*seen, other], [*chances, chance]
    elif other:
        return 0.0
    return stats.chisquare(seen, len(x) * np.array(chances)).pvalue if len(seen) > 1 else 1.0


def assert_law(x, law, *wrong):
    """A sample has a law and, as a control, none of those that are wrong."""
    assert p_value(x, law) > P_VALUE
    for other in wrong:
        assert p_value(x, other) < 1e-9


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
