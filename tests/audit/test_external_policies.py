"""Each external policy gets its verdict: a sound one is never refuted, a leaking one never passes.

A policy that leaks has a sound twin in ``external_policies`` that differs in one place.
"""

import external_policies as policies
import numpy as np
import pytest
from tiers import first

import dpbandits as dp
from dpbandits.audit import verdicts
from dpbandits.audit.alignment.align import align, replay_report
from dpbandits.audit.external.choices import response_loss
from dpbandits.audit.external.policy import claimed
from dpbandits.audit.external.targets import PolicyTarget, ResponseTarget
from dpbandits.audit.numbers.streams import Recorder


def audited(policy, **given):
    [found] = dp.audit(policy=policy, eps=1.0, jobs=1, **given).to_dict("records")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("policy", first(policies.CONSISTENT, 4))
def test_sound_policies_are_consistent(policy):
    found = audited(policy, horizon=64)
    assert found["verdict"] == "consistent", found["alignment"]
    assert found["aligned"] == found["replays"] == 100
    chooses = policy is policies.ExponentialMechanism
    assert (found["runs"] > 0) == chooses


@pytest.mark.slow
@pytest.mark.parametrize("policy", first(policies.CONSISTENT_USERS, 2, pytest.mark.long))
def test_sound_local_policies_are_consistent(policy):
    found = audited(policy, local=True, horizon=16)
    assert found["verdict"] == "consistent", found["alignment"]
    assert "at a cost of at most 1 of the budget" in found["alignment"]


@pytest.mark.slow
@pytest.mark.parametrize("policy", first(policies.LEAKING, 2))
def test_leaking_policies_are_not_consistent(policy):
    found = audited(policy, horizon=16, runs=500)
    assert found["verdict"] in ("VIOLATED", "undecided")
    assert found["aligned"] < found["replays"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (policies.ScaleOfData, "draw 3 hides two different changes"),
        (policies.TruncatedNoise, "the run on the other rewards draws other random numbers"),
        (policies.ClippedNoise, "the actions differ; the replay does not follow"),
        (policies.TwoWholeReleases, "the cost is 2, and the budget 1"),
        (policies.NoiseReused, "draw 1 hides several numbers, one of them changed"),
    ],
)
def test_a_replay_says_what_is_wrong(policy, why):
    """The controls are their sound twins, ``CONSISTENT``."""
    found = replay_report(PolicyTarget(claimed(policy), 1.0, {}, (16,)), 0)
    assert found.why.startswith(why) and found.aligned < found.replays


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (policies.NoiseInBatches, ""),  # each user's own noise, in a later round
        (policies.NoiseOfBatches, "the reward enters noise of other users"),
        (policies.NoiseOfAllUsers, "draw 1 hides two different changes"),
    ],
)
def test_noise_of_a_later_round_must_hide_the_reward_itself(policy, why):
    found = replay_report(PolicyTarget(claimed(policy, local=True), 1.0, {}, (16,)), 0)
    assert found.why == why


@pytest.mark.slow
@pytest.mark.parametrize("policy", [policies.FixedSeed, policies.FixedGlobalSeed])
def test_noise_of_a_fixed_seed_is_known(policy):
    """The control draws its seed, ``RandomSeed``."""
    assert audited(policy, horizon=16, runs=500)["verdict"] == "VIOLATED"


@pytest.mark.slow
@pytest.mark.parametrize("policy", first(policies.VIOLATING_USERS, 4, pytest.mark.long))
def test_leaking_local_policies_are_violated(policy):
    found = audited(policy, local=True, horizon=8, runs=2000)
    assert found["verdict"] == "VIOLATED" and found["measured"] >= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("policy", first(policies.UNDECIDED_USERS, 1, pytest.mark.long))
def test_what_replays_cannot_decide_is_undecided(policy):
    """It is sound, but its noise cannot be followed."""
    found = audited(policy, local=True, horizon=8, runs=500)
    assert found["verdict"] == verdicts.UNDECIDED
    assert found["aligned"] < found["replays"]


