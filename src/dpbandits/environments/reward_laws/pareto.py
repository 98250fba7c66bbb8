"""Pareto rewards."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from .. import laws
from .arm import Arm, finite_mean, positive
from .integrals import FALL, integral


def pareto(mean: Any, shape: Any) -> Arm:
    """Return a Pareto arm with P(X > x) = (scale/x)^shape; the mean determines the scale."""
    mu, s = positive("mean", mean), finite_mean("shape", shape)
    scale = mu * (s - 1) / s
    return Arm(laws.PARETO, (scale, 1 / s), mu, scale, math.inf, partial(pareto_moment, s, scale))


def pareto_moment(shape: float, scale: float, q: float, c: float) -> float:
    """Return E|X - c|^q for P(X > x) = (scale/x)^shape: in closed form if c = 0, else by an
    integral over log(X/scale).
    """
    if q >= shape:
        return math.inf
    if c == 0:
        return float(scale**q * (shape / (shape - q)))
    excess = (c - scale) / scale

    def f(u: float) -> float:
        return math.exp((q - shape) * u) * abs(math.expm1(-u) + excess * math.exp(-u)) ** q

    kink = max(0.0, math.log(abs(c) / scale))
    stop = kink + FALL / (shape - q)
    return scale**q * shape * integral(f, 0.0, stop, kink, kink + FALL, 1 / shape, FALL / shape)
