"""Absolute moments of reward laws, E|X - c|^q, in closed form or by quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

# an integrand is neglected e^-FALL below its peak, or REACH standard deviations away from it
FALL = 45.0
REACH = 13.0
ERROR = 1e-8
NORMAL = 1e10  # with more degrees of freedom, Student's t is treated as normal


def two_point(low: float, high: float, p: float, q: float, c: float) -> float:
    """``high`` with probability p, else ``low``: a sum of two terms."""
    return float((1 - p) * abs(low - c) ** q + p * abs(high - c) ** q)


def discrete(values: np.ndarray, shares: np.ndarray, q: float, c: float) -> float:
    """Values with given probabilities: a sum, in an order that no BLAS chooses."""
    with np.errstate(over="ignore"):
        return float((shares * np.abs(np.asarray(values) - c) ** q).sum())


def gaussian(mean: float, sd: float, q: float, c: float) -> float:
    """Normal: Kummer's 1F1 (Winkelbauer 2012); for a distant c, two terms of its expansion."""
    from scipy.special import hyp1f1  # slow to import and rarely needed

    d = abs(mean - c) / sd
    if d > 1e4:  # the next term is of order (q/d)^4, while 1F1 of d^2 may overflow
        return float(abs(mean - c) ** q * (1 + q * (q - 1) / 2 / d / d))
    return float(central_gaussian(sd, q) * hyp1f1(-q / 2, 0.5, -d * d / 2))


def central_gaussian(sd: float, q: float) -> float:
    """sd^q 2^(q/2) Gamma((q+1)/2) / sqrt(pi), the moment of a normal law about its mean."""
    return sd**q * 2 ** (q / 2) * math.gamma((q + 1) / 2) / math.sqrt(math.pi)


def uniform(low: float, high: float, q: float, c: float) -> float:
    """Uniform on [low, high]: closed form in the distances of c to both ends."""
    width = high - low
    near, far = sorted((abs(low - c), abs(high - c)))
    if far <= width:
        return float((near ** (q + 1) + far ** (q + 1)) / ((q + 1) * width))
    # the difference of the two powers would cancel for a distant c
    gap = -math.expm1((q + 1) * math.log1p(-width / far))
    return float(far**q * (far / width) * gap / (q + 1))


def beta(a: float, b: float, q: float, c: float) -> float:
    """Beta(a, b): B(a+q, b) / B(a, b) if c = 0, else an integral over logit X."""
    from scipy.special import betaln, expit, log_expit, poch

    if c > 0.5:
        return beta(b, a, q, 1 - c)
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


def pareto(shape: float, scale: float, q: float, c: float) -> float:
    """P(X > x) = (scale/x)^shape: closed if c = 0, else an integral over log(X/scale)."""
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


def student(mean: float, scale: float, df: float, q: float, c: float) -> float:
    """Student's t: closed if c = mean or q = 2, else an integral over u, X = mean + r sinh u."""
    from scipy.special import betaln, poch

    if q >= df:
        return math.inf
    if q == 2:
        return float(scale**2 * df / (df - 2) + (mean - c) ** 2)
    if df > NORMAL:
        return gaussian(mean, scale, q, c)
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


def lognormal(mu: float, sigma: float, q: float, c: float) -> float:
    """e^(mu + sigma Z): closed if c = 0, else an integral over the normal Z."""
    if c == 0:
        return math.exp(q * mu + (q * sigma) ** 2 / 2)
    r = c * math.exp(-mu)

    def f(z: float) -> float:
        up = max(0.0, sigma * z)
        return math.exp(q * up - z * z / 2) * abs(math.exp(sigma * z - up) - r * math.exp(-up)) ** q

    top, kink = q * sigma, (math.log(abs(c)) - mu) / sigma
    whole = integral(f, -REACH, top + REACH, kink, 0.0, top)
    return math.exp(q * mu) * whole / math.sqrt(2 * math.pi)


def sigmoid_gaussian(mean: float, sd: float, q: float, c: float) -> float:
    """1/(1 + e^-(mean + sd Z)): an integral over the normal Z."""
    from scipy.special import expit

    if c > 0.5:
        return sigmoid_gaussian(-mean, sd, q, 1 - c)

    def f(z: float) -> float:
        return math.exp(-z * z / 2) * abs(expit(mean + sd * z) - c) ** q

    middle = -mean / sd
    top = min(max(middle, 0.0), q * sd)
    kink = (math.log(c / (1 - c)) - mean) / sd if c > 0 else top
    return integral(f, -REACH, top + REACH, kink, middle, 0.0, top) / math.sqrt(2 * math.pi)


def integral(f: Callable[[float], float], start: float, stop: float, *points: float) -> float:
    """The integral of a positive f with kinks and peaks at ``points``.

    Raises:
        ArithmeticError: its relative error may exceed ERROR.
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
    """A quantile function Q: the integral of |Q(u) - c|^q over (0, 1)."""

    def f(u: float) -> float:
        return abs(quantile(u) - c) ** q

    kink = _crossing(quantile, c)
    return integral(f, 0.0, kink) + integral(f, kink, 1.0)


def mean_of_quantile(quantile: Callable[[float], float]) -> float:
    """A quantile function Q: the integral of Q(u) over (0, 1), which is that of its positive part
    minus that of its negative part.
    """
    kink = _crossing(quantile, 0.0)
    above = integral(lambda u: max(quantile(u), 0.0), kink, 1.0)
    return above - integral(lambda u: max(-quantile(u), 0.0), 0.0, kink)


def _crossing(quantile: Callable[[float], float], c: float) -> float:
    """The place in [0, 1] where a quantile function passes c, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if quantile(middle) > c else (middle, high)
    return low
