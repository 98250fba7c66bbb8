"""Arms: a reward law with its true mean, its range and its absolute moments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..errors import BadInput, plain
from ..validation import as_number, number_where, numbers
from . import laws, moments

FEW = 32  # an empirical law with at most this many distinct values is drawn as a discrete law


@dataclass(frozen=True)
class Arm:
    """An arm."""

    law: int  # number of its law, as in laws.py
    # parameters of the law; empty for a law given by points, see ``instances``
    parameters: tuple[float, ...]
    mean: float  # the mean that defines the regret
    low: float  # the smallest reward
    high: float  # the largest reward
    # E|X - c|^q as a function of q and c, infinite if it does not exist
    moment: Callable[[float, float], float]
    # float64 array (points, 2), value and probability of each; None for other laws
    points: np.ndarray | None = None

    @property
    def reward_mean(self) -> float:
        """E X, which differs from ``mean`` for a law that is observed through a sigmoid."""
        return self.moment(1.0, 0.0) if self.law == laws.SIGMOID_GAUSSIAN else self.mean


def two_point(low: Any, high: Any, p: Any) -> Arm:
    """``high`` with probability p, else ``low``."""
    x, y = as_number("low", low), as_number("high", high)
    share = number_where("p", p, lambda p: 0 <= p <= 1, "a probability lies in [0, 1]")
    moment = partial(moments.two_point, x, y, share)
    return Arm(laws.TWO_POINT, (x, y, share), x + (y - x) * share, min(x, y), max(x, y), moment)


def point_mass(value: Any) -> Arm:
    """A constant reward."""
    return two_point(value, value, 1.0)


def largest(value: Any) -> Arm:
    """An outlier of an adversary who knows at which level the algorithm truncates: that level, and
    ``value`` where nothing is truncated.
    """
    x = as_number("value", value)
    moment = partial(moments.two_point, x, x, 1.0)
    return Arm(laws.LARGEST, (x,), x, -math.inf, math.inf, moment)


def bernoulli(mean: Any) -> Arm:
    """1 with probability ``mean``, else 0."""
    needed = "a Bernoulli mean lies in [0, 1]"
    return two_point(0.0, 1.0, number_where("mean", mean, lambda p: 0 <= p <= 1, needed))


def gaussian(mean: Any, sd: Any) -> Arm:
    """Normal with the given mean and standard deviation."""
    mu, sigma = as_number("mean", mean), positive("sd", sd)
    moment = partial(moments.gaussian, mu, sigma)
    return Arm(laws.GAUSSIAN, (mu, sigma), mu, -math.inf, math.inf, moment)


def sigmoid_gaussian(mean: Any, sd: Any) -> Arm:
    """1/(1 + e^-x) of a normal x; the mean of x defines the regret."""
    mu, sigma = as_number("mean", mean), positive("sd", sd)
    moment = partial(moments.sigmoid_gaussian, mu, sigma)
    return Arm(laws.SIGMOID_GAUSSIAN, (mu, sigma), mu, 0.0, 1.0, moment)


def uniform(low: Any, high: Any) -> Arm:
    """Uniform on [low, high]."""
    x, y = as_number("low", low), as_number("high", high)
    if x >= y:
        raise BadInput(f"low={plain(low)}, high={plain(high)}: low must lie below high")
    return Arm(laws.UNIFORM, (x, y), (x + y) / 2, x, y, partial(moments.uniform, x, y))


def beta(a: Any, b: Any) -> Arm:
    """Beta(a, b) on [0, 1]."""
    x, y = positive("a", a), positive("b", b)
    return Arm(laws.BETA, (x, y), x / (x + y), 0.0, 1.0, partial(moments.beta, x, y))


def pareto(mean: Any, shape: Any) -> Arm:
    """Pareto with P(X > x) = (scale/x)^shape; the scale is determined by the mean."""
    mu, s = positive("mean", mean), finite_mean("shape", shape)
    scale = mu * (s - 1) / s
    return Arm(laws.PARETO, (scale, 1 / s), mu, scale, math.inf, partial(moments.pareto, s, scale))


def student(mean: Any, scale: Any, df: Any) -> Arm:
    """``mean`` plus ``scale`` times Student's t with ``df`` degrees of freedom."""
    mu, sigma, nu = as_number("mean", mean), positive("scale", scale), finite_mean("df", df)
    moment = partial(moments.student, mu, sigma, nu)
    return Arm(laws.STUDENT, (mu, sigma, nu), mu, -math.inf, math.inf, moment)


def lognormal(mean: Any, sigma: Any) -> Arm:
    """Log-normal with the given mean; ``sigma`` is the standard deviation of its logarithm."""
    mu, sd = positive("mean", mean), positive("sigma", sigma)
    log = math.log(mu) - sd * sd / 2
    if math.isinf(log):
        raise BadInput(f"sigma={plain(sigma)}: its square is larger than any float")
    return Arm(laws.LOGNORMAL, (log, sd), mu, 0.0, math.inf, partial(moments.lognormal, log, sd))


def discrete(values: Any, probabilities: Any) -> Arm:
    """Finitely many values with given probabilities."""
    x, p = numbers("values", values), numbers("probabilities", probabilities)
    shares_of_one("probabilities", p, len(x))
    return of_points(laws.DISCRETE, x, p)


def empirical(values: Sequence[float] | np.ndarray) -> Arm:
    """The uniform distribution on a list of values."""
    ordered = np.sort(np.asarray(values, dtype=float))
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    if len(starts) <= FEW:
        counts = np.diff(np.append(starts, len(ordered)))
        return of_points(laws.DISCRETE, ordered[starts], counts / len(ordered))
    share = np.broadcast_to(1 / len(ordered), len(ordered))  # takes the memory of one number
    return of_points(laws.EMPIRICAL, ordered, share)


def of_points(law: int, x: Sequence[float] | np.ndarray, p: Sequence[float] | np.ndarray) -> Arm:
    """The arm of a law given by values and their probabilities."""
    values, shares = np.asarray(x, dtype=float), np.asarray(p, dtype=float)
    mean = math.fsum(memoryview(values * shares))
    moment = partial(moments.discrete, values, shares)
    points = np.column_stack([values, shares])
    return Arm(law, (), mean, float(values.min()), float(values.max()), moment, points)


def finite_mean(key: str, value: Any) -> float:
    """Validate the index of a power tail, which must exceed 1 for a finite mean."""
    needed = "above 1 is needed, or the mean is infinite"
    return number_where(key, value, lambda x: x > 1, needed)


def shares_of_one(key: str, shares: Sequence[float], count: int) -> None:
    """Raise BadInput unless shares are ``count`` non-negative numbers that sum to 1."""
    if len(shares) != count:
        raise BadInput(f"{key}={plain(shares)}: {count} shares are needed, one for each value")
    if min(shares) < 0 or abs(math.fsum(shares) - 1) > 1e-9:
        raise BadInput(
            f"{key}={plain(shares)}: shares of at least 0 that sum to 1 are needed, "
            f"not to {math.fsum(shares):g}"
        )


def positive(key: str, value: Any) -> float:
    """Validate a finite number above 0."""
    return number_where(key, value, lambda x: x > 0, "a number above 0 is needed")
