"""Audits of policies that know nothing of the package: sound ones hold, broken twins do not."""

import random

import numpy as np
import policies_elsewhere as policies
import pytest
from refusals import message_of
from tiers import first

import dpbandits as dp
from dpbandits.audit.alignment.replayed_streams import Replay
from dpbandits.audit.external.policy import claimed, play_external
from dpbandits.audit.external.targets import PolicyTarget, ResponseTarget
from dpbandits.audit.numbers.redirect import redirect_random
from dpbandits.audit.numbers.streams import Recorder
from dpbandits.audit.sampling.auditor import audit


def verdict(policy, eps, **given):
    [found] = dp.audit(policy=policy, eps=eps, jobs=1, **given).to_dict("records")
    assert found["name"] == policy.__name__ and found["eps"] == found["promised"] == eps
    return found


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.1, 1.0])
@pytest.mark.parametrize("policy", first(policies.SOUND))
def test_sound_policies_are_consistent(policy, eps):
    found = verdict(policy, eps, horizon=64)
    assert found["verdict"] == "consistent" and found["runs"] == 0
    assert found["aligned"] == found["replays"] == 100
    assert "at a cost of at most 1 of the budget" in found["alignment"]


TWINS = [(policy, eps) for eps in (1.0, 0.1) for policy in policies.BROKEN[::-1]]


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "eps"), first(TWINS, 1, pytest.mark.long))
def test_broken_twins_are_caught(policy, eps):
    """At eps .1 with the usual horizons; only many runs of 8 rounds show half of the noise."""
    short = {"horizon": 8} if policy is policies.HalfTheNoise else {}
    found = verdict(policy, eps, **({"horizon": 64} if eps == 1.0 else short))
    assert found["verdict"] == "VIOLATED" and found["measured"] >= eps
    assert found["aligned"] < found["replays"]


@pytest.mark.slow
@pytest.mark.parametrize("policy", policies.SOUND_USERS)
def test_sound_local_policies_are_consistent(policy):
    found = verdict(policy, 0.5, local=True, horizon=16)
    assert found["verdict"] == "consistent"
    assert "at a cost of at most 1 of the budget" in found["alignment"]


@pytest.mark.parametrize("policy", first(policies.BROKEN_USERS[::-1]))
def test_local_policies_that_send_too_much_are_caught(policy):
    found = verdict(policy, 0.5, local=True, horizon=8, runs=2_000)
    assert found["verdict"] == "VIOLATED" and found["kind"] == "response"


@pytest.mark.slow
def test_what_an_aligned_policy_spends_is_sampled_without_a_violation():
    """The sampling audit itself, of a policy that needs none."""
    visitor = PolicyTarget(claimed(policies.SoundDPSE), 1.0, {}, (8,))
    found = audit(visitor, runs=2_000, seed=1, candidates=24)
    assert not found.violated and found.runs <= 2_000


def test_all_sources_of_random_numbers_are_one_while_a_policy_plays():
    state, rng = np.random.get_state()[1].copy(), np.random.default_rng(7)
    functions = random.random, np.random.laplace, np.random.default_rng, random.Random
    with redirect_random(rng):
        found = [
            np.random.rand(), np.random.random(), np.random.RandomState(3).laplace(),
            np.random.default_rng(5).normal(), random.random(), random.Random(4).gauss(1.0, 2.0),
            np.random.randint(10), random.randrange(10), random.choice("abcdefghij"),
        ]  # fmt: skip
        mixed = list(range(20))
        random.shuffle(mixed)
        np.random.shuffle(mixed)
        np.random.seed(0)
        random.seed(0)
    same = np.random.default_rng(7)
    wanted = [same.random(), same.random(), same.laplace(), same.normal(), same.random()]
    assert found[:5] == wanted and found[5] == same.normal(1.0, 2.0)
    assert sorted(mixed) == list(range(20)) and mixed != list(range(20))
    assert functions == (random.random, np.random.laplace, np.random.default_rng, random.Random)
    assert np.array_equal(np.random.get_state()[1], state)


def test_a_seed_that_was_used_before_gives_the_same_numbers_again():
    """A seed of another kind of generator gives other numbers; without seeds, nothing is known."""
    with redirect_random(np.random.default_rng(7)):
        first, again, third = (np.random.default_rng(5).random() for _ in range(3))
        np.random.seed(5)
        random.seed(5)
        others = np.random.random(), random.random(), np.random.RandomState(5).random()
    assert len({first, again, *others}) == 5 and again == third
    with redirect_random(np.random.default_rng(7), fixed=True):
        same, legacy = np.random.default_rng(5).random(), np.random.RandomState(5).random()
    assert same == again and legacy == others[2]


