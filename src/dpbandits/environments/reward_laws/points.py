"""Laws on finitely many values: two values, one value, values with probabilities, or a list."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...errors import BadInput, plain
from ...validation import as_number, number_where, numbers
from .. import laws
from .arm import Arm

MAX_DISCRETE_VALUES = 32  # an empirical law with more values is drawn as EMPIRICAL, not as DISCRETE


def two_point(low: Any, high: Any, p: Any) -> Arm:
    """Return an arm with the reward ``high`` with probability p, else ``low``."""
    x, y = as_number("low", low), as_number("high", high)
    share = number_where("p", p, lambda p: 0 <= p <= 1, "a probability lies in [0, 1]")
    moment = partial(two_point_moment, x, y, share)
    return Arm(laws.TWO_POINT, (x, y, share), x + (y - x) * share, min(x, y), max(x, y), moment)


def point_mass(value: Any) -> Arm:
    """Return an arm with a constant reward."""
    x = as_number("value", value)
    return two_point(x, x, 1.0)


def bernoulli(mean: Any) -> Arm:
    """Return an arm with the reward 1 with probability ``mean``, else 0."""
    needed = "a Bernoulli mean lies in [0, 1]"
    return two_point(0.0, 1.0, number_where("mean", mean, lambda p: 0 <= p <= 1, needed))


def largest(value: Any) -> Arm:
    """Return the law of outliers that an adversary chooses, who knows the truncation level of the
    algorithm. An outlier equals this level, or ``value`` if the algorithm truncates nothing.
    """
    x = as_number("value", value)
    moment = partial(two_point_moment, x, x, 1.0)
    return Arm(laws.LARGEST, (x,), x, -math.inf, math.inf, moment)


def discrete(values: Any, probabilities: Any) -> Arm:
    """Return an arm with finitely many values of given probabilities."""
    x, p = numbers("values", values), numbers("probabilities", probabilities)
    shares_of_one("probabilities", p, len(x))
    return of_points(laws.DISCRETE, x, p)


def empirical(values: Sequence[float] | np.ndarray) -> Arm:
    """Return an arm with the uniform distribution on a list of values."""
    ordered = np.sort(np.asarray(values, dtype=float))
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    if len(starts) <= MAX_DISCRETE_VALUES:
        counts = np.diff(np.append(starts, len(ordered)))
        return of_points(laws.DISCRETE, ordered[starts], counts / len(ordered))
    # this array takes only the memory of one number
    share = np.broadcast_to(1 / len(ordered), len(ordered))
    return of_points(laws.EMPIRICAL, ordered, share)


def of_points(law: int, x: Sequence[float] | np.ndarray, p: Sequence[float] | np.ndarray) -> Arm:
    """Return the arm of a law given by values and their probabilities."""
    values, shares = np.asarray(x, dtype=float), np.asarray(p, dtype=float)
    mean = math.fsum(memoryview(values * shares))
    moment = partial(discrete_moment, values, shares)
    points = np.column_stack([values, shares])
    return Arm(law, (), mean, float(values.min()), float(values.max()), moment, points)


def shares_of_one(key: str, shares: Sequence[float], count: int) -> None:
    """Raise BadInput unless shares are ``count`` non-negative numbers with sum 1."""
    if len(shares) != count:
        raise BadInput(f"{key}={plain(shares)}: {count} shares are needed, one for each value")
    if min(shares) < 0 or abs(math.fsum(shares) - 1) > 1e-9:
        raise BadInput(
            f"{key}={plain(shares)}: shares of at least 0 whose sum is 1 are needed; "
            f"the sum is {math.fsum(shares):g}"
        )


def discrete_moment(values: np.ndarray, shares: np.ndarray, q: float, c: float) -> float:
    """Return E|X - c|^q of a discrete law, without BLAS, whose order of summation varies."""
    with np.errstate(over="ignore"):
        return float((shares * np.abs(np.asarray(values) - c) ** q).sum())


def two_point_moment(low: float, high: float, p: float, q: float, c: float) -> float:
    """Return E|X - c|^q for ``high`` with probability p, else ``low``: a sum of two terms."""
    return float((1 - p) * abs(low - c) ** q + p * abs(high - c) ** q)
