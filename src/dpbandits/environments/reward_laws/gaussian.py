"""Normal rewards, seen as they are or through a sigmoid."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from ...validation import as_number
from .. import laws
from .arm import Arm, positive
from .integrals import REACH, integral


def gaussian(mean: Any, sd: Any) -> Arm:
    """Return an arm with normal rewards of the given mean and standard deviation."""
    mu, sigma = as_number("mean", mean), positive("sd", sd)
    moment = partial(gaussian_moment, mu, sigma)
    return Arm(laws.GAUSSIAN, (mu, sigma), mu, -math.inf, math.inf, moment)


def sigmoid_gaussian(mean: Any, sd: Any) -> Arm:
    """Return an arm with rewards 1/(1 + e^-x) for a normal x; the mean of x defines the regret."""
    mu, sigma = as_number("mean", mean), positive("sd", sd)
    moment = partial(sigmoid_gaussian_moment, mu, sigma)
    return Arm(laws.SIGMOID_GAUSSIAN, (mu, sigma), mu, 0.0, 1.0, moment)


def gaussian_moment(mean: float, sd: float, q: float, c: float) -> float:
    """Return E|X - c|^q for a normal law by Kummer's 1F1 (Winkelbauer 2012); for a distant c, by
    two terms of its expansion.
    """
    from scipy.special import hyp1f1  # slow to import and rarely needed

    d = abs(mean - c) / sd
    if d > 1e4:  # the next term is of order (q/d)^4, while 1F1 of d^2 may overflow
        return float(abs(mean - c) ** q * (1 + q * (q - 1) / 2 / d / d))
    return float(central_gaussian(sd, q) * hyp1f1(-q / 2, 0.5, -d * d / 2))


def central_gaussian(sd: float, q: float) -> float:
    """Return sd^q 2^(q/2) Gamma((q+1)/2) / sqrt(pi), the moment of a normal law about its mean."""
    return sd**q * 2 ** (q / 2) * math.gamma((q + 1) / 2) / math.sqrt(math.pi)


def sigmoid_gaussian_moment(mean: float, sd: float, q: float, c: float) -> float:
    """Return E|X - c|^q for X = 1/(1 + e^-(mean + sd Z)) by an integral over the normal Z."""
    from scipy.special import expit

    if c > 0.5:
        return sigmoid_gaussian_moment(-mean, sd, q, 1 - c)

    def f(z: float) -> float:
        return math.exp(-z * z / 2) * abs(expit(mean + sd * z) - c) ** q

    middle = -mean / sd
    top = min(max(middle, 0.0), q * sd)
    kink = (math.log(c / (1 - c)) - mean) / sd if c > 0 else top
    return integral(f, -REACH, top + REACH, kink, middle, 0.0, top) / math.sqrt(2 * math.pi)
