"""``runs=auto`` on laws whose mean is known: when runs are enough, and how often intervals hold."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import setting
from sweeps import requested

from dpbandits.contracts.question import CONTEXTUAL
from dpbandits.results.intervals import TAIL, interval_of_mean
from dpbandits.results.run_store import Memory, Run
from dpbandits.running import auto as of_auto
from dpbandits.running.auto import (
    MINUTE,
    can_be_added,
    coarse,
    enough,
    estimated_seconds,
    has_means,
    play_until_enough,
    seconds_of_means,
)
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
    low, high = interval_of_mean(values[:, np.newaxis], TAIL / 6)
    half = (high[0] - low[0]) / 2 / values.mean()  # of the interval, relative to the mean
    assert enough(values, 1.01 * half, 6) and not enough(values, 0.99 * half, 6)
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


@pytest.fixture
def played(monkeypatch):
    """A function that plays a request, whose settings have enough runs at some look, and the calls
    of the function that plays: the algorithms and the number of runs.

    Each run takes ``seconds``.
    """

    def play_all(request, ends, seconds=0.0):
        calls, store = [], Memory()

        def play(settings, runs):
            calls.append(("".join(s.algo[-1] for s in settings), runs))
            for one in settings:
                store.save(one, {run: Run(None, 0.0, seconds) for run in range(runs)})
            return len(settings)

        def final(store, one, runs):
            return SimpleNamespace(final=lambda statistic: runs >= ends[one.algo])

        monkeypatch.setattr(of_auto, "load_finished", final)
        monkeypatch.setattr(of_auto, "enough", lambda values, precision, looks: values)
        counts, number = play_until_enough(request, store, play)
        return counts, number, calls

    return play_all


GIVEN = {"algo": ["ucb", "dp_ts"], "horizon": 10, "runs": "auto", "max_runs": 500, "jobs": 2}


def test_settings_are_played_until_the_look_at_which_they_have_enough_runs(played):
    counts, number, calls = played(requested(**GIVEN), {"ucb": 200, "dp_ts": 10**9})
    assert counts == [200, 500] and number == 5
    assert calls == [("bs", 100), ("bs", 200), ("s", 500)]


@pytest.mark.parametrize(
    ("max_time", "counts"), [(0.001, [100, 100]), (11.0, [200, 200]), (1000.0, [500, 500])]
)
@pytest.mark.parametrize("jobs", [2, -1])
def test_runs_are_begun_if_all_workers_together_have_the_time(
    played, max_time, counts, jobs, monkeypatch
):
    """From 100 to 200 runs, two settings with runs of a tenth of a second take 10 seconds of two
    workers, as many as this machine has cores. The first runs are played in any case.
    """
    monkeypatch.setattr(of_auto.joblib, "cpu_count", lambda: 2)
    ends = {"ucb": 10**9, "dp_ts": 10**9}
    request = requested(**GIVEN | {"jobs": jobs}, max_time=max_time)
    assert played(request, ends, seconds=0.1)[0] == counts


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ({"algo": "dp_se", "horizon": 1e8}, 1e-4),
        ({"algo": "ucb", "horizon": 1e8}, 1.5),
        ({"algo": "ldpr_se", "env": "twopoint_heavy", "v": 0.9, "horizon": 1e8}, 1e-4),
        ({"algo": "ctl_ucb", "horizon": 1e8}, 6.0),
        ({"question": CONTEXTUAL, "algo": "lin_ucb", "env": "contextual", "horizon": 1e6}, 0.5),
    ],
)
def test_the_time_of_a_run_is_estimated_by_how_it_is_played(given, seconds):
    """In blocks, or singly: with rewards alone, with reports of each user, or with contexts."""
    assert estimated_seconds(setting(**given, assume=True)) == pytest.approx(seconds, rel=0.1)


def test_runs_are_added_to_cheap_settings_if_there_is_a_second_look():
    cheap = setting(algo="dp_se", horizon=1e4)
    dear = setting(algo="ucb", horizon=1e9)
    for looks, found in (
        ([100, 200], [True, False]),
        ([100, 100 + 10**6], [False, False]),
        ([100], [False, False]),
        ([200, 100], [False, False]),
    ):
        assert can_be_added([cheap, dear], looks).tolist() == found
    assert coarse(cheap).checkpoints == 4 and coarse(dear) == dear
    assert coarse(replace(cheap, checkpoints=2)).checkpoints == 2


def test_the_additional_runs_of_an_experiment_take_at_most_a_minute():
    """Experiments of which keys were changed, and other requests, have none."""
    request = requested(experiment="azize2022_fig8")
    each = sum(map(estimated_seconds, request.settings))
    assert has_means(request) and 0 < seconds_of_means(request) <= MINUTE
    fewer = replace(request, settings=request.settings[:1])
    looks = of_auto.OF_EXPERIMENTS.looks(request.runs)
    assert seconds_of_means(fewer) == pytest.approx(
        estimated_seconds(request.settings[0]) * (100_000 - looks[0])
    )
    assert each * (looks[1] - looks[0]) <= MINUTE
    for other in (replace(request, changed=("runs=2",)), requested(algo="dp_se", runs=9)):
        assert not has_means(other) and seconds_of_means(other) == 0.0
