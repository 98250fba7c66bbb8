"""Integrals for the absolute moments E|X - c|^q of reward laws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# An integrand is neglected where it is below e^-FALL times its peak, or more than REACH standard
# deviations away from the peak
FALL = 45.0
REACH = 13.0
ERROR = 1e-8


def integral(f: Callable[[float], float], start: float, stop: float, *points: float) -> float:
    """Compute the integral of a positive f with kinks and peaks at ``points``.

    Raises:
        ArithmeticError: the relative error may exceed ERROR.
    """
    from scipy.integrate import quad  # importing it takes longer than the rest of a run's start

    breaks = [start, stop]
    for x in points:
        # quad fails on an empty interval
        if start < x < stop and min(abs(x - y) for y in breaks) > 1e-12 * (stop - start):
            breaks.append(x)
    with np.errstate(over="ignore", invalid="ignore"):
        whole, error = quad(
            f, start, stop, points=breaks[2:], epsabs=0, epsrel=1e-12, limit=400, full_output=1
        )[:2]
    if not error <= ERROR * whole:
        raise ArithmeticError(f"the integral of a moment is {whole:g} +- {error:g}")
    return float(whole)


def of_quantile(quantile: Callable[[float], float], q: float, c: float) -> float:
    """Return E|X - c|^q for a quantile function Q: the integral of |Q(u) - c|^q over (0, 1)."""

    def f(u: float) -> float:
        return abs(quantile(u) - c) ** q

    kink = _crossing(quantile, c)
    return integral(f, 0.0, kink) + integral(f, kink, 1.0)


def mean_of_quantile(quantile: Callable[[float], float]) -> float:
    """Return the mean of the law with a quantile function Q: the integral of Q(u) over (0, 1),
    computed as the integral of the positive part minus the integral of the negative part.
    """
    kink = _crossing(quantile, 0.0)
    above = integral(lambda u: max(quantile(u), 0.0), kink, 1.0)
    return above - integral(lambda u: max(-quantile(u), 0.0), 0.0, kink)


def _crossing(quantile: Callable[[float], float], c: float) -> float:
    """Return the u in [0, 1] at which a quantile function passes ``c``, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if quantile(middle) > c else (middle, high)
    return low
