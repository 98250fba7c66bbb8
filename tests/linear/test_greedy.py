"""Messages of the greedy algorithms with local privacy, and how ties are broken."""

import math

import numpy as np
import pytest
from greedy_references import sphere_message as slow_message
from helpers import SIGMAS
from scipy.stats import ks_2samp

from dpbandits.authoring import greedy, send_direction
from dpbandits.parts.noise.sphere import sphere_radius

R = 2.0  # of messages about gradients


def messages(v, eps, runs, seed=0):
    rng, found = np.random.default_rng(seed), np.tile(np.array(v), (runs, 1))
    z, radius = np.zeros(len(v)), sphere_radius(len(v), eps, R)
    for message in found:
        send_direction(rng, message, z, radius, eps, R)
    return found


@pytest.mark.parametrize("v", [[1.5], [0.6, -0.8], [0.0, 1.2, 1.6], [0.0, 0.0], [0.3] * 6])
def test_messages_are_unbiased(v):
    found = messages(v, 1.0, 3000)
    error = found.std(axis=0).max() / math.sqrt(len(found))
    assert np.abs(found.mean(axis=0) - v).max() < SIGMAS * error
    assert np.ptp(np.linalg.norm(found, axis=1)) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("v", [[1.5], [0.6, -0.8], [0.0, 1.2, 1.6]])
def test_messages_have_the_law_of_the_two_steps_of_the_paper(v):
    fast = messages(v, 1.5, 20_000)
    along = np.array(v) / np.linalg.norm(v)
    for mutant in ("", "half", "d"):
        slow = slow_message(np.random.default_rng(1), np.tile(v, (20_000, 1)), 1.5, R, mutant)
        lengths = (np.linalg.norm(x[0]) for x in (slow, fast))
        assert np.isclose(*lengths) == (mutant != "d")
        both = (np.round(x @ along, 9) for x in (slow, fast))  # a law of few points has ties
        assert (ks_2samp(*both).pvalue > 1e-6) == (mutant == "")


def test_in_one_dimension_a_message_is_randomised_response():
    assert np.allclose(np.abs(messages([0.7], 1.0, 50)), R / math.tanh(0.5))


def test_without_noise_the_message_is_the_vector():
    assert (messages([0.3, 0.4], math.inf, 3) == [0.3, 0.4]).all()


def test_ties_are_broken_at_random():
    rng, x = np.random.default_rng(0), np.random.default_rng(1).standard_normal((4, 2))
    played = np.bincount([greedy(rng, np.zeros(2), x) for _ in range(2000)], minlength=4)
    assert played.min() > 400
    assert {greedy(rng, np.array([1.0, 0.0]), x) for _ in range(50)} == {int(x[:, 0].argmax())}
