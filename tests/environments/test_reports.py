"""Outliers in the place of rewards or of reports, outliers that know the algorithm; drawn means."""

import math

import numpy as np
import pytest
from helpers import SIGMAS, contaminated, game_of, games_of, play, table

import dpbandits as dp
from dpbandits.environments.catalogue import build
from dpbandits.game import (
    advance,
    hold,
    pull_held_within,
    pull_reports_in_turn,
    pull_truncated_in_turn,
    receive,
)

CLEAN = {"law": "pareto", "means": [0.9, 0.4], "shape": 3}
LEVEL, ALPHA = 1.3, 0.2


def foul(stage, inlier=CLEAN, outlier=None):
    return contaminated(inlier, ALPHA, outlier or {"law": "largest", "k": 2}, stage=stage)


def pull_within(game, a, level):
    """Play arm ``a`` for one round; the user truncates the reward at ``level``."""
    x = pull_held_within(game, hold(game, a), game.clock[0], level)
    advance(game, a, 1)
    return x


@pytest.mark.parametrize("stage", ["rewards", "reports"])
def test_outliers_replace_a_share_of_the_rewards_or_of_the_reports(stage):
    game, n = game_of(foul(stage)), 20_000
    x = np.array([pull_within(game, 1, LEVEL) for _ in range(n)])
    z = np.array([receive(game, 1, -5.0, 7.0) for _ in range(n)])
    out_of_rewards, out_of_reports = (x == LEVEL).sum(), (z == 7.0).sum()
    assert set(z) <= {-5.0, 7.0} and game.counts.tolist() == [0, n]
    replaced, whole = out_of_rewards, out_of_reports
    if stage == "reports":
        replaced, whole = whole, replaced
    assert whole == 0
    assert abs(replaced - ALPHA * n) < SIGMAS * math.sqrt(ALPHA * (1 - ALPHA) * n)


def one_by_one(game, n, level, largest):
    """Sum of truncated rewards and outlying reports, and how many reports arrive, of one arm."""
    total, sent = 0.0, 0
    for _ in range(n):
        x = pull_within(game, 0, level)
        z = receive(game, 0, math.inf, largest)
        sent += math.isinf(z)
        total += (x if abs(x) <= level else 0.0) if math.isinf(z) else z
    return total, sent


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["rewards", "reports"])
@pytest.mark.parametrize("outlier", [{"law": "largest", "k": 2}, 4.0])
@pytest.mark.parametrize(
    "inlier", [CLEAN, table([[0.3, 0.9], [0.7, 2.0]] * 20)], ids=["law", "table"]
)
def test_blocks_of_reports_have_the_law_of_single_ones(stage, outlier, inlier):
    spec, runs, n = foul(stage, inlier, outlier), 3000, 40 if "means" in inlier else 20
    games = games_of(spec)
    blocks, single = [], []
    for run in range(runs):
        game, sums, sent = games(run), np.zeros(2), np.zeros(2)
        pull_reports_in_turn(game, np.array([0]), n, LEVEL, 7.0, sums, sent)
        assert game.counts.tolist() == [n, 0]
        blocks.append((sums[0], sent[0]))
        single.append(one_by_one(games(runs + run), n, LEVEL, 7.0))
    blocks, single = np.array(blocks), np.array(single)
    error = np.sqrt((blocks.var(axis=0) + single.var(axis=0)) / runs)
    assert (np.abs(blocks.mean(axis=0) - single.mean(axis=0)) <= SIGMAS * error).all()
    spread = math.sqrt(2 / runs) * (blocks.var(axis=0) + single.var(axis=0))
    assert (np.abs(blocks.var(axis=0) - single.var(axis=0)) <= SIGMAS * spread).all()
    if stage == "rewards":  # then the block is that of the other verb, number by number
        game, sums = game_of(spec, env_rng=0), np.zeros(2)
        pull_truncated_in_turn(game, np.array([0]), n, LEVEL, sums)
        assert sums[0] == blocks[0, 0] and blocks[0, 1] == n


