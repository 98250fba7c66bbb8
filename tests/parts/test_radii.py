"""Radii and indices against their definitions."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq

from dpbandits.parts.indices.radii import bernoulli_kl, hoeffding, kl_upper, laplace_tail


def test_hoeffding_and_laplace_tail():
    assert hoeffding(8.0, 4.0) == 0.5
    assert laplace_tail(10.0, 0.5, 3.0) == 0.6
    assert laplace_tail(10.0, math.inf, 3.0) == 0.0


def test_kl_and_its_limits():
    assert bernoulli_kl(0.5, 0.25) == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert bernoulli_kl(0.3, 0.3) == 0.0
    assert bernoulli_kl(0.0, 0.5) == pytest.approx(math.log(2))
    assert bernoulli_kl(1.0, 0.5) == pytest.approx(math.log(2))
    assert bernoulli_kl(0.0, 0.0) == bernoulli_kl(1.0, 1.0) == 0.0
    assert bernoulli_kl(0.5, 1.0) == bernoulli_kl(0.5, 0.0) == math.inf


def test_kl_upper_solves_to_1e_10():
    for p in [0.0, 1e-12, 1e-6, 0.1, 0.3, 0.5, 0.9, 0.999999, 1 - 1e-12, 1.0]:
        for d in [0.0, 1e-14, 1e-8, 1e-3, 0.1, 0.5, 1.0, 3.0, 10.0, 50.0, 700.0]:
            q = kl_upper(p, d)
            assert p - 1e-10 <= q <= 1.0
            if p in (0.0, 1.0):
                expected = 1 - math.exp(-d) if p == 0.0 else 1.0
            else:
                expected = p + divergence_root(p, d)
            assert q == pytest.approx(expected, abs=1e-10), (p, d)


def test_an_index_below_another_need_not_be_exact():
    early = 0
    for p, d in itertools.product(np.linspace(0, 1, 21), (1e-8, 1e-3, 0.1, 1.0, 10.0)):
        q = kl_upper(p, d)
        for least in (q - 0.01, q, q + 1e-3, q + 0.1):
            near = kl_upper(p, d, least)
            assert near == q if q >= least else near < least
            early += near != q
    assert early > 50  # these are not exact


def divergence_root(p, d):
    """The x > 0 with kl(p, p + x) = d, by Brent's method; log1p keeps the digits of a small x."""

    def excess(x):
        return -p * math.log1p(x / p) - (1 - p) * math.log1p(-x / (1 - p)) - d

    top = (1 - p) * (1 - 1e-15)
    if d == 0 or excess(top) <= 0:
        return 0.0 if d == 0 else top
    return brentq(excess, 0.0, top, xtol=1e-15, rtol=1e-14)


def test_kl_upper_grows():
    values = [[kl_upper(p, d) for d in np.geomspace(1e-6, 20, 60)] for p in np.linspace(0, 1, 30)]
    assert (np.diff(values, axis=0) >= -1e-12).all()
    assert (np.diff(values, axis=1) >= -1e-12).all()
