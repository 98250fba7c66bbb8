"""``runs=auto`` on laws whose mean is known: when runs are enough, and how often intervals hold."""

import numpy as np
import pytest

from dpbandits.results.intervals import TAIL, interval_of_mean
from dpbandits.running.auto import enough
from dpbandits.settings.auto import Auto

AUTO = Auto(precision=0.1, max_runs=5000)
LOOKS = AUTO.looks()


def bad_runs(share, times):
    """A law with a share of bad runs, each ``times`` as bad as others, and its mean."""

    def law(rng, n):
        return np.where(rng.random(n) < share, times, 1.0) * rng.uniform(0.9, 1.1, n)

    return law, 1.0 + share * (times - 1.0)


LAWS = {
    "normal": (lambda rng, n: rng.normal(10.0, 3.0, n), 10.0),
    "exponential": (lambda rng, n: rng.exponential(size=n), 1.0),
    "lognormal": (lambda rng, n: np.exp(rng.normal(size=n)), float(np.exp(0.5))),
    "two values": (lambda rng, n: np.where(rng.random(n) < 0.1, 2.0, 1.0), 1.1),
    "one bad run in ten": bad_runs(0.1, 5.0),
}


def at_looks(values):
    """The interval at each look, and the look at which playing ends."""
    own = [values[:n] for n in LOOKS]
    ends = [interval_of_mean(x[:, np.newaxis], TAIL / len(LOOKS)) for x in own]
    stop = next((i for i, x in enumerate(own) if enough(x, AUTO.precision, len(LOOKS))), -1)
    return np.array(ends)[..., 0], stop


def after_each_run(values):
    """Student's intervals after each run, from the fifth on."""
    n = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / n
    half = 1.96 * np.sqrt(np.maximum(np.cumsum(values**2) / n - mean**2, 0.0) / n)
    return np.stack([mean - half, mean + half], axis=1)[4:]


def test_the_looks_are_few_and_ascend():
    assert LOOKS == [100, 200, 500, 1000, 2000, 5000]
    assert Auto(0.02, 150).looks() == [100, 150] and AUTO.looks(20)[:2] == [20, 100]
    assert AUTO.looks(200)[:2] == [200, 500]


def test_when_runs_are_enough():
    rng = np.random.default_rng(1)
    values = rng.normal(10.0, 1.0, 1000)
    assert enough(values, 0.02, 6) and not enough(values, 0.001, 6)
    assert enough(-values, 0.02, 6) and not enough(values - 10.0, 0.02, 6)
    assert not enough(np.full(1000, 3.0), 0.02, 6)
    most = np.full(1000, 3.0)
    most[:9] = 3.01  # an interval would be narrow
    assert not enough(most, 0.02, 6)
    bad = values.copy()
    bad[0] = 20.0 * 10.0
    assert not enough(bad, 0.5, 6)


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS)
def test_intervals_hold_although_runs_are_looked_at_repeatedly(law):
    """Those of all looks at once, and that of the last look. The control, Student's
    intervals of 95 % after each run, does not hold.
    """
    draw, mean = LAWS[law]
    rng, trials = np.random.default_rng(7), 300
    at_once, at_end, naive = 0, 0, 0
    for _ in range(trials):
        values = draw(rng, LOOKS[-1])
        ends, stop = at_looks(values)
        holds = (ends[:, 0] <= mean) & (mean <= ends[:, 1])
        at_once, at_end = at_once + holds.all(), at_end + holds[stop]
        low, high = after_each_run(values).T
        naive += bool(((low <= mean) & (mean <= high)).all())
    assert 0.95 * trials <= at_once <= at_end
    assert naive < 0.6 * trials
