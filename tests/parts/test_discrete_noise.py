"""Integer noise in law, exact modular sums, and encodings of rewards."""

import math
from fractions import Fraction

import numpy as np
import pytest
from helpers import P_VALUE, SIGMAS
from scipy import stats
from tiers import first

from dpbandits.compiled import kernel
from dpbandits.environments.blocks import draw_encoded_sum, encoded
from dpbandits.environments.catalogue import build
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
def fill(rng, x, draw, parameter):
    for i in range(len(x)):
        if draw == 0:
            x[i] = discrete_laplace(rng, parameter)
        elif draw == 1:
            x[i] = skellam(rng, parameter)
        else:
            x[i] = large_poisson(rng, parameter)


def drawn(draw, parameter, n=100_000, seed=1):
    x = np.zeros(n)
    fill(np.random.Generator(np.random.SFC64(seed)), x, draw, parameter)
    assert (x == np.round(x)).all()
    return x


def chi_squared(x, pmf, least, most):
    """The p-value of integers against their probabilities; both tails are one cell."""
    k = np.arange(least, most + 1)
    expected = len(x) * np.append(pmf(k), 1 - pmf(k).sum())
    seen = np.array([*((x == i).sum() for i in k), ((x < least) | (x > most)).sum()])
    return stats.chisquare(seen, expected).pvalue


@pytest.mark.parametrize("scale", first([6.5, 2.0, 0.3]))
def test_discrete_laplace_noise_has_its_law(scale):
    """Control: another scale, as with half of the noise, is rejected."""
    x, reach = drawn(0, scale), math.ceil(4 * scale)
    assert chi_squared(x, stats.dlaplace(1 / scale).pmf, -reach, reach) > P_VALUE
    for wrong in (0.8, 1.2, 2.0):
        assert chi_squared(x, stats.dlaplace(1 / (wrong * scale)).pmf, -reach, reach) < 1e-9


@pytest.mark.parametrize("variance", [0.4, 5.0, 60.0])
def test_skellam_noise_has_its_law(variance):
    x, reach = drawn(1, variance), math.ceil(3 * math.sqrt(variance)) + 1
    law = stats.skellam(variance / 2, variance / 2)
    assert chi_squared(x, law.pmf, -reach, reach) > P_VALUE
    for wrong in (0.8, 1.2, 0.25):
        law = stats.skellam(wrong * variance / 2, wrong * variance / 2)
        assert chi_squared(x, law.pmf, -reach, reach) < 1e-9


@pytest.mark.parametrize("mean", [2.0**26 + 0.5, 1e9, 1e13, 4e18])
def test_large_poisson_numbers_have_their_law(mean):
    """Mean, variance and shape; the mean is told apart from one that is off by 5 errors."""
    x = drawn(2, mean, 20_000)
    z = (x - mean) / math.sqrt(mean)
    assert stats.kstest(z, stats.norm.cdf).pvalue > P_VALUE
    assert abs(z.mean()) < SIGMAS / math.sqrt(len(z))
    assert abs(z.var() - 1) < SIGMAS * math.sqrt(2 / len(z))
    assert stats.kstest(1.2 * z, stats.norm.cdf).pvalue < 1e-9


def test_large_poisson_numbers_agree_with_numpy_s(monkeypatch):
    """The recursion, begun at a mean at which NumPy's numbers are exact; control: no recursion."""
    monkeypatch.setattr(discrete_noise, "POISSON", 8.0)
    rng = np.random.default_rng(3)
    x = np.array([large_poisson(rng, 50.0) for _ in range(40_000)])
    law = stats.poisson(50)
    assert chi_squared(x, law.pmf, 30, 70) > P_VALUE > 1e-9 > chi_squared(x + 1, law.pmf, 30, 70)


@pytest.mark.parametrize("scale", [0.0, 1e-100])
def test_no_noise_is_no_noise(scale):
    assert not drawn(0, scale, 100).any()
    assert not drawn(1, scale, 100).any()


@pytest.mark.parametrize("scale", [1e15, 1e60, 1e200])
def test_huge_noise_is_drawn(scale):
    for draw, parameter in ((0, scale), (1, scale**1.4)):
        x = drawn(draw, parameter, 100)
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
    env, n, runs = build(MANY_LAWS).environment, 40, 4000
    mean = build(MANY_LAWS).means[arm]
    rng = np.random.default_rng(5)
    block = np.array([draw_encoded_sum(env, rng, arm, n, 0, 1, g) for _ in range(runs)])
    single = np.array(
        [sum(encoded(rng, x, 1, g) for x in sampled(env, rng, arm, n)) for _ in range(runs)]
    )
    error = math.sqrt((block.var() + single.var()) / runs)
    assert abs(block.mean() - single.mean()) < SIGMAS * error
    assert abs(block.mean() - n * g * mean) < SIGMAS * block.std() / math.sqrt(runs)
    spread = math.sqrt(2 / runs) * (block.var() + single.var())
    assert abs(block.var() - single.var()) < SIGMAS * spread
    assert block.min() >= 0 and block.max() <= n * g


def sampled(env, rng, arm, n):
    from dpbandits.environments.laws import draw

    return [draw(env, rng, arm, 0) for _ in range(n)]


def test_a_sum_of_a_trillion_encodings_is_exact():
    """Ones and zeros are encoded without a coin: the sum is a multiple of g, beyond 2^53."""
    env, g = build({"law": "bernoulli", "means": [0.6, 0.2]}).environment, 1_500_001
    total = draw_encoded_sum(env, np.random.default_rng(2), 0, 10**12, 0, 1, g)
    assert total > 2**53 and total % g == 0
    assert abs(Fraction(total, g) - 6 * 10**11) < SIGMAS * math.sqrt(0.24e12)
