"""Confidence intervals, and the shares of runs that a summary of stopping times counts."""

import time

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, t
from tiers import first

from dpbandits.comparison.pairs import located
from dpbandits.contracts.question import STOPPING
from dpbandits.results.intervals import (
    clopper_pearson,
    interval_of_mean,
    interval_of_median,
    rounded,
    runs_needed,
)
from dpbandits.results.summary import mean_of, summarize
from dpbandits.results.varying import columns_of


def test_intervals_of_a_probability_are_those_of_clopper_and_pearson():
    k, n = np.array([0, 3, 17, 20, 0]), np.array([20, 20, 20, 20, 0])
    low, high = clopper_pearson(k, n)
    for i in range(4):
        expected = binomtest(int(k[i]), int(n[i])).proportion_ci(0.95, method="exact")
        assert (low[i], high[i]) == pytest.approx((expected.low, expected.high))
    assert (low[4], high[4]) == (0, 1)


@pytest.mark.parametrize("n", first([2, 5, 30, 300], 3))
def test_interval_of_a_mean_is_gaffkes(n):
    """The saddlepoint gives the quantile of the weighted sum within its simulation; the control, a
    value beyond the data that is as near as the largest, does not.
    """
    rng = np.random.default_rng(n)
    values = rng.pareto(2.2, n) + 1
    weights = rng.dirichlet(np.ones(n + 1), 200_000)
    away = values.max() - np.median(values)
    tops = [values.max() + c * away for c in (1 + 10 / n, 0.0)]
    for tail in (0.025, 0.01):
        right, control = (
            np.quantile((weights * np.append(values, top)).sum(axis=1), 1 - tail) for top in tops
        )
        found = interval_of_mean(values[:, None], tail)[1][0]
        assert found == pytest.approx(right, rel=0.02)
        assert n == 300 or found != pytest.approx(control, rel=0.02)


def test_interval_of_a_mean_moves_with_the_values():
    """Their scale, sign and origin change nothing else: none of them is assumed."""
    values = np.random.default_rng(2).lognormal(size=(40, 3))
    low, high = interval_of_mean(values)
    np.testing.assert_allclose(interval_of_mean(8 * values - 20), (8 * low - 20, 8 * high - 20))
    np.testing.assert_allclose(interval_of_mean(-values), (-high, -low))
    assert (low < values.mean(axis=0)).all() and (values.mean(axis=0) < high).all()


@pytest.mark.parametrize("value", [-7.0, 0.0, 1 / 3, 1e90])
def test_equal_values_have_an_interval_without_width_and_one_value_has_none(value):
    assert [x[0] for x in interval_of_mean(np.full((20, 1), value))] == [value, value]
    for interval in (interval_of_mean, interval_of_median):
        assert np.isnan(interval(np.full((1, 2), value))).all()


def test_an_interval_of_regret_is_not_negative_and_one_of_values_of_both_signs_may_be():
    """In summaries and in comparisons; the control subtracts one from every regret."""
    runs = np.array([0.0, 2.0, 4.0, 6.0])
    for values, sign in ((runs, 0), (runs - 1, -1)):
        table = pd.DataFrame({"algo": "a", "regret": values})
        assert np.sign(mean_of(table, ["algo"], "regret")["ci_low"][0]) == sign
        assert np.sign(located([values], "mean", 1e-6).low[0]) == sign


def test_blocks_change_nothing(monkeypatch):
    values = np.random.default_rng(3).pareto(2.2, (50, 20))
    whole = interval_of_mean(values, 0.01)
    monkeypatch.setattr("dpbandits.results.intervals.AT_ONCE", 100)
    np.testing.assert_array_equal(whole, interval_of_mean(values, 0.01))
    assert [x.shape for x in interval_of_mean(values[:, :0])] == [(0,), (0,)]


@pytest.mark.slow
def test_intervals_of_ten_thousand_settings_take_less_than_two_seconds():
    values = np.random.default_rng(0).lognormal(size=(20, 10_000))
    interval_of_mean(values[:, :1])
    start = time.process_time()
    interval_of_mean(values)
    assert time.process_time() - start < 2.0


