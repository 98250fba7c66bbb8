"""Log-normal rewards."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from ...errors import BadInput, plain
from .. import laws
from .arm import Arm, positive
from .integrals import REACH, integral


def lognormal(mean: Any, sigma: Any) -> Arm:
    """Return a log-normal arm with the given mean; ``sigma`` is the sd of a reward's logarithm."""
    mu, sd = positive("mean", mean), positive("sigma", sigma)
    log = math.log(mu) - sd * sd / 2
    if math.isinf(log):
        raise BadInput(f"sigma={plain(sigma)}: its square is larger than any float")
    return Arm(laws.LOGNORMAL, (log, sd), mu, 0.0, math.inf, partial(lognormal_moment, log, sd))


def lognormal_moment(mu: float, sigma: float, q: float, c: float) -> float:
    """Return E|X - c|^q for X = e^(mu + sigma Z): in closed form if c = 0, else by an integral over
    the normal Z.
    """
    if c == 0:
        return math.exp(q * mu + (q * sigma) ** 2 / 2)
    r = c * math.exp(-mu)

    def f(z: float) -> float:
        up = max(0.0, sigma * z)
        return math.exp(q * up - z * z / 2) * abs(math.exp(sigma * z - up) - r * math.exp(-up)) ** q

    top, kink = q * sigma, (math.log(abs(c)) - mu) / sigma
    whole = integral(f, -REACH, top + REACH, kink, 0.0, top)
    return math.exp(q * mu) * whole / math.sqrt(2 * math.pi)