@pytest.mark.slow
def test_without_local_privacy_the_stage_makes_no_difference():
    one, other = (
        play("prae_r", foul(stage), 5000, run=3, alpha1=ALPHA) for stage in ("rewards", "reports")
    )
    assert (one == other).all()
    one, other = (
        play("ctl_ucb", foul(stage), 5000, eps=0.05, run=3) for stage in ("rewards", "reports")
    )
    assert (one != other).any()  # control: a locally private algorithm


def test_outliers_do_not_change_the_regret_of_a_truncating_algorithm_by_their_size():
    """What knows the level is kept by every truncation, and a value beyond it is dropped."""
    known = game_of(foul("rewards"))
    far = game_of(foul("rewards", outlier=50.0))
    sums = np.zeros(2)
    pull_truncated_in_turn(known, np.array([0]), 10_000, LEVEL, sums)
    kept = sums[0]
    pull_truncated_in_turn(far, np.array([0]), 10_000, LEVEL, sums)
    assert abs(kept - sums[0] - ALPHA * LEVEL * 10_000) < 300


def refused(**given):
    with pytest.raises(dp.BadInput) as error:
        dp.run(horizon=10, runs=1, **given)
    [line] = str(error.value).splitlines()
    return line


@pytest.mark.slow
def test_algorithms_that_cannot_lose_reports_refuse_the_environment():
    spec = dp.contaminated(dp.bernoulli([0.9, 0.1]), 0.1, 0.5, stage="reports")
    line = refused(algo="heldp_ucb_b", env=spec, assume=True)
    assert "outliers replace messages of users" in line and "env.stage=rewards" in line
    dp.run(algo="ldpr_se", env=spec, assume=True, horizon=10, runs=1)
    dp.run(algo="adap_ucb", env=spec, assume=True, horizon=10, runs=1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"env": dp.contaminated("bernoulli_c2", 0.1, 0.5, stage="report")},
         "stage=report: rewards or reports is needed"),
        ({"env": dp.uniform_means(0.6, 0.4)}, "0 <= low < high <= 1"),
        ({"env": dp.uniform_means(-0.1, 0.4)}, "0 <= low < high <= 1"),
        ({"env": dp.uniform_means(0.1, 0.4, arms=1)}, "arms=1"),
        ({"env": dp.uniform_means(0.1, 0.4, instance=-1)}, "instance=-1"),
        ({"env": dp.uniform_means(0.1, 0.4, instance=0.5)}, "instance=0.5"),
        ({"env": "wu_pareto", "algo": "ctl_ucb", "eps": math.inf}, "finite number above 0"),
        ({"env": "wu_pareto", "algo": "ctl_ucb", "k": 1}, "above 1"),
        ({"env": "wu_pareto", "algo": "ltc_ucb", "alpha1": 0.5}, "alpha1=0.5"),
        ({"env": "zhou_ctl", "algo": "ctl_ucb", "alpha1": 0.01}, "at most alpha1 = 0.01"),
        ({"env": "bernoulli_c2", "algo": "dist_dp_se", "batches": 4}, "quadrupled"),
        ({"env": "wu_pareto", "algo": "dist_dp_se"}, "rewards in [0, 1]"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_line(given, words):
    assert words in refused(**{"algo": "ucb", **given})


def test_drawn_means_are_those_of_their_number():
    spec = {"law": "uniform_means", "low": 0.2, "high": 0.3, "arms": 1000, "instance": 4}
    one, same = build(spec).means, build(spec).means
    other = build(spec | {"instance": 5}).means
    assert (one == same).all() and not (one == other).any()
    assert 0.2 <= one.min() < 0.201 and 0.299 < one.max() <= 0.3
    assert abs(one.mean() - 0.25) < SIGMAS * 0.1 / math.sqrt(12 * 1000)
