"""One arm's law from its parameters, with its true mean and the range of its rewards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import BadInput, plain
from ..inputs import as_number, numbers
from .laws import BETA, DISCRETE, GAUSSIAN, SIGMOID_GAUSSIAN, TWO_POINT, UNIFORM


@dataclass(frozen=True)
class Arm:
    """An arm.

    Attributes:
        law: its law's number in laws.py.
        parameters: that law's parameters; for a discrete law they are filled in later.
        mean: the mean that regret is measured with.
        low: the least reward.
        high: the largest reward.
        points: values and probabilities of a discrete law.
    """

    law: int
    parameters: tuple[float, ...]
    mean: float
    low: float
    high: float
    points: tuple[tuple[float, float], ...] = ()


def two_point(low: float, high: float, p: float) -> Arm:
    """``high`` with probability p, else ``low``."""
    return Arm(TWO_POINT, (low, high, p), low + (high - low) * p, min(low, high), max(low, high))


def bernoulli(mean: Any) -> Arm:
    """1 with probability ``mean``, else 0."""
    p = as_number("mean", mean)
    if not 0 <= p <= 1:
        raise BadInput(f"mean={plain(mean)}: a Bernoulli mean lies in [0, 1]")
    return two_point(0.0, 1.0, p)


def gaussian(mean: Any, sd: Any) -> Arm:
    """Normal with the given mean and standard deviation."""
    mu, sigma = as_number("env.means", mean), positive("env.sd", sd)
    return Arm(GAUSSIAN, (mu, sigma), mu, -math.inf, math.inf)


def sigmoid_gaussian(mean: Any, sd: Any) -> Arm:
    """1/(1 + e^-x) of a normal x; its regret is measured with the mean of x."""
    arm = gaussian(mean, sd)
    return Arm(SIGMOID_GAUSSIAN, arm.parameters, arm.mean, 0.0, 1.0)


def uniform(low: Any, high: Any) -> Arm:
    """Uniform on [low, high]."""
    x, y = as_number("low", low), as_number("high", high)
    if x >= y:
        raise BadInput(f"low={plain(low)}, high={plain(high)}: low must lie below high")
    return Arm(UNIFORM, (x, y), (x + y) / 2, x, y)


def beta(a: Any, b: Any) -> Arm:
    """Beta(a, b) on [0, 1]."""
    x, y = positive("a", a), positive("b", b)
    return Arm(BETA, (x, y), x / (x + y), 0.0, 1.0)


def discrete(values: Any, probabilities: Any) -> Arm:
    """A value out of several, with given probabilities."""
    x, p = numbers("values", values), numbers("probabilities", probabilities)
    shares_of_one("probabilities", p, len(x))
    mean = math.fsum(value * share for value, share in zip(x, p, strict=True))
    return Arm(DISCRETE, (), mean, min(x), max(x), tuple(zip(x, p, strict=True)))


def shares_of_one(key: str, shares: Sequence[float], count: int) -> None:
    """Refuse shares that are not ``count`` numbers of at least 0 that sum to 1."""
    if len(shares) != count:
        raise BadInput(f"{key}={plain(shares)}: {count} shares are needed, one for each value")
    if min(shares) < 0 or abs(math.fsum(shares) - 1) > 1e-9:
        raise BadInput(
            f"{key}={plain(shares)}: shares of at least 0 that sum to 1 are needed, "
            f"not to {math.fsum(shares):g}"
        )


def positive(key: str, value: Any) -> float:
    """A finite number above 0."""
    x = as_number(key, value)
    if x <= 0:
        raise BadInput(f"{key}={plain(value)}: a number above 0 is needed")
    return x