@pytest.mark.parametrize(
    ("policy", "loss"),
    [
        (policies.TruthOrLie, 1.0),
        (*policies.times(4.0, policies.TruthOrLie), 4.0),
        (policies.HalfBitsHalfLaplace, 1.0),
        (policies.OftenNoisy, np.inf),
        (policies.NoiseInBatches, 0.0),  # the noise of a later round hides the reward
        (policies.RawDecisions, 0.0),  # it has noise always: only samples of its actions tell
        (policies.InverseNoise, 0.0),  # nor is a uniform number a choice that is used otherwise
    ],
)
@pytest.mark.slow
def test_the_loss_of_a_response_that_is_chosen(policy, loss):
    visit = PolicyTarget(claimed(policy, local=True), 1.0, {})
    assert response_loss(visit, 0) == pytest.approx(loss)


@pytest.mark.parametrize(
    ("policy", "numbers"),
    [
        (policies.LocatedUsers, 1),
        (policies.ChosenBits, 1),
        (policies.SentTwice, 2),
        (policies.RoundedUsers, 1),  # the bit with noise, and not the bit
        (policies.FlippedBits, 0),  # the bit is flipped afterwards
        (policies.ThompsonOfBits, 0),
        (policies.TwoNoises, 0),  # the second noise is added to the first sum
    ],
)
def test_a_user_sends_what_no_other_draw_of_the_round_may_hide(policy, numbers):
    pair = np.zeros((8, 2)), np.zeros((8, 2))
    pair[1][0] = 1.0
    user = ResponseTarget(claimed(policy, local=True), 1.0, {}, (8,), pair=pair)
    assert len(user.sent) == numbers


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_noise_around_a_reward_of_0_is_followed(factor):
    """With the reward as the location, the other reward is 1 in most replays."""
    [policy] = policies.times(factor, policies.LocatedUsers)
    target = PolicyTarget(claimed(policy, local=True), 1.0, {}, (8,), (2,))
    found = align(target, 5)
    assert found.holds == (factor == 1.0)
    assert found.holds or found.problem.why == "the cost is 2, and the budget 1"


def recorder(seed=0):
    return Recorder(np.random.default_rng(seed), 1.0)


@pytest.mark.parametrize(
    ("draw", "n"),
    [
        (lambda rng: rng.laplace(0.0, np.array([1.0, 2.0, 3.0])), 3),
        (lambda rng: rng.normal([1.0, 2.0], 1.0), 2),
        (lambda rng: rng.laplace(np.zeros((2, 1)), np.ones(3)), 6),
        (lambda rng: rng.laplace(size=(2, 2)), 4),
        (lambda rng: rng.random(5) < 0.5, 5),
        (lambda rng: rng.choice(["a", "b"], size=4, p=[0.1, 0.9]), 4),
        (lambda rng: rng.binomial(1, [0.2, 0.3]), 2),
        (lambda rng: rng.integers(0, 2, size=3), 3),
        (lambda rng: rng.uniform(-1.0, 1.0), 1),
    ],
)
def test_a_vector_is_as_many_draws_as_it_has_elements(draw, n):
    rng = recorder()
    found = draw(rng)
    assert len(rng.draws) == np.size(found) == n
    assert np.shape(found) == np.shape(draw(np.random.default_rng(0)))


def test_each_element_of_a_vector_has_its_scale_and_what_is_added_to_it():
    rng = recorder()
    noisy = np.array([5.0, 7.0]) + rng.laplace(0.0, [1.0, 2.0])
    noisy *= 1.0
    in_place = np.array([5.0, 7.0])
    in_place += rng.laplace(0.0, np.array([3.0, 4.0]))
    assert [draw.scale for draw in rng.draws] == [1.0, 2.0, 3.0, 4.0]
    assert [draw.added for draw in rng.draws] == [[0.0, 5.0], [0.0, 7.0]] * 2  # location, sum
    assert in_place.dtype == float and [d.sums[1] for d in rng.draws[2:]] == in_place.tolist()
