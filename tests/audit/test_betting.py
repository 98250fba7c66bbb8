"""Bets on events: their level under optional stopping, their power, and what they cannot refute."""

import numpy as np
import pytest
from scipy.stats import norm

from dpbandits.audit.sampling.betting import (
    FACTORS,
    ITSELF,
    PROMISED,
    Bets,
    gaussian_line,
    pairs,
    pure_line,
)
from dpbandits.audit.sampling.events import rank, ratio

LEVEL, RUNS, BATCH, REPEATS = 0.05, 20_000, 500, 1000


def counts(rng, p, q, repeats=REPEATS, runs=RUNS):
    """Counts of pairs after each batch of runs, int array (batches, repeats, 4)."""
    shares = [p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)]
    return rng.multinomial(BATCH, shares, size=(runs // BATCH, repeats)).cumsum(axis=0)


def alarms(bets, found):
    """How many of the sequences of counts ever refute the promise."""
    wealth = np.stack([bets.log_wealth(x, ITSELF)[:, 0, 0] for x in found])
    return (wealth.max(axis=0) >= 0.0).sum()


def most(level):
    """The most alarms that chance explains: five standard deviations above the level."""
    return REPEATS * level + 5 * np.sqrt(REPEATS * level * (1 - level))


@pytest.mark.parametrize(
    ("line", "loss", "q"),
    [
        (pure_line, 0.1, 0.45),
        (pure_line, 1.0, 0.2),
        (pure_line, 1.0, 0.005),
        (gaussian_line, 0.5, 0.3),
        (gaussian_line, 2.0, 0.01),
    ],
)
def test_the_level_holds_whenever_one_stops_and_a_fixed_sample_test_s_does_not(line, loss, q):
    """On the edge of the null. The control stops when Clopper-Pearson bounds of the level look
    good, and one whose promise is smaller by a third: both alarm more often.
    """
    z = norm.ppf(q) + loss
    p = q * np.exp(loss) if line is pure_line else norm.cdf(z)
    rng = np.random.default_rng(0)
    found = counts(rng, p, q)
    bets = Bets(loss, line, p, q, RUNS, LEVEL)
    assert alarms(bets, found) <= most(LEVEL)
    assert alarms(Bets(loss, line, 0.5, 0.5 * q, RUNS, LEVEL), found) <= most(LEVEL)  # bad guess
    assert alarms(Bets(0.66 * loss, line, p, q, RUNS, LEVEL), found) > most(LEVEL)


def test_optional_stopping_inflates_the_level_of_a_fixed_sample_test():
    """The control of the test above: a test of the level at each batch, on the same counts."""
    p, q = 0.2 * np.e, 0.2
    found = counts(np.random.default_rng(0), p, q)
    n = BATCH * np.arange(1, len(found) + 1)[:, None]
    k, other = found[..., :2].sum(axis=-1), found[..., 0] + found[..., 2]
    z = norm.ppf(1 - LEVEL)
    spread = np.sqrt((1 - k / n) / k + (1 - other / n) / other)
    fixed = np.log(k / other) - z * spread > 1.0
    assert fixed[-1].mean() == pytest.approx(LEVEL, abs=0.03)  # at the end alone it is right
    assert fixed.any(axis=0).sum() > 3 * REPEATS * LEVEL
    assert alarms(Bets(1.0, pure_line, p, q, RUNS, LEVEL), found) <= most(LEVEL)


@pytest.mark.slow
def test_the_bound_is_too_large_as_rarely_as_stated_at_any_time():
    """The running maxima of the wealth against every loss; the control is a loss of 1.1."""
    p, q = 0.2 * np.e, 0.2
    bets, rng = Bets(2.0, pure_line, p, q, RUNS, LEVEL), np.random.default_rng(1)
    found = counts(rng, p, q, 100)
    best = np.max([bets.log_wealth(x)[:, 0] for x in found], axis=0)
    bounds = np.array([bets.bound(row) for row in best])
    assert (bounds >= 1.0).sum() <= 100 * LEVEL + 5 * np.sqrt(100 * LEVEL)
    assert np.median(bounds) > 0.9 and (bounds > 0.9).mean() > 0.5


def test_a_violation_is_found_early_and_what_is_detectable_is_detected():
    """A loss of the detectable factor is refuted in about every second test; of 1, hardly ever;
    half as much again nearly always, and before all runs are used.
    """
    eps, q = 0.5, 0.3
    bets = Bets(eps, pure_line, np.exp(eps) * q, q, RUNS, LEVEL)
    factor = bets.detectable(q)
    assert 1.02 < factor < 1.2
    shares, rng = [], np.random.default_rng(2)
    for excess in (0.0, 1.0, 2.0):
        p = q * np.exp(eps * (1 + excess * (factor - 1)))
        found = counts(rng, p, q)
        shares.append(alarms(bets, found) / REPEATS)
    assert shares[0] < 0.1 and 0.3 < shares[1] < 0.8 and shares[2] > 0.95
    early = np.stack([bets.log_wealth(x, ITSELF)[:, 0, 0] for x in counts(rng, 0.99, q)])
    assert (early[0] >= 0).all()
    assert bets.detectable(0.9) == np.inf  # no event is so likely


def test_bets_against_an_event_are_decided_the_other_way_too():
    bets = Bets(1.0, pure_line, 0.3, 0.25, RUNS, LEVEL)
    against, doubt = bets.log_wealth(counts(np.random.default_rng(0), 0.3, 0.25, 1)[-1, 0])
    assert against[PROMISED] < 0 <= doubt[PROMISED]
    assert FACTORS[PROMISED] == 1 and (np.diff(FACTORS) > 0).all()


def test_wealth_is_the_product_of_what_the_runs_win():
    """By hand, bet by bet and run by run."""
    rng = np.random.default_rng(3)
    first, second = rng.random((2, 400)) < [[0.6], [0.3]]
    bets = Bets(0.5, pure_line, 0.6, 0.3, 400, 0.1)
    stakes = np.expm1(bets.gains[0, 1, :, PROMISED])
    by_hand = np.mean(
        [np.prod(1 + l * (first.astype(float) - np.exp(0.5) * second)) for l in stakes]
    )
    wealth = bets.log_wealth(pairs(first, second))[0, PROMISED]
    assert wealth == pytest.approx(np.log(by_hand * 0.1))


def test_gaussian_lines_lie_above_the_trade_off_and_touch_it():
    """The line at mu bounds every event of mu-GDP; the control is 0.9 mu."""
    mu, q = np.array([0.3, 1.0, 2.5]), 0.07
    slope, offset = gaussian_line(mu, q)
    every = np.linspace(1e-6, 1 - 1e-6, 1001)[:, None]
    p = norm.cdf(norm.ppf(every) + mu)
    assert (p <= slope * every + offset + 1e-12).all()
    assert slope * q + offset == pytest.approx(norm.cdf(norm.ppf(q) + mu))
    weak, less = gaussian_line(0.9 * mu, q)
    assert (p > weak * every + less).any(axis=0).all()


def test_both_ends_count_in_the_ranking():
    """Of the first probability the lower end, of the second the upper one."""
    score = rank(np.array([50, 500]), np.array([10, 100]), 1000, 0.05, ratio)
    assert 0 < score[0] < score[1] < np.log(5)
    assert rank(np.array([50]), np.array([10]), 1000, 0.05, norm.ppf) < norm.ppf(0.05) - norm.ppf(
        0.01
    )
