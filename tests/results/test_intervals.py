"""Confidence intervals, and the shares of runs that a summary of stopping times counts."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, bootstrap, t

from dpbandits.contracts.question import STOPPING
from dpbandits.results.intervals import clopper_pearson, interval_of_mean
from dpbandits.results.summary import summarize
from dpbandits.results.tables import columns_of


def test_intervals_of_a_probability_are_those_of_clopper_and_pearson():
    k, n = np.array([0, 3, 17, 20, 0]), np.array([20, 20, 20, 20, 0])
    low, high = clopper_pearson(k, n)
    for i in range(4):
        expected = binomtest(int(k[i]), int(n[i])).proportion_ci(0.95, method="exact")
        assert (low[i], high[i]) == pytest.approx((expected.low, expected.high))
    assert (low[4], high[4]) == (0, 1)


@pytest.mark.parametrize("n", [3, 10, 60])
def test_intervals_of_a_mean_are_those_of_the_bca_bootstrap(n):
    values = np.random.default_rng(n).lognormal(0, 1.5, size=(n, 4))
    low, high = interval_of_mean(values)
    student = t.ppf(0.975, n - 1) * values.std(axis=0, ddof=1) / np.sqrt(n)
    for j, x in enumerate(values.T):
        right = bootstrap((x,), np.mean, method="BCa", n_resamples=20_000, rng=0)
        spread = right.standard_error
        assert low[j] == pytest.approx(right.confidence_interval.low, abs=0.25 * spread)
        assert high[j] == pytest.approx(right.confidence_interval.high, abs=0.6 * spread)
        student[j] = abs(x.mean() - student[j] - right.confidence_interval.low) / spread
    assert max(student) > 0.25  # the control


def test_intervals_of_a_mean_stay_within_the_values():
    few = np.array([0.0] * 19 + [1e5])[:, np.newaxis]
    (low,), (high,) = interval_of_mean(few)
    assert 0 <= low < few.mean() < high <= 1e5
    assert [x[0] for x in interval_of_mean(np.full((5, 1), 7.0))] == [7.0, 7.0]
    assert np.isnan(interval_of_mean(np.ones((1, 2)))).all()


def test_a_summary_counts_what_is_correct():
    setting = ["nas", "sign", 0, 0.5, np.inf, 0.25, 0.05, 1.0, 100, 0]
    ends = [(0, 10, 0.5, 1, 1), (1, 20, 0.9, 1, 0), (2, 100, np.nan, 0, np.nan), (3, 30, 0.4, 1, 1)]
    table = pd.DataFrame([[*setting, *end] for end in ends], columns=columns_of(STOPPING))
    (row,) = summarize(table).to_dict("records")
    assert (row["mean"], row["runs"], row["halted"]) == (40, 4, 3)
    assert row["correct"] == pytest.approx(2 / 3)