@pytest.mark.slow
def test_generators_of_the_same_seed_have_the_same_noise():
    """The control takes a new seed each time."""
    assert verdict(policies.SeedsOfNumpy, 1.0, horizon=16, runs=500)["verdict"] == "consistent"
    found = verdict(policies.SameSeedAgain, 1.0, horizon=16, runs=2_000)
    assert found["verdict"] == "VIOLATED" and "generators with the same seed" in found["alignment"]


def test_a_replay_of_a_policy_is_its_game():
    visit = PolicyTarget(claimed(policies.LegacyDPSE), 1.0, {})
    table = np.random.default_rng(0).random((64, 3))
    recorded = Recorder(np.random.default_rng(1), 1.0)
    seen = visit.play_traced(table, recorded)
    replayed = Replay(recorded.draws)
    again = visit.play_traced(table, replayed)
    assert np.array_equal(seen.arms, again.arms) and replayed.moved is None
    assert len(seen.arms) == 64 and seen.rewards.reads == list(enumerate(seen.arms.tolist()))


@pytest.mark.slow
def test_random_numbers_that_are_not_recorded_leave_it_to_samples(monkeypatch):
    """The generator begins here, whichever tests have used it; of other seeds, some say only that
    the actions differ.
    """
    monkeypatch.setattr(policies.HiddenNoise, "hidden", np.random.default_rng(11))
    found = verdict(policies.HiddenNoise, 1.0, horizon=8, runs=500)
    assert found["runs"] > 0 and found["aligned"] < found["replays"]
    assert "a random number is used in a way that the replay cannot follow" in found["alignment"]


@pytest.mark.slow
def test_a_response_is_the_first_noise_with_what_it_is_added_to():
    pair = np.zeros((8, 2)), np.zeros((8, 2))
    pair[1][2] = 1.0
    user = ResponseTarget(claimed(policies.LaplaceUsers, local=True), 0.5, {}, (8,), pair=pair)
    seen = [user.sample(x, 1_000, np.random.default_rng(3)).ravel() for x in pair]
    assert [x.mean() for x in seen] == pytest.approx([0.0, 1.0], abs=0.25)
    assert [x.std() for x in seen] == pytest.approx([8**0.5, 8**0.5], rel=0.1)
    assert user.columns(pair[0]) == ["response in round 3"]


def test_a_game_has_its_rounds_whoever_counts_them():
    table = np.arange(12.0).reshape(6, 2)
    rewards = lambda t, a: table[t, a]  # noqa: E731
    rng = np.random.default_rng(0)
    assert play_external(policies.InTurn, rewards, 2, 6, 1.0, rng) == [0, 1] * 3
    assert play_external(policies.Endless, rewards, 2, 6, 1.0, rng) == [1] * 6
    assert play_external(policies.Brief, rewards, 2, 6, 1.0, rng) == [0, 0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"policy": policies.TooFar}, "it chose arm 2 of 2 arms"),
        ({"policy": object}, "takes no arguments"),
        ({"policy": policies.nothing}, "a policy has the method choose, act, choice"),
        ({"policy": 3}, "a policy is called as policy(arms=K, horizon=T, eps=eps, rng=generator)"),
        ({"policy": policies.InTurn, "rho": 1}, "an audit of policies takes no rho"),
        ({"policy": policies.InTurn, "results": "r"}, "an audit of policies takes no results"),
        ({"policy": policies.InTurn, "algo": "ucb"}, "an audit of policies takes no algo"),
        ({"policy": policies.InTurn, "m": 1}, "unknown parameter of policy=InTurn: 'm'"),
        ({"policy": policies.InTurn, "exact": True}, "only algorithms have an exact loss"),
        ({"policy": policies.InTurn, "eps": 0}, "eps=0"),
        ({"policy": policies.InTurn, "horizon": 1}, "horizon=1"),
        ({"policy": policies.InTurn, "runs": 5}, "runs=5"),
        ({"local": True, "algo": "ldpr_se"}, "local=True: only a policy needs this key"),
    ],
)
def test_what_cannot_be_audited_is_refused(given, words):
    given = {"horizon": 8, **given} if "policy" in given else given
    assert words in message_of(dp.audit, **given)
