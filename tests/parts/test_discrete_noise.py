"""Integer noise in law, exact modular sums, and encodings of rewards."""

import math
from fractions import Fraction

import numpy as np
import pytest
from helpers import SIGMAS
from in_law import apart, assert_law
from scipy import stats

from dpbandits.compiled import kernel
from dpbandits.environments.blocks import draw_encoded_sum, encoded
from dpbandits.environments.catalogue import build
from dpbandits.environments.laws import draw
from dpbandits.parts.noise import discrete_noise
from dpbandits.parts.noise.discrete_noise import (
    LARGE,
    discrete_laplace,
    granularity,
    large_poisson,
    modular_sum,
    most_noise,
    skellam,
)


@kernel
def fill(rng, x, mean):
    for i in range(len(x)):
        x[i] = large_poisson(rng, mean)


@pytest.mark.parametrize("mean", [2.0**26 + 0.5, 1e9, 1e13, 4e18])
def test_large_poisson_numbers_have_their_law(mean):
    x = np.zeros(20_000)
    fill(np.random.default_rng(1), x, mean)
    z = (x - mean) / math.sqrt(mean)
    assert_law(z, stats.norm(), stats.norm(0, 1.2), stats.norm(0.1))
    assert abs(z.var() - 1) < SIGMAS * math.sqrt(2 / len(z))


def test_large_poisson_numbers_agree_with_numpy_s(monkeypatch):
    """The recursion, begun at a mean at which NumPy's numbers are exact; control: no recursion."""
    monkeypatch.setattr(discrete_noise, "POISSON", 8.0)
    rng = np.random.default_rng(3)
    x = np.array([large_poisson(rng, 50.0) for _ in range(40_000)])
    assert_law(x, stats.poisson(50), stats.poisson(51))


@pytest.mark.parametrize("scale", [0.0, 1e-100])
def test_no_noise_is_no_noise(scale):
    rng = np.random.default_rng(1)
    assert not any(draw(rng, scale) for draw in (discrete_laplace, skellam) for _ in range(100))


@pytest.mark.parametrize("scale", [1e15, 1e60, 1e200])
def test_huge_noise_is_drawn(scale):
    rng = np.random.default_rng(1)
    for noise, parameter in ((discrete_laplace, scale), (skellam, scale**1.4)):
        x = [noise(rng, parameter) for _ in range(100)]
        assert np.isfinite(x).all() and len(set(x)) > 90


def test_a_modular_sum_wraps_around_exactly_beyond_tau():
    """Every total and every noise of a small game, against the definition in rational numbers."""
    largest, tau = 6, 3
    m = largest + 2 * tau + 1
    for total in range(largest + 1):
        for noise in range(-40, 41):
            y = (total + noise) % m
            expected = y - m if y > largest + tau else y
            found = modular_sum(total, float(noise), largest, tau)
            assert found == expected and -tau <= found <= largest + tau
            assert (found == total + noise) == (-tau <= total + noise <= largest + tau)


@pytest.mark.parametrize("noise", [0.0, 2.0**59, -(2.0**59), 2.0**60])
def test_modular_sums_of_large_numbers_are_exact(noise):
    largest, tau = 2**61 - 5, 2**60
    for total in (0, 12345678901234567, largest):
        exact = total + int(noise)
        m = largest + 2 * tau + 1
        expected = (exact + tau) % m - tau
        assert modular_sum(total, noise, largest, tau) == expected


@pytest.mark.parametrize("noise", [2.0**70, -1e60, 1e200])
def test_noise_beyond_64_bits_is_reduced(noise):
    largest, tau = 2**40, 2**60
    found = modular_sum(5, noise, largest, tau)
    assert -tau <= found <= largest + tau


@pytest.mark.parametrize("eps", [1e-100, 1e-9, 0.1, 5.0, 1e9, 1e300, math.inf])
@pytest.mark.parametrize("s", [1.0, 10.0])
def test_sums_fit_into_64_bits(eps, s):
    for b in range(1, 62):
        g = granularity(2**b, eps, s)
        tau = most_noise(g / eps, 50.0)
        assert 1 <= g <= 2**52 and 2**b * g <= LARGE and 2**b * g + 2 * tau + 1 < 2**63
        wanted = math.ceil(s * eps * math.sqrt(2**b)) if eps < 1e12 else math.inf
        assert g == wanted or g == 1 or g >= min(2**52, 2**61 // 2**b)


MANY_LAWS = {
    "law": "mixed",
    "arms": [{"law": "bernoulli", "mean": 0.3},
     {"law": "two_point", "low": 0.15, "high": 0.8, "p": 0.4},
     {"law": "discrete", "values": [0.1, 0.45, 1.0], "probabilities": [0.2, 0.3, 0.5]},
     {"law": "uniform", "low": 0.0, "high": 1.0}],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("arm", range(4))
@pytest.mark.parametrize("g", [1, 3])
def test_sums_of_encodings_have_the_law_of_single_encodings(arm, g):
    """Mean and variance of a block against rewards encoded one by one; unbiased."""
    instance, rng, n, runs = build(MANY_LAWS), np.random.default_rng(5), 40, 4000
    env = instance.environment

    block = np.array([draw_encoded_sum(env, rng, arm, n, 0, 1, g) for _ in range(runs)])
    rewards = np.array([[draw(env, rng, arm, 0) for _ in range(n)] for _ in range(runs)])
    single = np.array([sum(encoded(rng, x, 1, g) for x in row) for row in rewards])
    mean = n * g * instance.means[arm]
    both = (np.column_stack([x, (x - mean) ** 2]) for x in (block, single))
    assert apart(*both) < SIGMAS
    assert abs(block.mean() - mean) < SIGMAS * block.std() / math.sqrt(runs)
    assert block.min() >= 0 and block.max() <= n * g


def test_a_sum_of_a_trillion_encodings_is_exact():
    """Ones and zeros are encoded without a coin: the sum is a multiple of g, beyond 2^53."""
    env, g = build({"law": "bernoulli", "means": [0.6, 0.2]}).environment, 1_500_001
    total = draw_encoded_sum(env, np.random.default_rng(2), 0, 10**12, 0, 1, g)
    assert total > 2**53 and total % g == 0
    assert abs(Fraction(total, g) - 6 * 10**11) < SIGMAS * math.sqrt(0.24e12)
