"""Limits of means and medians: Gaffke's by simulation, edges, and sums in a fixed order."""

import numpy as np
import pytest
from dpbandits.comparison.limits import limits_of_mean, limits_of_median, rounded


def test_upper_limit_is_gaffkes():
    """The saddlepoint gives the quantile of the weighted sum within its simulation."""
    rng = np.random.default_rng(1)
    values = rng.pareto(2.2, 30) + 1
    top = 2 * values.max() - np.median(values)
    weights = rng.dirichlet(np.ones(31), 200_000)
    simulated = np.quantile((weights * np.append(values, top)).sum(axis=1), [0.975, 0.99])
    found = [limits_of_mean(values[:, None], p)[1][0] for p in (0.025, 0.01)]
    assert found == pytest.approx(simulated, rel=0.01)


def test_scale_and_reflection():
    values = np.random.default_rng(2).random((40, 3)) + 5
    low, high = limits_of_mean(values, 0.01)
    np.testing.assert_allclose(limits_of_mean(8 * values, 0.01), (8 * low, 8 * high))
    assert limits_of_mean(20 - values, 0.01)[0] == pytest.approx(20 - high)


@pytest.mark.parametrize("value", [0.0, 3.0, 1e90])
def test_equal_values_have_no_width(value):
    low, high = limits_of_mean(np.full((20, 1), value), 0.01)
    assert low[0] == high[0] == pytest.approx(value)


def test_single_run_says_nothing():
    assert [x[0] for x in limits_of_mean(np.ones((1, 1)), 0.01)] == [0.0, np.inf]
    assert [x[0] for x in limits_of_median(np.ones((3, 1)), 0.01)] == [0.0, np.inf]


def test_lower_limit_is_not_negative():
    values = np.array([[0.0], [0.0], [0.0], [1.0]])
    assert 0.0 <= limits_of_mean(values, 1e-6)[0][0] < 0.25


def test_blocks_change_nothing(monkeypatch):
    values = np.random.default_rng(3).pareto(2.2, (50, 20))
    whole = limits_of_mean(values, 0.01)
    monkeypatch.setattr("dpbandits.comparison.limits.AT_ONCE", 100)
    np.testing.assert_array_equal(whole, limits_of_mean(values, 0.01))


def test_median_limits_hold():
    values = np.random.default_rng(4).pareto(1.1, (30, 4000))
    low, high = limits_of_median(values, 0.025)
    median = 2 ** (1 / 1.1) - 1
    assert 0.95 <= ((low <= median) & (median <= high)).mean() < 0.98


def test_last_bits_do_not_count():
    values = np.array([0.1 + 0.2, 1 / 3, 1e-200, 12345.678901234567])
    np.testing.assert_array_equal(rounded(values), rounded(np.nextafter(values, 1.0)))
    assert rounded(np.array([0.0, np.inf])).tolist() == [0.0, np.inf]
