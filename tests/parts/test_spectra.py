"""The noise of matrices and the bounds on its spectrum are the formulas of sections 4.1 and 4.2."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from dpbandits.parts.linear.spectra import PRINTED, gaussian_nodes, wishart_nodes

SIZES = [(0.1, 1e-5, 18, 5, 1e5, 0.1), (1.0, 1e-3, 4, 1, 7.0, 0.01), (20.0, 0.1, 11, 30, 1e3, 0.3)]


def exact_mu(eps, delta):
    """The mu at which the Gaussian mechanism is (eps, delta)-DP (Balle & Wang 2018)."""

    def excess(mu):
        return norm.cdf(mu / 2 - eps / mu) - math.exp(eps) * norm.cdf(-mu / 2 - eps / mu) - delta

    return brentq(excess, 1e-6, 100.0, xtol=1e-14, rtol=1e-14)


@pytest.mark.parametrize(("eps", "delta", "m", "d", "T", "alpha"), SIZES)
def test_gaussian_nodes(eps, delta, m, d, T, alpha):
    printed = math.sqrt(16 * m * 2.0**2 * math.log(4 / delta) ** 2 / eps**2)
    exact = math.sqrt(m) * 2.0 / exact_mu(eps, delta)
    for calibration, s in ((PRINTED, printed), (PRINTED + 1.0, exact)):
        Y = s * math.sqrt(2 * m) * (4 * math.sqrt(d) + 2 * math.log(2 * T / alpha))
        root = math.sqrt(d) + math.sqrt(2 * math.log(2 * T / alpha))
        expected = s, 0.0, 2 * Y, Y, 3 * Y, s * math.sqrt(m / Y) * root
        found = gaussian_nodes(eps, delta, m, d, T, alpha, calibration)
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("eps", "delta", "m", "d", "T", "alpha"), SIZES)
def test_wishart_nodes(eps, delta, m, d, T, alpha):
    noise = math.ceil(224 * m / eps**2 * math.log(8 * m / delta) * math.log(2 / delta))
    k = d + 1 + noise
    root = math.sqrt(d) + math.sqrt(2 * math.log(8 * T / alpha))
    w = 2.0 * math.sqrt(m * k) * root
    least = 2.0 * max(math.sqrt(m * k) - root, 0) ** 2
    expected = 0.0, k, 4 * w - least, 4 * w, 8 * w, math.sqrt(w)
    assert wishart_nodes(eps, delta, m, d, T, alpha) == pytest.approx(expected, rel=1e-12)


def test_without_noise_the_least_eigenvalue_is_positive():
    found = gaussian_nodes(math.inf, 1e-3, 4, 2, 10.0, 0.1, PRINTED)
    assert found.s == 0.0 and found.low > 0.0 and np.isfinite(found).all()
