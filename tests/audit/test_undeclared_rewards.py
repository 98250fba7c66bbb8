"""Rewards without a declared range: no verdict, unless the algorithm bounds their effect itself."""

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.audit.requests import requested
from dpbandits.audit.tables import in_words, text_of_findings
from dpbandits.authoring import arms, global_dp, one_release, pull, rounds_left
from dpbandits.settings.choices import algorithm_of
from dpbandits.settings.groups import default_keys


def explore_then_commit(game, rng, eps):
    """eps-DP for rewards in [0, 1]."""
    commit(game, rng, eps, lambda x: x)


def clipped(game, rng, eps):
    """eps-DP for any rewards."""
    commit(game, rng, eps, lambda x: min(max(x, 0.0), 1.0))


def commit(game, rng, eps, used):
    K = arms(game)
    n, sums = max(rounds_left(game) // (2 * K), 1), np.zeros(K)
    for a in range(K):
        sums[a] = sum(used(pull(game, a)) for _ in range(n))
    best = int(np.argmax([x + rng.laplace(0.0, 1.0 / eps) for x in sums]))
    while rounds_left(game) > 0:
        pull(game, best)


def audited(algo, **more):
    [found] = dp.audit(algo, eps=1.0, horizon=8, runs=100, jobs=1, **more).to_dict("records")
    return found


def test_rewards_without_a_range_are_no_verdict():
    """Neither samples nor an alignment decide; both would find a violation with huge rewards."""
    promise = global_dp("its author", alignment=one_release)
    for algo in (explore_then_commit, dp.algorithm(explore_then_commit, guarantee=promise)):
        found = audited(algo)
        assert (found["verdict"], found["why"]) == ("undecided", "declare rewards=")
        assert found["runs"] == found["replays"] == 0 and found["measured"] == 0.0
        assert "declare rewards=(LOW, HIGH)" in found["alignment"]
        assert "undecided: declare rewards=" in text_of_findings([found], "simple")


@pytest.mark.slow
def test_declared_rewards_are_decided_and_the_verdict_says_which_were_tried():
    promise = global_dp("its author", alignment=one_release)
    found = audited(dp.algorithm(explore_then_commit, rewards=(0, 1), guarantee=promise))
    assert found["verdict"] == "consistent" and found["aligned"] == found["replays"] == 100
    assert (found["reward_low"], found["reward_high"]) == (0.0, 1.0)
    assert "0 to 1" in text_of_findings([found], "simple")
    assert "of rewards 0 to 1" in in_words(found | {"witness": None})
    wrong = dp.algorithm(explore_then_commit, rewards=(-2, 1), guarantee=promise)
    found = audited(wrong)
    assert found["verdict"] == "VIOLATED" and found["aligned"] < found["replays"]
    assert (found["reward_low"], found["reward_high"]) == (-2.0, 1.0)


@pytest.mark.slow
def test_an_algorithm_that_clips_needs_no_declared_range():
    found = audited(clipped)
    assert found["verdict"] == "consistent" and found["reward_high"] > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heldp_ucb_bs", "heldp_ucb_ls"])
def test_algorithms_of_the_package_for_any_rewards_have_verdicts(name):
    made, spec = algorithm_of(name, "algo", {}, ())
    config = {**default_keys("audit"), "algo": name}
    targets = [audit.target for audit in requested(config, (), made, spec)]
    assert [target.kind for target in targets] == ["algorithm", "response"]
    assert all(target.source.rewards is None for target in targets)
    assert all(target.unbounded() is None for target in targets)
