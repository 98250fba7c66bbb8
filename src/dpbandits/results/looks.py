"""``runs=auto``: the number of runs after which the mean of a setting is precise enough.

The runs of a setting are looked at in their order, at a few numbers of runs only (``Auto.looks``),
whatever is stored. At the first look at which they are enough (``enough``), playing ends. Each of K
looks has 1/K of the error level of an interval (Bonferroni), so that with 95 % the intervals of all
looks contain the mean at once, and so does the interval of the look at which playing ends.
"""

from __future__ import annotations

import numpy as np

from .intervals import AMPLE, SAME, TAIL, interval_of_mean, mean_of_runs, tail_is_seen


def enough(values: np.ndarray, precision: float, looks: int) -> bool:
    """Whether values, float64 array (n,), are enough: they show the tail of their law, no value
    dominates, and half of the interval of the mean is at most ``precision`` times the mean.

    A value dominates if fewer than AMPLE values differ from it: then chance decides how many do.
    """
    column = values[:, np.newaxis]
    differ = np.abs(values - np.median(values)) > SAME * np.abs(values).max()
    if not tail_is_seen(column)[0] or differ.sum() < AMPLE:
        return False
    low, high = interval_of_mean(column, TAIL / looks)
    return bool((high - low)[0] / 2 <= precision * abs(mean_of_runs(column)[0]))
