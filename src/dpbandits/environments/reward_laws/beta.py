"""Beta rewards."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from .. import laws
from .arm import Arm, positive
from .integrals import FALL, REACH, integral


def beta(a: Any, b: Any) -> Arm:
    """Return an arm with the law Beta(a, b) on [0, 1]."""
    x, y = positive("a", a), positive("b", b)
    return Arm(laws.BETA, (x, y), x / (x + y), 0.0, 1.0, partial(beta_moment, x, y))


def beta_moment(a: float, b: float, q: float, c: float) -> float:
    """Return E|X - c|^q for Beta(a, b): B(a+q, b)/B(a, b) if c = 0, else by an integral over the
    logit of X.
    """
    from scipy.special import betaln, expit, log_expit, poch

    if c > 0.5:
        return beta_moment(b, a, q, 1 - c)
    if c == 0:
        return float(poch(a, q) / poch(a + b, q))
    total = betaln(a, b)

    def f(t: float) -> float:
        return math.exp(a * log_expit(t) + b * log_expit(-t) - total) * abs(expit(t) - c) ** q

    mode, spread = math.log(a / b), REACH * math.sqrt(1 / a + 1 / b)
    kink = math.log(c / (1 - c)) if c > 0 else mode
    least, most = min(mode, kink, 0.0), max(mode, kink, 0.0)
    start, stop = mode - spread - FALL / a, mode + spread + FALL / b
    return integral(f, start, stop, kink, mode, 0.0, least - FALL, most + FALL)
