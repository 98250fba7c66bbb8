"""The divergence under global DP and its index, against minimisation and bisection."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from dpbandits.parts.indices.private_divergence import private_divergence, private_upper
from dpbandits.parts.indices.radii import bernoulli_kl, kl_upper

ENDS = [0.0, 1e-3, 0.999, 1.0]


def pairs(n):
    rng = np.random.default_rng(2)
    for _ in range(n):
        x, y = (rng.choice(ENDS) if rng.random() < 0.2 else rng.random() for _ in range(2))
        yield float(x), float(y), float(10 ** rng.uniform(-3, 1.5))


@pytest.mark.slow
def test_the_divergence_is_the_minimum():
    """20,000 random cases against Brent's method, ends included."""
    kinds = set()
    for x, y, eps in pairs(20_000):
        low, high = min(x, y), max(x, y)

        def cost(z, x=x, y=y, eps=eps):
            return eps * abs(z - x) + bernoulli_kl(z, y)

        least = min(cost(x), cost(y))
        if low < high and 0 < y < 1:  # else every z but y costs infinitely much
            options = {"xatol": 1e-12 * (high - low)}
            found = minimize_scalar(cost, bounds=(low, high), method="bounded", options=options)
            least = min(least, found.fun)
        d = private_divergence(x, y, eps)
        assert d <= least * (1 + 1e-11) + 1e-14, (x, y, eps)
        # Brent stops early at an end
        assert d == pytest.approx(least, rel=1e-5, abs=1e-12), (x, y, eps)
        assert 0 <= d <= min(bernoulli_kl(x, y), eps * abs(x - y)) * (1 + 1e-12) + 1e-15
        kinds.add(d == bernoulli_kl(x, y))
    assert kinds == {True, False}


def test_the_index_solves_the_divergence():
    """5,000 random cases: d is at most c at the index, and above c beyond it."""
    kinds = set()
    for x, _, eps in pairs(5000):
        c = 10 ** np.random.default_rng([int(1e9 * x), int(1e6 * eps)]).uniform(-6, 1)
        q = private_upper(x, c, eps)
        assert x <= q + 1e-12 and q <= 1
        assert private_divergence(x, max(q - 1e-11, x), eps) <= c * (1 + 1e-9) + 1e-12
        if q < 1:
            assert private_divergence(x, min(q + 1e-9, 1.0), eps) >= c * (1 - 1e-9) - 1e-12
        kinds.add("one" if q == 1 else "kl" if q == kl_upper(x, c) else "private")
    assert kinds == {"one", "kl", "private"}


@pytest.mark.parametrize("eps", [1e-100, 1e-12, 800.0, 1e9, 1e300, math.inf])
def test_extreme_budgets(eps):
    for x in (0.0, 0.2, 1.0):
        for y in (0.0, 0.2, 0.7, 1.0):
            d = private_divergence(x, y, eps)
            kl = bernoulli_kl(x, y)
            linear = 0.0 if x == y else eps * abs(x - y)
            assert d == pytest.approx(min(kl, linear), rel=1e-9)
        for c in (1e-6, 0.3, 20.0):
            q = private_upper(x, c, eps)
            if eps < 1 and x < 1:
                assert q == 1.0
            elif c < eps * (1 - x):
                assert q == pytest.approx(kl_upper(x, c), rel=1e-9)
