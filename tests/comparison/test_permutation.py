"""The permutation test of all pairs: its level, its power, its bits."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import ttest_ind

from dpbandits.comparison.permutation import _pooled, _statistics, differing


def rare(rng, n):
    """Runs of which 5 % are bad, of the kind of dp_imed's."""
    return rng.lognormal(0, 0.3, n) * np.where(rng.random(n) < 0.05, 30.0, 1.0)


LAWS = {
    "normal": lambda rng, n: rng.normal(10, 1, n),
    "rare bad runs": rare,
    "two values": lambda rng, n: np.where(rng.random(n) < 0.1, 2.0, 1.0),
}


def share(draw, trials, error=0.05):
    """The share of trials in which any pair of samples is told apart."""
    rng = np.random.default_rng(0)
    found = [differing([*combinations(draw(rng), 2)], error).any() for _ in range(trials)]
    return np.mean(found)


def test_the_statistic_is_welchs():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=9), rng.normal(1, 3, 14)
    first, pool = _pooled(x, y)
    found = _statistics(pool[np.newaxis], (np.arange(23) < first)[np.newaxis])
    assert found == pytest.approx(abs(ttest_ind(x, y, equal_var=False).statistic), rel=1e-3)


def test_the_test_is_that_of_all_ways_to_deal_the_runs():
    """Of eight runs dealt in 70 ways; controls beside the threshold."""
    x, y = np.array([1.0, 2.0, 3.0, 5.0]), np.array([4.0, 6.5, 7.0, 9.0])
    pool = _pooled(x, y)[1]
    dealt = np.zeros((comb(8, 4), 8), dtype=bool)
    for row, chosen in zip(dealt, combinations(range(8), 4), strict=True):
        row[list(chosen)] = True
    each = _statistics(pool[np.newaxis], dealt)[:, 0]
    exact = (each >= each[0] - 1e-9).mean()
    assert 0.05 < exact < 0.1
    assert differing([(x, y)], exact + 0.03)[0] and not differing([(x, y)], exact - 0.03)[0]


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_equal_laws_are_told_apart_in_at_most_five_percent(law):
    """In all pairs of three; the control is the t test of each pair alone."""
    assert share(lambda rng: [LAWS[law](rng, 20) for _ in range(3)], 100) <= 0.05 + 3 * 0.022


@pytest.mark.slow
def test_ten_percent_are_found_at_twenty_runs():
    """Normal runs: in 80 % of trials at least; the control is 3 %."""
    found = [
        share(lambda rng, m=mean: [rng.normal(10, 1, 20), rng.normal(m, 1, 20)], 150)
        for mean in (11.0, 10.3)
    ]
    assert found[0] >= 0.8 > 0.4 > found[1]


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [20, 100])
def test_equal_laws_are_told_apart_in_at_most_five_percent_of_2000_trials(law, n):
    assert share(lambda rng: [LAWS[law](rng, n) for _ in range(2)], 2000) <= 0.05 + 3 * 0.005


@pytest.mark.slow
def test_equal_means_of_unlike_laws_are_told_apart_in_about_five_percent():
    """The control is a statistic that is not studentised, with unequal numbers of runs."""
    rng = np.random.default_rng(0)
    wrong = plain = 0
    for _ in range(200):
        x, y = rng.normal(0, 3, 20), rng.normal(0, 1, 60)
        wrong += differing([(x, y)], 0.05)[0]
        pool = np.concatenate([x, y])
        dealt = rng.permuted(np.tile(pool, (200, 1)), axis=1)
        away = np.abs(dealt[:, :20].mean(axis=1) - dealt[:, 20:].mean(axis=1))
        plain += (away >= abs(x.mean() - y.mean())).mean() <= 0.05
    assert wrong / 200 <= 0.05 + 3 * 0.0155 < 0.15 < plain / 200


def test_values_without_spread_and_few_runs():
    """Equal runs differ from other equal runs; three runs differ from none."""
    one, two = np.full(20, 3648.0), np.full(20, 3752.0)
    found = differing(
        [(one, two), (one, one), (one[:3], two), (one[:4], two), (one, 1.1 * two)], 0.05
    )
    assert found.tolist() == [True, False, False, True, True]


def test_thousands_of_runs_are_dealt_in_batches():
    rng = np.random.default_rng(0)
    x, y, few = rng.normal(10, 1, 3001), rng.normal(10.2, 1, 5000), rng.normal(11, 1, 30)
    assert differing([(x, y), (y, x), (few, x)], 0.05).all()
    assert _pooled(x, y)[0] == 500


def test_the_order_of_sums_does_not_matter():
    """Sums of the largest integers are exact. The control adds values that are not integers."""
    rng = np.random.default_rng(0)
    x, y = rng.pareto(1.5, 400), rng.pareto(1.5, 9000)
    pool = _pooled(x, y)[1]
    squares = pool * pool
    assert squares.sum() < 2**53 and np.sum(squares[::-1]) == np.add.accumulate(squares)[-1]
    values = np.concatenate([x, y]) ** 2
    assert np.sum(values[::-1]) != np.add.accumulate(values)[-1]
    assert float(9400 * squares.sum()) < 2**63 > float(pool.sum()) ** 2
