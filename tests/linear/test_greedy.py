"""Greedy algorithms with local privacy: messages, alignments and broken twins."""

import math

import numpy as np
import pytest
from greedy_references import sphere_message as slow_message
from helpers import SIGMAS, algorithm, defaults
from scipy.stats import ks_2samp
from test_linear_privacy import policy, replaced
from test_private_contexts import between_messages

import dpbandits as dp
from dpbandits.algorithms import ldp_ols
from dpbandits.audit.alignment.align import align
from dpbandits.authoring import gaussian
from dpbandits.parts.linear.greedy import greedy
from dpbandits.parts.noise.sphere import choose_side, send_direction, sphere_radius

R = 2.0  # of messages about gradients

# messages


def messages(v, eps, runs, seed=0):
    rng, found = np.random.default_rng(seed), np.tile(np.array(v), (runs, 1))
    z, radius = np.zeros(len(v)), sphere_radius(len(v), eps, R)
    for message in found:
        send_direction(rng, message, z, radius, eps, R)
    return found


@pytest.mark.parametrize("v", [[1.5], [0.6, -0.8], [0.0, 1.2, 1.6], [0.0, 0.0], [0.3] * 6])
def test_messages_are_unbiased(v):
    """Mutation: the radius of d + 1 dimensions."""
    found = messages(v, 1.0, 3000)
    error = found.std(axis=0).max() / math.sqrt(len(found))
    assert np.abs(found.mean(axis=0) - v).max() < SIGMAS * error
    assert np.ptp(np.linalg.norm(found, axis=1)) < 1e-9


@pytest.mark.slow
def test_the_radius_of_another_dimension_is_biased():
    v = np.tile([0.0, 2.0], (40_000, 1))
    for mutant in ("", "d", "half"):
        found = slow_message(np.random.default_rng(0), v, 2.0, R, mutant)
        error = found.std(axis=0).max() / math.sqrt(len(found))
        assert (np.abs(found.mean(axis=0) - v[0]).max() < SIGMAS * error) == (mutant == "")


@pytest.mark.slow
@pytest.mark.parametrize("v", [[1.5], [0.6, -0.8], [0.0, 1.2, 1.6]])
def test_messages_have_the_law_of_the_two_steps_of_the_paper(v):
    fast = messages(v, 1.5, 20_000)
    along = np.array(v) / np.linalg.norm(v)
    for mutant in ("", "half"):
        slow = slow_message(np.random.default_rng(1), np.tile(v, (20_000, 1)), 1.5, R, mutant)
        assert np.isclose(np.linalg.norm(slow[0]), np.linalg.norm(fast[0]))
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


def test_messages_of_least_squares_are_as_far_apart_as_is_said():
    """In units of s: 4 for one context and opposite rewards."""
    rng = np.random.default_rng(0)
    for d in (1, 2, 3):
        found = between_messages(rng, 20_000, d, of_matrix=1 / 4, shared=2)
        assert 4.0 - 1e-9 < found.max() <= 4.0 + 1e-9
    assert math.isclose(ldp_ols.noise_ratio({"eps": 1.0, "delta": 0.1, "calibration": 0.0}),
                        2.0 / (2.0 * math.sqrt(2.0 * math.log(12.5))))  # fmt: skip


# privacy


def too_far(rng, v, z, scale, eps, R):
    choose_side(rng, v, z, scale, eps, R / 2)  # a vector of length R has the bias of one of 2 R


def too_sure(rng, v, z, scale, eps, R):
    choose_side(rng, v, z, scale, 4 * eps, R)


def unhidden(rng, v, z, radius, eps, R):
    """The message is the vector, after as many random numbers."""
    send_direction(rng, v.copy(), z, radius, eps, R)


def half_message(rng, M, X, a, r, sigma):
    d = len(M) - 1
    for p in range(d + 1):
        for q in range(min(p + 1, d)):
            entry = (r if p == d else X[a, p]) * X[a, q]
            M[p, q] = M[p, q] + (entry + gaussian(rng, sigma / 2))


SGD, OLS = algorithm("ldp_sgd").function, algorithm("ldp_ols").function


def with_side(choose_side):
    return replaced(SGD, send_direction=replaced(send_direction, choose_side=choose_side))


BROKEN = {
    "a probability of four times the budget": ("ldp_sgd", with_side(too_sure)),
    "the vector itself": ("ldp_sgd", replaced(SGD, send_direction=unhidden)),
    "noise without the factor 2": ("ldp_ols", replaced(OLS, receive_message=half_message)),
}


@pytest.mark.parametrize("twin", BROKEN)
def test_broken_twins_are_not_aligned(twin):
    name, own = BROKEN[twin]
    found = align(policy(name, {}, 0.5, own), 40)
    assert not found.holds and found.problem is not None


@pytest.mark.slow
def test_a_vector_beyond_r_keeps_the_promise():
    assert align(policy("ldp_sgd", {}, 1.0, with_side(too_far)), 10).holds


def test_guarantees_are_printed():
    words = algorithm("ldp_sgd").promise({"eps": 1.0})
    assert words.startswith("1-pure local DP of each user's message between any two rounds, for")
    exact = algorithm("ldp_ols").promise(defaults("ldp_ols") | {"eps": 1.0})
    assert "(1, 0.1)-local DP of each user's message" in exact and "NOT" not in exact
    printed = defaults("ldp_ols") | {"calibration": "printed"}
    for eps, kept in ((5.7, True), (5.8, False)):  # the printed noise is proportional to 1/eps
        words = algorithm("ldp_ols").promise(printed | {"eps": eps})
        assert ("NOT" not in words) == kept


@pytest.mark.slow
def test_the_audit_computes_the_exact_loss_of_a_message():
    for eps in (0.1, 1.0, 5.0):
        found = dp.audit(mechanism="sphere_message", eps=eps, runs=1000, jobs=1)
        assert math.isclose(found["exact"].iloc[0], eps, rel_tol=1e-9)
