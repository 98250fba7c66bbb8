"""``runs=auto``: the number of runs after which the mean of a setting is precise enough.

The runs of a setting are examined in their order, after a few fixed numbers of runs only (the
looks, ``Auto.looks``), however many runs are stored. Playing ends at the first look at which the
runs are enough (``enough``). Each of K looks uses 1/K of the error level of an interval
(Bonferroni). So with 95 % the intervals of all looks contain the mean at once, and so does the
interval of the look at which playing ends.
"""

from __future__ import annotations

import numpy as np

from .intervals import AMPLE, SAME, TAIL, interval_of_mean, mean_of_runs, tail_is_seen


def enough(values: np.ndarray, precision: float, looks: int) -> bool:
    """Return whether values, float64 array (n,), are enough for the given precision.

    They are enough if they show the tail of their law, no value dominates, and half of the width of
    the interval of the mean is at most ``precision`` times the mean. A value dominates if fewer
    than AMPLE values differ from it: then chance decides how many do.
    """
    column = values[:, np.newaxis]
    differ = np.abs(values - np.median(values)) > SAME * np.abs(values).max()
    if not tail_is_seen(column)[0] or differ.sum() < AMPLE:
        return False
    low, high = interval_of_mean(column, TAIL / looks)
    return bool((high - low)[0] / 2 <= precision * abs(mean_of_runs(column)[0]))
