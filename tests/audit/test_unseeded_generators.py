"""Generators that are made without a seed are found, whatever name they are called by."""

import copy
import pickle
import random

import numpy as np
import pytest
from numpy.random import default_rng, laplace
from policies_elsewhere import SoundDPSE
from refusals import message_of

import dpbandits as dp
from dpbandits.audit.external.policy import examine
from dpbandits.audit.numbers.redirect import BY_NAME, COPIED, SAID, odd_generators
from dpbandits.authoring import arms, pull, rounds_left


@pytest.mark.parametrize(
    ("make", "n"),
    [
        (default_rng, 1),
        (lambda: np.random.default_rng(None), 1),
        (np.random.SeedSequence, 1),
        (np.random.PCG64, 1),
        (np.random.RandomState, 1),
        (lambda: default_rng(3), 0),
        (lambda: default_rng(np.random.SeedSequence(5)).spawn(2), 0),
        (random.random, 0),
    ],
)
def test_a_missing_seed_is_seen(make, n):
    with odd_generators() as odd:
        make()
    assert odd == [SAID] * n
    default_rng()
    assert len(odd) == n


class Unseeded(SoundDPSE):
    """Its generator has no seed, and a name that the audit cannot replace."""

    def __init__(self, arms, horizon, eps, rng):
        super().__init__(arms, horizon, eps, default_rng())


class UnseededByModule(SoundDPSE):
    """The generator is made by a function that the audit replaces while it plays."""

    def __init__(self, arms, horizon, eps, rng):
        super().__init__(arms, horizon, eps, np.random.default_rng())


@pytest.mark.slow
def test_the_numbers_of_an_external_policy_are_called_undetermined():
    [found] = dp.audit(policy=Unseeded, horizon=8, runs=100, jobs=1).to_dict("records")
    assert found["verdict"] == "undecided" and found["why"] == SAID
    assert found["alignment"].startswith(f"{SAID}.\n")


@pytest.mark.slow
def test_those_of_a_function_of_numpy_are_the_audits_own():
    assert not examine(UnseededByModule).odd and examine(Unseeded).odd == (SAID,)
    [found] = dp.audit(policy=UnseededByModule, horizon=8, jobs=1).to_dict("records")
    assert found["verdict"] == "consistent" and found["why"] == ""


class Copying(SoundDPSE):
    """It draws from a copy of its generator: each game has other noise, so it is private."""

    def __init__(self, arms, horizon, eps, rng):
        super().__init__(arms, horizon, eps, copy.deepcopy(rng))


class ByName(SoundDPSE):
    """Its noise comes from a function of numpy.random that its file imports."""

    def release(self, sums):
        return [x + laplace(0.0, 2.0 / self.eps) for x in sums]  # noqa: NPY002


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_draws_the_numbers_of_the_generator(copied):
    rng = default_rng(3)
    with odd_generators() as odd:
        twin = copied(rng)
    assert odd == [COPIED] and (twin.random(3) == rng.random(3)).all()
    assert twin.spawn(1)[0].random() == default_rng(3).spawn(1)[0].random()


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "why"), [(Copying, COPIED), (ByName, BY_NAME)])
def test_replays_that_cannot_follow_a_private_policy_say_why(policy, why):
    [found] = dp.audit(policy=policy, eps=1, horizon=16, runs=300, jobs=1).to_dict("records")
    assert (found["verdict"], found["why"]) == ("undecided", why)


def playing(make):
    """An algorithm that draws its arms from a generator."""

    def at_random(game, rng, eps):
        own = make(rng)
        while rounds_left(game) > 0:
            pull(game, int(own.integers(arms(game))))

    return dp.algorithm(at_random, rewards=(0, 1))


def test_an_algorithm_that_makes_one_is_refused():
    message = message_of(dp.audit, playing(lambda rng: default_rng()), eps=1.0, runs=100)
    assert message == f"algo=at_random: {SAID}"


@pytest.mark.parametrize(
    ("make", "why"), [(copy.deepcopy, COPIED), (lambda rng: Global(), BY_NAME)]
)
def test_an_algorithm_that_no_replay_can_follow_is_refused(make, why):
    message = message_of(dp.audit, playing(make), eps=1.0, runs=100)
    assert message == f"algo=at_random: {why}"


class Global:
    """Its numbers come from a function of ``random`` that this file has kept."""

    draw = staticmethod(random.randrange)

    def integers(self, n):
        return self.draw(n)


@pytest.mark.slow
def test_an_algorithm_that_seeds_its_generator_is_not_refused():
    algo = playing(lambda rng: default_rng(rng.integers(2**63)))
    [found] = dp.audit(algo, eps=1.0, horizon=8, runs=100, jobs=1).to_dict("records")
    assert found["verdict"] == "consistent"