def test_interval_of_a_median_holds():
    values = np.random.default_rng(4).pareto(1.1, (30, 4000))
    low, high = interval_of_median(values, 0.025)
    median = 2 ** (1 / 1.1) - 1
    assert 0.95 <= ((low <= median) & (median <= high)).mean() < 0.98


def test_last_bits_do_not_count():
    values = np.array([0.1 + 0.2, 1 / 3, 1e-200, 12345.678901234567])
    np.testing.assert_array_equal(rounded(values), rounded(np.nextafter(values, 1.0)))
    assert rounded(np.array([0.0, np.inf])).tolist() == [0.0, np.inf]
    assert rounded(1.0 + 1e-9, scale=1e3) == 1.0 != rounded(1.0 + 1e-9)


def two_points(rng, n, p, m=1000):
    """Runs of which a share p is bad, twenty times the others."""
    return np.where(rng.random((n, m)) < p, 20.0, 1.0)


def test_runs_that_are_too_few_are_noticed_and_the_number_that_is_named_would_do():
    """Of two bad runs in a hundred; the controls are normal, or are enough."""
    rng = np.random.default_rng(0)
    too_few = two_points(rng, 50, 0.03)
    seen = (too_few > 1).any(axis=0)
    needed = runs_needed(too_few[:, seen])
    assert ((needed > 50) == ((too_few[:, seen] > 1).sum(axis=0) < 3)).all()
    named = int(np.median(needed[needed > 50]))
    assert named in (200, 500)
    for n, least, most in ((50, 0.0, 0.85), (named, 0.95, 1.0)):
        low, high = interval_of_mean(two_points(rng, n, 0.03))
        assert least <= ((low <= 1.57) & (high >= 1.57)).mean() <= most
    for values in (rng.normal(size=(20, 1000)), rng.exponential(size=(100, 1000))):
        assert (runs_needed(values) > len(values)).mean() < 0.01
    assert runs_needed(np.ones((25, 1)))[0] == 25
    assert [runs_needed(np.ones((n, 1)))[0] for n in (1, 2, 19)] == [1, 100, 100]
    assert runs_needed(1e300 * two_points(rng, 50, 0.0, 1)).tolist() == [50]


# (1 - alpha) % is what the interval is for; the laws are those of benchmarks/intervals.py
SKEWED = {
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "lognormal": (lambda rng, shape: rng.lognormal(0, 1.5, shape), np.exp(1.125)),
    "pareto": (lambda rng, shape: 1 + rng.pareto(2.2, shape), 2.2 / 1.2),
}
COVERED = {5: [0.97, 0.95, 0.85, 0.89], 20: [0.97, 0.97, 0.92, 0.94], 100: [0.97, 0.97, 0.94, 0.95]}


def student(values):
    half = t.ppf(0.975, len(values) - 1) * values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return values.mean(axis=0) - half, values.mean(axis=0) + half


@pytest.mark.long
@pytest.mark.parametrize("n", COVERED)
def test_intervals_cover_what_docs_deciding_says(n):
    """The control: Student's intervals of lognormal values, which cover less."""
    rng = np.random.default_rng(n)
    for (name, (law, mean)), least in zip(SKEWED.items(), COVERED[n], strict=True):
        values = law(rng, (n, 4000))
        shares = [
            ((low <= mean) & (mean <= high)).mean()
            for low, high in (interval_of_mean(values), student(values))
        ]
        assert shares[0] >= least
        if name == "lognormal":
            assert shares[1] < least - 0.05


def test_a_summary_counts_what_is_correct():
    setting = ["nas", "sign", 0, 0.5, np.inf, 0.25, 0.05, 1.0, 100, 0]
    ends = [(0, 10, 0.5, 1, 1), (1, 20, 0.9, 1, 0), (2, 100, np.nan, 0, np.nan), (3, 30, 0.4, 1, 1)]
    table = pd.DataFrame([[*setting, *end] for end in ends], columns=columns_of(STOPPING))
    (row,) = summarize(table).to_dict("records")
    assert (row["mean"], row["runs"], row["halted"]) == (40, 4, 3)
    assert row["correct"] == pytest.approx(2 / 3)
