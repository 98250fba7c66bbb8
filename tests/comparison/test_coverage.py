"""Intervals of comparisons hold at once, on data whose means are known; plain t intervals do not.

Fourteen algorithms, each 5 % above the one before; 100 runs. A mean of n values with a tail as
heavy as this is estimated by no method from few: what 100 runs cover is what is promised.
"""

import numpy as np
import pytest
from scipy import stats

from dpbandits.comparison.best import against_best
from dpbandits.comparison.pairs import Located, ratio
from dpbandits.results.intervals import interval_of_mean, mean_of_runs

ALGORITHMS = 14
RUNS = 100
MEANS = 1.05 ** np.arange(ALGORITHMS)
LAWS = {  # of mean 1
    "normal": lambda rng, shape: 1.0 + 0.2 * rng.standard_normal(shape),
    "pareto": lambda rng, shape: (1.0 + rng.pareto(2.2, shape)) * 1.2 / 2.2,
    "two points": lambda rng, shape: np.where(rng.random(shape) < 0.1, 20.0, 1.0) / 2.9,
}
FAMILIES = {name: [name] * ALGORITHMS for name in LAWS}
FAMILIES["mixed"] = [list(LAWS)[a % 3] for a in range(ALGORITHMS)]


def samples(family, trials):
    """Runs of each algorithm in each trial, float64 array (RUNS, trials, ALGORITHMS)."""
    rng = np.random.default_rng(0)
    drawn = [LAWS[name](rng, (RUNS, trials)) for name in FAMILIES[family]]
    return np.stack(drawn, axis=2) * MEANS


def located(runs, tail):
    """The means of the algorithms in each trial with their limits."""
    flat = runs.reshape(RUNS, -1)
    found = mean_of_runs(flat), *interval_of_mean(flat, tail)
    return Located(*(x.reshape(runs.shape[1:]) for x in found))


def tail():
    return 0.05 / 2 / (ALGORITHMS - 1)


def shares(family, trials):
    """The shares of trials in which all intervals to a baseline, and to the best, hold."""
    found = located(samples(family, trials), tail())
    pairs = ratio(found.of(np.s_[:, 1:]), found.of(np.s_[:, :1]))
    true = MEANS[1:] / MEANS[0]
    baseline = ((pairs.low <= true) & (true <= pairs.high)).all(axis=1)
    best = []
    for trial in range(trials):
        one = against_best(found.of(trial))
        held = (one.ratio.low <= MEANS) & (one.ratio.high >= MEANS)
        best.append(held.all() and one.tied[0])
    return baseline.mean(), np.mean(best)


def at_least(trials):
    """What a share that is .95 falls below with the probability of 3 sigma."""
    return 0.95 - 3 * np.sqrt(0.05 * 0.95 / trials)


@pytest.mark.parametrize("family", FAMILIES)
def test_intervals_hold_at_once(family):
    assert min(shares(family, 60)) >= at_least(60)


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_intervals_hold_at_once_in_2000_trials(family):
    assert min(shares(family, 2000)) >= at_least(2000)


@pytest.mark.parametrize(
    ("family", "corrected"), [*((name, False) for name in FAMILIES), ("mixed", True)]
)
def test_t_intervals_do_not(family, corrected):
    """The control: not corrected they fail for all laws; corrected, if the laws differ."""
    trials = 400
    runs = samples(family, trials)
    mean, square = runs.mean(axis=0), runs.var(axis=0, ddof=1) / RUNS
    away = mean[:, 1:] - mean[:, :1] - (MEANS[1:] - MEANS[0])
    quantile = stats.t.ppf(1 - (tail() if corrected else 0.025), 2 * RUNS - 2)
    held = (np.abs(away) <= quantile * np.sqrt(square[:, 1:] + square[:, :1])).all(axis=1)
    assert held.mean() < 0.95 - 10 * np.sqrt(0.05 * 0.95 / trials)
