"""Rewards of Student's t-distribution."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from ...validation import as_number
from .. import laws
from .arm import Arm, finite_mean, positive
from .gaussian import central_gaussian, gaussian_moment
from .integrals import FALL, REACH, integral

NORMAL = 1e10  # with more degrees of freedom, the law is treated as normal


def student(mean: Any, scale: Any, df: Any) -> Arm:
    """Return an arm with ``mean`` plus ``scale`` times Student's t of ``df`` degrees of freedom."""
    mu, sigma, nu = as_number("mean", mean), positive("scale", scale), finite_mean("df", df)
    moment = partial(student_moment, mu, sigma, nu)
    return Arm(laws.STUDENT, (mu, sigma, nu), mu, -math.inf, math.inf, moment)


def student_moment(mean: float, scale: float, df: float, q: float, c: float) -> float:
    """Return E|X - c|^q for Student's t: in closed form if c = mean or q = 2, else by an integral
    over u, where X = mean + r sinh u.
    """
    from scipy.special import betaln, poch

    if q >= df:
        return math.inf
    if q == 2:
        return float(scale**2 * df / (df - 2) + (mean - c) ** 2)
    if df > NORMAL:
        return gaussian_moment(mean, scale, q, c)
    r = scale * math.sqrt(df)
    far = abs(mean - c) / r
    if far == 0:
        return float(central_gaussian(r / math.sqrt(2), q) / poch((df - q) / 2, q / 2))

    def f(u: float) -> float:
        sinh, away = -math.expm1(-2 * u) / 2, far * math.exp(-u)
        weight = math.exp((q - df) * u - df * math.log1p(-sinh))
        return weight * (abs(sinh - away) ** q + (sinh + away) ** q)

    width, kink = 1 / math.sqrt(df), math.asinh(far)
    stop = kink + REACH * width + FALL / (df - q)
    whole = integral(f, 0.0, stop, kink, kink + FALL, width, REACH * width)
    return float(r**q * whole * math.exp(-betaln(0.5, df / 2)))
