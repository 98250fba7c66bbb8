"""A race on regrets with known means: sets of the best, runs where they are needed, two seeds."""

import numpy as np
import pytest
from which_global_race import laps, race

MEANS = np.array([[1.0, 1.3, 3.0, 30.0], [1.0, 1.02, 3.0, 30.0], [2.0, 1.0, 3.0, 30.0]] * 10)
GAMES = np.arange(MEANS.size).reshape(MEANS.shape).tolist()


class Regrets:
    """Runs with a Pareto tail of 2.5, and how many of each were played."""

    def __init__(self, seed, spread=1.0):
        rng = np.random.default_rng(seed)
        noise = (1 + rng.pareto(2.5, (MEANS.size, 1280))) * 1.5 / 2.5
        self.values = MEANS.reshape(-1, 1) * (1 + spread * (noise - 1))
        self.played = np.zeros(MEANS.size, dtype=int)

    def __call__(self, settings, n):
        self.played[list(settings)] = n
        return [self.values[i, :n] for i in settings]


def excluded_winners(one, other):
    """The share of games in which the winner of one map is not among the best of the other."""
    pairs = [*zip(one, other, strict=True), *zip(other, one, strict=True)]
    return np.mean([not b.tied[a.ratio.value.argmin()] for a, b in pairs])


def test_laps():
    assert laps(20, 160) == [20, 40, 80, 160]
    assert laps(20, 100) == [20, 40, 80, 100]
    assert laps(20, 20) == [20]


def test_runs_go_where_it_is_open():
    regrets = Regrets(0, spread=0.1)
    found = race(GAMES, regrets, 20, 1280)
    assert found.decided.all()
    np.testing.assert_array_equal(found.runs, regrets.played)
    runs = found.runs.reshape(MEANS.shape)
    assert (runs[:, 3] == 20).all() and (runs[:, 2] == 20).all()
    assert runs[:, 0].max() < 1280 and (runs[2::3] == 20).all()
    for g, best in enumerate(found.best["mean"]):
        assert best.tied[MEANS[g].argmin()]
        assert best.tied.sum() == 1 or (g % 3 == 1 and best.tied.tolist() == [1, 1, 0, 0])


def test_what_does_not_matter_is_not_decided():
    regrets = Regrets(0)
    race(GAMES, regrets, 20, 1280, lambda game, means: game[0] > 0)
    assert (regrets.played[:4] == 20).all() and regrets.played[4:].max() > 20


def test_one_algorithm_has_won():
    found = race([[0], [1]], Regrets(0), 20, 40)
    assert found.decided.all() and found.runs.tolist() == [20, 20]


@pytest.mark.parametrize("trials", [2, pytest.param(40, marks=pytest.mark.long)])
def test_two_maps_agree(trials):
    """Each holds the best of all games in 95 % of maps, and excludes few winners of the other."""
    maps = [race(GAMES, Regrets(seed), 20, 320) for seed in range(trials)]
    for name in ("mean", "median"):
        held = [
            all(b.tied[m.argmin()] for b, m in zip(one.best[name], MEANS, strict=True))
            for one in maps
        ]
        assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / trials)
    pairs = zip(maps[::2], maps[1::2], strict=True)
    assert max(excluded_winners(a.best["mean"], b.best["mean"]) for a, b in pairs) <= 0.05
