"""Runs that depend on what earlier runs have left behind are refused."""

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.authoring import arms, features, pull, rounds_left
from dpbandits.running.failures import RunsFailed

QUICK = {"env": "bernoulli_c2", "horizon": 20, "runs": 4, "jobs": 1, "backend": "threads"}
SEEN = []
RNG = np.random.default_rng(0)


def by_list(game, rng):
    SEEN.append(0)
    pull(game, len(SEEN) % 5)
    while rounds_left(game) > 0:
        pull(game, 0)


def by_generator(game, rng):
    while rounds_left(game) > 0:
        pull(game, int(RNG.integers(5)))


class ByAttribute:
    """Its counts belong to the class, not to the object."""

    counts = np.zeros(5, int)

    def __init__(self, arms):
        self.arms = arms

    def act(self):
        return int(self.counts.sum()) // 15 % self.arms

    def update(self, arm, reward):
        self.counts[arm] += 1


@pytest.mark.parametrize("algo", [by_list, by_generator, ByAttribute])
def test_runs_that_depend_on_their_order_are_refused(algo):
    with pytest.raises(RunsFailed) as failed:
        dp.run(algo, **QUICK)
    assert "depend on the order of the runs" in str(failed.value)


def test_a_file_may_not_keep_values_either(tmp_path):
    (tmp_path / "algo").mkdir()
    text = "from dpbandits.authoring import pull, rounds_left\nN = 0\n\n\ndef counted(game, rng):\n"
    text += "    global N\n    while rounds_left(game) > 0:\n        pull(game, N // 30 % 5)\n"
    (tmp_path / "algo" / "counted.py").write_text(text + "        N += 1\n")
    with pytest.raises(RunsFailed) as failed:
        dp.run("counted", config_dir=tmp_path, **QUICK)
    assert "keep such values in the object or function of each run" in str(failed.value)


def cached(game, rng):
    """It counts its calls and keeps a result, neither of which changes a run."""
    cached.calls = getattr(cached, "calls", 0) + 1
    SEEN[:1] = [SEEN[0] + 1] if SEEN else [1]
    while rounds_left(game) > 0:
        pull(game, 1)


def test_values_that_change_no_run_may_last():
    assert len(dp.run(cached, **QUICK)["run"].unique()) == QUICK["runs"]


@dp.kernel
def mirroring(game, rng):
    """It changes the game's array of features, and plays the arm of largest first feature."""
    x, best = features(game), 0
    for a in range(arms(game)):
        x[a, 0] *= -1.0
        if x[a, 0] > x[best, 0]:
            best = a
    while rounds_left(game) > 0:
        pull(game, best)


@pytest.mark.slow
def test_each_run_begins_with_the_features_of_the_environment():
    given = QUICK | {"env": "linear", "runs": 60}
    table = dp.run(mirroring, **given, shuffle_arms=False)
    assert table.loc[table["t"] == 20, "regret"].nunique() == 1
