"""What Sajed & Sheffet 2019 prove of stopping times."""

from __future__ import annotations

import math


def upper_bound(mu: float, eps: float, a: float, beta: float, R: float = 1.0) -> float | None:
    """DP exponential NAS halts by this time with probability 1 - beta (Theorem 3.3).

    ``2000 (t0 + t1 + t2)``, for any law on [-R, R].

    Args:
        mu: the mean.
        eps: privacy budget; infinite for none.
        a: relative error.
        beta: probability of failure.
        R: largest absolute value of a sample.

    Returns:
        A number of samples; None where the theorem says nothing: for mu = 0, beta > 0.08 and
        R < e a |mu|.
    """
    m = abs(mu)
    if m == 0 or beta > 0.08 or R / (a * m) < math.e:
        return None
    x = math.log(math.log(R / (a * m)) / beta)
    t0 = R**2 * x / (a * m) ** 2
    t1 = R * x / (eps * m)
    t2 = R * math.log(1 / beta) / (eps * a * m)
    return 2000 * (t0 + t1 + t2)


def lower_bound(mu: float, eps: float, a: float, beta: float, R: float = 1.0) -> float | None:
    """Any eps-DP rule of this error and confidence halts later with probability over 1/4
    (Theorem 3.4).

    ``R ln(1/beta) / (12 a |mu| eps)``, for the law on {-R, R} with mean mu. The arguments are
    those of ``upper_bound``.

    Returns:
        A number of samples; None where the theorem says nothing: for mu = 0 and beta >= 1/4.
    """
    if mu == 0 or beta >= 0.25:
        return None
    return R * math.log(1 / beta) / (12 * a * abs(mu) * eps)
