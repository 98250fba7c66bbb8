"""Two values, one value, and Bernoulli rewards."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from ...validation import as_number, number_where
from .. import laws
from .arm import Arm


def two_point(low: Any, high: Any, p: Any) -> Arm:
    """``high`` with probability p, else ``low``."""
    x, y = as_number("low", low), as_number("high", high)
    share = number_where("p", p, lambda p: 0 <= p <= 1, "a probability lies in [0, 1]")
    moment = partial(two_point_moment, x, y, share)
    return Arm(laws.TWO_POINT, (x, y, share), x + (y - x) * share, min(x, y), max(x, y), moment)


def point_mass(value: Any) -> Arm:
    """A constant reward."""
    return two_point(value, value, 1.0)


def largest(value: Any) -> Arm:
    """An outlier of an adversary who knows at which level the algorithm truncates: that level, and
    ``value`` where nothing is truncated.
    """
    x = as_number("value", value)
    moment = partial(two_point_moment, x, x, 1.0)
    return Arm(laws.LARGEST, (x,), x, -math.inf, math.inf, moment)


def bernoulli(mean: Any) -> Arm:
    """1 with probability ``mean``, else 0."""
    needed = "a Bernoulli mean lies in [0, 1]"
    return two_point(0.0, 1.0, number_where("mean", mean, lambda p: 0 <= p <= 1, needed))


def two_point_moment(low: float, high: float, p: float, q: float, c: float) -> float:
    """``high`` with probability p, else ``low``: a sum of two terms."""
    return float((1 - p) * abs(low - c) ** q + p * abs(high - c) ** q)
