"""Exact privacy losses of releases, read off their code."""

import math

import numpy as np
import pytest
from broken_releases import BROKEN
from helpers import PRIVATE, algorithm
from tiers import first

from dpbandits.audit.exact.release import exact_epsilon, exact_mu, release_loss
from dpbandits.audit.targets.publishing import LocalRandomizerTarget, ReleaseTarget
from dpbandits.audit.targets.releases import MECHANISMS
from dpbandits.parts.noise.mechanisms import laplace

# releases without a known exact loss; Honaker's trees are linear, but in more draws than sums
NOT_LINEAR = (
    "mode", "central_mean", "honaker_tree", "modular_sum_of_laplace", "modular_sum_of_skellam",
)  # fmt: skip
# What a release spends of its eps, if not all: a hybrid counter never releases the root of an
# epoch's tree, so that up to 7 rewards enter at most two of its three levels
SPENT = {"hybrid_counter": 1 / 2 + 1 / 2 * 2 / 3}


@pytest.mark.slow
@pytest.mark.parametrize("eps", first((0.1, 0.5, 1.0, 2.0)))
@pytest.mark.parametrize("name", sorted(set(MECHANISMS) - set(NOT_LINEAR)))
def test_exact_losses_are_the_promised_ones(name, eps):
    release = ReleaseTarget(MECHANISMS[name], eps)
    if release.delta:  # coins are whole: the loss is as near as one coin allows
        assert 0.98 * release.promised < release_loss(release) <= release.promised
        return
    assert release_loss(release) == pytest.approx(release.promised * SPENT.get(name, 1), rel=1e-9)
    wanted = math.sqrt(2 * eps) if name.startswith(("gaussian", "context")) else eps
    assert release.promised == pytest.approx(wanted)


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.1, 1.0, 20.0, 100.0])
@pytest.mark.parametrize("name", NOT_LINEAR)
def test_releases_that_are_not_invertible_have_no_exact_loss(name, eps):
    assert release_loss(ReleaseTarget(MECHANISMS[name], eps)) is None


@pytest.mark.parametrize("name", [x for x in PRIVATE if algorithm(x).guarantee.notion == "local"])
def test_exact_losses_of_responses_are_the_levels_of_their_users(name):
    """The bit of a sigmoid has none: test_local_randomizers.py finds it equal to another one."""
    for eps in (0.01, 0.5, 3.0):
        found = release_loss(LocalRandomizerTarget(algorithm(name), eps))
        assert found == (None if name == "heldp_ucb_bs" else pytest.approx(eps, rel=1e-9))


def warner(rng, x, out):
    """Randomised response as Warner tells it: the truth, or else the opposite."""
    out[0] = x[0] if rng.random() < math.e / (1 + math.e) else 1 - x[0]


def leaking(rng, x, out):
    out[0] = 5 * x[0] + (rng.random() < 0.5)


def three_ways(rng, x, out):
    u = rng.random()
    out[0] = 0 if u < 0.2 else 1 if u < 0.3 + 0.1 * x[0] else 2


def clipped(rng, x, out):
    out[0] = min(max(x[0] + laplace(rng, 1.0), -10.0), 10.0)


def thresholded(rng, x, out):
    out[0] = x[0] + laplace(rng, 1.0) > 7.0


def gaussian(rng, x, out):
    out[0] = x[0] + rng.standard_normal()


def vector(rng, x, out):
    out[0] = x[0] + rng.random(3).sum()


@pytest.mark.parametrize(
    ("release", "loss"),
    [
        (warner, 1.0),
        (leaking, math.inf),
        (three_ways, None),
        (clipped, None),
        (thresholded, None),
        (gaussian, None),
        (vector, None),
        (lambda rng, x, out: None, 0.0),
    ],
)
def test_exact_losses_of_other_releases(release, loss):
    found = exact_epsilon(release, np.array([0.0]), np.array([1.0]), 1)
    assert found == (loss if loss is None else pytest.approx(loss))


@pytest.mark.parametrize("name", BROKEN)
def test_exact_losses_of_broken_releases_exceed_the_promise(name):
    twin, factor = BROKEN[name]
    release = ReleaseTarget(twin, 0.5)
    assert release_loss(release) == pytest.approx(release.promised * factor)


def twice(rng, x, out):
    out[0] = x[0] + rng.standard_normal()
    out[1] = x[0] + 2 * rng.standard_normal()


def same_twice(rng, x, out):
    out[0] = 2 * x[0] + rng.standard_normal()
    out[1] = out[0] - x[0]


@pytest.mark.parametrize(
    ("release", "mu"),
    [
        (gaussian, 1.0),
        (twice, math.sqrt(1.25)),
        (same_twice, math.inf),
        (lambda rng, x, out: None, 0.0),
        (clipped, None),
        (warner, None),
    ],
)
def test_exact_mus_of_other_releases(release, mu):
    found = exact_mu(release, np.array([0.0]), np.array([1.0]), 2)
    assert found == (mu if mu is None else pytest.approx(mu))
