"""No policy that is not private is called consistent, and no private one is called VIOLATED."""

import itertools
import time

import numpy as np
import outside_policies as policies
import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.audit.alignment.align import align
from dpbandits.audit.external.policy import claimed
from dpbandits.audit.external.targets import PolicyTarget
from dpbandits.audit.numbers.streams import Recorder


def audited(policy, **given):
    [found] = dp.audit(policy=policy, **({"eps": 1.0, "jobs": 1} | given)).to_dict("records")
    return found


def seconds_by_looks():
    """A clock that goes on by a second whenever one looks at it."""
    return map(float, itertools.count()).__next__


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.1, 1.0])
@pytest.mark.parametrize("policy", policies.FOLLOWED)
def test_sound_policies_are_consistent(policy, eps):
    found = audited(policy, horizon=64, eps=eps)
    assert found["verdict"] == "consistent", found["alignment"]
    assert found["tried"] == "100 replays of 64 rounds with 2, 3, 5, 10 or 20 arms"


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "what"), policies.NOT_FOLLOWED.items())
def test_sound_policies_that_replays_do_not_follow_are_undecided(policy, what):
    found = audited(policy, horizon=16, runs=200)
    assert found["verdict"] == "undecided"
    assert what in found["why"] and found["why"].startswith("the actions differ; the replay does")


@pytest.mark.slow
@pytest.mark.parametrize("policy", policies.BROKEN)
def test_broken_policies_are_not_consistent(policy, monkeypatch):
    """With the usual horizons and arms; a few replays are enough to fail."""
    monkeypatch.setattr(time, "time", seconds_by_looks())
    few = {"arms": 2, "max_time": 20} if policy is policies.CoinsAlways else {"max_time": 60}
    found = audited(policy, runs=100, **few)
    assert found["verdict"] in ("VIOLATED", "undecided"), found["alignment"]
    assert found["aligned"] < found["replays"], found["alignment"]


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("policy", [policies.NoNoiseOfManyArms, policies.NoNoiseLate])
def test_large_games_are_tried_with_every_seed(policy, seed):
    assert align(PolicyTarget(claimed(policy), 1.0, {}), seed=seed).problem is not None


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("many", [7, 10, 20])
def test_no_noise_in_games_of_many_arms_is_noticed_wherever_many_begins(many, seed):
    policy = type("NoNoise", (policies.NoNoiseOfManyArms,), {"many": many})
    assert align(PolicyTarget(claimed(policy), 1.0, {}), seed=seed).problem is not None


@pytest.mark.long
def test_where_choices_are_charged_the_actions_are_sampled():
    """The exponential mechanism in each fourth round is refuted by one event of its actions."""
    found = audited(policies.ExponentialAlways, arms=2, horizon=64, runs=2_000)
    assert found["verdict"] == "VIOLATED" and found["measured"] >= 1.0
    assert "the cost is" in found["alignment"]


@pytest.mark.slow
def test_requested_sizes_are_those_that_are_tried():
    found = audited(policies.ListOfNoise, arms=[4, 6], horizon=[12, 20])
    assert found["tried"] == "100 replays of 12 to 20 rounds with 4 or 6 arms"
    assert "max_time=0" in message_of(dp.audit, policy=policies.ListOfNoise, max_time=0)
    assert "arms=1" in message_of(dp.audit, policy=policies.ListOfNoise, arms=1)
    words = "the audit of mechanism=tree takes no arms"
    assert words in message_of(dp.audit, mechanism="tree", arms=3)


@pytest.mark.slow
def test_what_is_finished_in_time_is_kept(capsys, monkeypatch):
    """Two budgets."""
    clock = seconds_by_looks()
    monkeypatch.setattr(time, "time", clock)
    found = dp.audit(
        policy=policies.GumbelEachRound, eps=[0.1, 1], horizon=[8, 16], jobs=1, max_time=160
    )
    assert clock() < 200
    assert found["verdict"].tolist() == ["undecided"] * 2 and (found["replays"] > 0).all()
    lines = capsys.readouterr().err.splitlines()
    assert "GumbelEachRound at eps 0.1: replays of up to 16 rounds" in lines
    assert any(line.startswith("GumbelEachRound at eps 1: samples") for line in lines)


def test_replays_that_the_time_cuts_are_undecided():
    found = audited(policies.ListOfNoise, horizon=64, max_time=1e-9)
    assert found["verdict"] == "undecided" and found["why"] == "max_time= ended the audit"


def test_an_exponential_number_alone_has_its_law():
    """A part of Laplace noise, of which half were 0."""
    rng = Recorder(np.random.default_rng(0), 1.0)
    found = [float(rng.exponential(2.0, size=1)[0]) for _ in range(4_000)]
    assert min(found) > 0.0 and np.mean(found) == pytest.approx(2.0, rel=0.1)


def test_later_choices_are_part_of_the_loss_of_a_choice():
    """The choice after the changed reward costs at most eps; those of later rounds are others."""
    target = PolicyTarget(claimed(policies.ExponentialAlways), 1.0, {})
    table = np.zeros((16, 2))
    other = table.copy()
    other[2, 0] = 1.0
    record = Recorder(np.random.default_rng(0), 1)
    target.play_traced(table, record)
    assert target.loss_of_choices((table, other), record.draws) == np.inf
    last = table.copy()
    last[15, 0] = 1.0  # nothing is chosen after the last reward
    assert target.loss_of_choices((table, last), record.draws) == 0.0
