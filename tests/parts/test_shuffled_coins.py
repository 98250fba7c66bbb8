"""The exact (eps, delta) of fair coins beside bits that a shuffler mixes."""

import math

import numpy as np
import pytest
from helpers import algorithm, defaults
from references import delta_of_bits

from dpbandits.audit.exact.release import release_loss
from dpbandits.audit.targets.decisions import target_of
from dpbandits.audit.targets.publishing import ReleaseTarget
from dpbandits.audit.targets.releases import MECHANISMS, mechanism
from dpbandits.parts.noise.shuffled_coins import (
    MOST_COINS,
    delta_of_coins,
    eps_of_coins,
    heads,
    least_bits,
)


@pytest.mark.slow
def test_the_audit_of_an_algorithm_knows_its_delta_and_releases_without_coins():
    """Control: the release alone has delta 1e-5, and another exact loss."""

    def loss(delta, eps=1.0):
        values = {**defaults("shuffle_se"), "delta": delta}
        return release_loss(target_of(algorithm("shuffle_se"), eps, values))

    assert loss(0.01) == pytest.approx(eps_of_coins(least_bits(1.0, 0.01), 0.01))
    of_release = release_loss(ReleaseTarget(MECHANISMS["shuffled_count"], 1.0))
    assert loss(1e-5) == pytest.approx(of_release) != pytest.approx(loss(0.01), rel=1e-3)
    assert loss(1e-5, eps=1e-7) is None  # nothing is released


def random_pairs(n, seed):
    rng = np.random.default_rng(seed)
    return [(10 ** rng.uniform(-1.5, 1.0), 10 ** rng.uniform(-9, -1)) for _ in range(n)]


def test_the_coins_keep_the_promise_and_one_fewer_breaks_it():
    for eps, delta in random_pairs(200, 0):
        N = int(least_bits(eps, delta))
        assert delta_of_bits(N, eps) <= delta + 1e-12
        assert delta_of_bits(N - 1, eps) > delta * (1 - 1e-9)
        assert delta_of_coins(N, eps) == pytest.approx(delta_of_bits(N, eps), rel=1e-9)


def test_known_numbers_of_coins():
    found = [least_bits(eps, 1e-5) for eps in (0.1, 0.2, 0.5, 1.0, 2.0)]
    assert found == [3787, 1069, 203, 62, 24]
    assert least_bits(math.inf, 1e-5) == 0.0 and least_bits(1e300, 1e-5) == 17.0
    assert least_bits(1e-6, 1e-6) == math.inf  # more than MOST_COINS
    assert delta_of_coins(math.inf, 1e-6) == eps_of_coins(math.inf, 1e-6) == 0.0
    assert 1e7 < least_bits(1e-3, 1e-5) < MOST_COINS


def test_both_directions_have_the_same_delta():
    for N in (1, 2, 7, 40):
        for eps in (0.0, 0.3, 1.0):
            p = [math.comb(N, x) / 2**N for x in range(N + 1)]
            first, second = np.array([*p, 0.0]), np.array([0.0, *p])
            for one, two in ((first, second), (second, first)):
                found = np.maximum(one - math.exp(eps) * two, 0).sum()
                assert delta_of_coins(float(N), eps) == pytest.approx(found, rel=1e-12)


def test_delta_falls_with_coins_and_with_eps():
    of_coins = [delta_of_coins(float(N), 0.3) for N in range(300)]
    of_eps = [delta_of_coins(100.0, eps) for eps in np.linspace(0, 3, 300)]
    assert (np.diff(of_coins) <= 1e-15).all() and (np.diff(of_eps) <= 0).all()
    for eps, delta in random_pairs(50, 1):
        N = least_bits(eps, delta)
        assert eps_of_coins(N, delta) <= eps * (1 + 1e-9) < eps_of_coins(N - 1, delta) * (1 + 1e-6)
    assert eps_of_coins(10.0, 1e-5) == math.inf and eps_of_coins(1e4, 0.5) == 0.0


def test_the_audit_computes_the_loss_of_the_count():
    """Of the shipped release at most what is promised, of one with a coin too few more."""

    def one_too_few(rng, x, eps, out):
        out[0] = np.sum(x) + heads(rng, least_bits(eps, 1e-5) - 1.0)

    try:
        mechanism("a coin too few", sizes=(2,), delta=1e-5)(one_too_few)
        for eps in (0.1, 1.0, 2.0):
            right, wrong = (
                release_loss(ReleaseTarget(MECHANISMS[name], eps))
                for name in ("shuffled_count", "one_too_few")
            )
            assert 0.98 * eps < right <= eps < wrong
    finally:
        del MECHANISMS["one_too_few"]
