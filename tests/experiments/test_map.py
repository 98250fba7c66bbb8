"""The map of the best algorithms: the sets that it names, its figure, and its page."""

import itertools

import numpy as np
import pandas as pd
import pytest
import which_global_map
import which_global_page
from which_global_seeds import contradictions

from dpbandits.contracts.question import REGRET
from dpbandits.figures.draw import load_script
from dpbandits.results.table import Table
from dpbandits.settings.compose import request_from

ALGORITHMS = {"dp_se": 10.0, "dp_klucb": 1.0, "dp_imed": 1.02}


def runs_of_a_map():
    """Two gaps, arms and budgets; DP-KLUCB and DP-IMED are nearly equal, nothing learns at .01."""
    rng = np.random.default_rng(0)
    parts = []
    for gap, arms, eps in itertools.product((0.01, 0.1), (2, 5), (0.1, 1.0)):
        for algo, factor in ALGORITHMS.items():
            n = 20 if algo == "dp_se" else 80
            regret = 9000.0 if gap == 0.01 else 100 * factor * (1 + 0.1 * rng.random(n))
            parts.append(
                pd.DataFrame({
                    "algo": algo, "env": "one_better", "eps": eps, "horizon": 10**6, "seed": 0,
                    "env.gap": gap, "env.arms": arms, "run": np.arange(n), "t": 10**6,
                    "regret": regret,
                })
            )  # fmt: skip
    return pd.concat(parts, ignore_index=True)


@pytest.mark.slow
def test_sets_figure_and_page(tmp_path):
    which, frame = load_script("which_global"), runs_of_a_map()
    table = Table.of_frame(frame)
    for found in which.sets(table).values():
        learnt = found.xs(0.1, level="env.gap")
        assert not learnt["dp_se"].any() and learnt["dp_klucb"].all()
        assert found.loc[(10**6, 2, 0.01, 1.0)].all()
    figure = which.draw(table)
    assert len(figure.axes) == 4
    assert "20 or 80 runs" in figure.get_supxlabel()
    frame.to_csv(tmp_path / "which_global.csv", index=False)
    text = which_global_page.page(tmp_path)
    (line,) = (x for x in text.splitlines() if x.startswith("| DP-SE"))
    assert [cell.strip() for cell in line.split("|")[2:7]] == ["0 %"] * 5
    assert text.startswith("T = 1e6, 4 games in which some algorithm learns:")


@pytest.mark.slow
def test_two_maps_are_compared():
    one = runs_of_a_map()
    first = Table.of_frame(one)
    assert [found[1:] for found in contradictions(first, first)] == [(0, 16), (0, 16)]
    learnt = (one["env.gap"] == 0.1) & (one["env.arms"] == 2)
    other = one.assign(regret=one["regret"].mask(learnt & (one["algo"] == "dp_se"), 1.0))
    assert [found[1:] for found in contradictions(first, Table.of_frame(other))] == [
        (4, 16),
        (4, 16),
    ]


@pytest.mark.slow
def test_games_and_laps():
    settings = request_from(REGRET, {"experiment": "which_global"}, {}).settings
    games = which_global_map.games_of(settings)
    assert len(settings) == 1890 and sorted(map(len, games)) == [5] * 126 + [10] * 126
    assert all(len({settings[i].budget for i in game}) == 1 for game in games)
    assert which_global_map.most_runs(20) == 160


@pytest.mark.parametrize(("regret", "learnt"), [(2000.0, True), (3000.0, False)])
def test_nothing_learnt(regret, learnt):
    which = load_script("which_global")
    assert which.nothing_learnt(regret, 10**6, 2, 0.01) != learnt
