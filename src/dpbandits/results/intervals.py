"""Confidence intervals: of a mean by Student's t, of a probability by Clopper and Pearson."""

from __future__ import annotations

import numpy as np

# scipy.special is imported where it is used, since that takes a while


def half_width(std: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Half the width of the 95 % interval of a mean (Student's t), NaN for a single value.

    Args:
        std: standard deviation of the sample.
        n: its size.
    """
    from scipy.special import stdtrit

    size = np.asarray(n, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return stdtrit(size - 1.0, 0.975) * std / np.sqrt(size)


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
