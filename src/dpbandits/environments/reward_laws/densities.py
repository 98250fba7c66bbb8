"""Laws with a density: normal (also through a sigmoid), log-normal, Student, Pareto and others."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from ...errors import BadInput, plain
from ...validation import as_number
from .. import laws
from .arm import Arm, finite_mean, positive
from .integrals import FALL, REACH, integral

NORMAL = 1e10  # with more degrees of freedom, Student's law is treated as normal


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
    """Return E|X - c|^q for a normal law, by Kummer's function 1F1 (Winkelbauer 2012). If c is far
    from the mean, two terms of the expansion in powers of sd/|mean - c| are used.
    """
    from scipy.special import hyp1f1  # the import is slow and rarely needed

    d = abs(mean - c) / sd
    if d > 1e4:  # here the next term of the series is of order (q/d)^4, and 1F1 of d^2 may overflow
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


def lognormal(mean: Any, sigma: Any) -> Arm:
    """Return a log-normal arm with this mean; ``sigma`` is the sd of the logarithm of a reward."""
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


def uniform(low: Any, high: Any) -> Arm:
    """Return an arm with rewards that are uniform on [low, high]."""
    x, y = as_number("low", low), as_number("high", high)
    if x >= y:
        raise BadInput(f"low={plain(low)}, high={plain(high)}: low must lie below high")
    return Arm(laws.UNIFORM, (x, y), (x + y) / 2, x, y, partial(uniform_moment, x, y))


def uniform_moment(low: float, high: float, q: float, c: float) -> float:
    """Return E|X - c|^q for the uniform law on [low, high], from the distances of c to the ends."""
    width = high - low
    near, far = sorted((abs(low - c), abs(high - c)))
    if far <= width:
        return float((near ** (q + 1) + far ** (q + 1)) / ((q + 1) * width))
    # for a c far from the interval, the difference of the two powers would lose its digits
    gap = -math.expm1((q + 1) * math.log1p(-width / far))
    return float(far**q * (far / width) * gap / (q + 1))
