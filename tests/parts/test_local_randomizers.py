"""Local randomizers: unbiased, private at the level of the user, and what algorithms send."""

import math

import numpy as np
import pytest
from helpers import P_VALUE, Uniform, algorithm, bernoulli, game_with, play, replace
from in_law import assert_law
from scipy import stats
from scipy.special import expit

from dpbandits import game as game_module
from dpbandits.compiled import kernel
from dpbandits.contracts.alignments import one_bit
from dpbandits.environments.laws import sigmoid
from dpbandits.environments.populations import homogeneous
from dpbandits.environments.users import half_coth
from dpbandits.game import next_user, tanh_half_level
from dpbandits.parts.indices import argmax
from dpbandits.parts.noise import local_randomizers
from dpbandits.parts.noise.local_randomizers import (
    convert_to_bernoulli,
    convert_to_bernoulli_of_sigmoid,
    convert_to_laplace,
    convert_to_sign,
    send_truncated,
    unbiased,
)
from dpbandits.parts.noise.mechanisms import laplace_sum


def tanh_half(eps):
    """tanh(eps/2) as kernels compute it."""
    game = game_with(homogeneous(eps), np.random.default_rng(0))
    return tanh_half_level(game, next_user(game))


def chance(r, tanh):
    """The exact probability with which CTB sends 1: that with which a coin is compared."""
    chances = []
    convert_to_bernoulli(Uniform(0.5, chances), r, tanh)
    [p] = chances
    return p


def test_a_bit_is_1_below_its_probability():
    for value, bit in ((0.0, 1.0), (0.7499, 1.0), (0.7501, 0.0), (0.9999, 0.0)):
        assert convert_to_bernoulli(value, 1.0, 0.5) == bit


SIGMOID_REWARDS = [
    0.0,
    *np.linspace(-9, 9, 3001),
    *(s * x for s in (1, -1) for x in (1e3, 1e300, np.inf)),
]


def sends_bits_of_sigmoids(send):
    """Whether every bit is that of CTB after the sigmoid, for random numbers beside it."""
    for r in SIGMOID_REWARDS:
        for tanh in (0.05, 0.5, 1.0):
            p = chance(sigmoid(r), tanh)
            for u in (0.0, p - 0.003, np.nextafter(p, 0), p, np.nextafter(p, 1), p + 0.003):
                if send(u, r, tanh) != (u < p):
                    return False
    return True


@kernel
def compiled_bit_of_sigmoid(u, r, tanh):
    return convert_to_bernoulli_of_sigmoid(u, r, tanh)


def test_a_bit_of_a_sigmoid_is_that_of_the_sigmoid(monkeypatch):
    assert sends_bits_of_sigmoids(convert_to_bernoulli_of_sigmoid)
    assert sends_bits_of_sigmoids(compiled_bit_of_sigmoid)
    monkeypatch.setattr(local_randomizers, "_FAR", 0.9 * local_randomizers._FAR)
    assert not sends_bits_of_sigmoids(convert_to_bernoulli_of_sigmoid)


@pytest.mark.parametrize("eps", [0.001, 0.5, 3.0])
def test_the_bit_has_the_paper_s_probability(eps):
    for r in np.linspace(0, 1, 21):
        expected = (r * math.exp(eps) + 1 - r) / (1 + math.exp(eps))
        assert chance(r, tanh_half(eps)) == pytest.approx(expected, rel=1e-14)
        wrong = chance(r, math.tanh(eps))  # control
        assert wrong != pytest.approx(expected, rel=1e-5) or r == 0.5


@pytest.mark.parametrize("eps", [1e-6, 0.001, 100.0, 700.0, 1e6])
def test_no_level_overflows(eps):
    with np.errstate(all="raise"):
        tanh = tanh_half(eps)
        for r in (0.0, 0.3, 1.0):
            p = chance(r, tanh)
            assert 0 <= p <= 1
            assert p == pytest.approx(r if eps >= 100 else 0.5, abs=1e-3)
            high, low = unbiased(1.0, 1 / tanh), unbiased(0.0, 1 / tanh)
            assert math.isfinite(high) and high - low == pytest.approx(1 / math.tanh(eps / 2))
            assert math.isfinite(convert_to_laplace(np.random.default_rng(1), r, eps))


@pytest.mark.parametrize("eps", [0.5, 3.0, 100.0])
def test_g_is_unbiased_with_variance_of_coth(eps):
    """Exactly: both values of g, weighted with the exact probability of each."""
    tanh = tanh_half(eps)
    c = (1 + math.exp(-eps)) / (1 - math.exp(-eps))
    high, low = unbiased(1.0, 1 / tanh), unbiased(0.0, 1 / tanh)
    assert (high, low) == pytest.approx(((1 + c) / 2, (1 - c) / 2), rel=1e-12, abs=1e-15)
    for r in np.linspace(0, 1, 11):
        p = chance(r, tanh)
        mean = p * high + (1 - p) * low
        assert mean == pytest.approx(r, abs=1e-14 * c**2)
        variance = p * (high - r) ** 2 + (1 - p) * (low - r) ** 2
        assert variance == pytest.approx(c**2 / 4 - (r - 0.5) ** 2, abs=1e-13 * c**2)


@pytest.mark.parametrize("eps", [0.5, 3.0])
@pytest.mark.parametrize("r", [0.0, 0.3, 1.0])
def test_laplace_responses_have_scale_1_over_eps(eps, r):
    rng = np.random.default_rng(8)
    x = [convert_to_laplace(rng, r, eps) for _ in range(20_000)]
    assert_law(x, *(stats.laplace(r, scale / eps) for scale in (1, 0.7, 1.4)))


def test_the_sigmoid_squashes_any_reward():
    x = np.array([-1e300, -1e3, -710, -700, -37, -1, 0, 1e-9, 1, 37, 710, 1e3, 1e300])
    with np.errstate(all="raise"):
        y = np.array([sigmoid(r) for r in x])
    assert ((y >= 0) & (y <= 1)).all() and (np.diff(y) >= 0).all()
    assert y == pytest.approx(expit(x), rel=1e-12, abs=1e-300)
    assert sigmoid(0.0) == 0.5 and 0 < sigmoid(-37.0) < 1e-15


@pytest.mark.parametrize("name", ["heldp_ucb_l", "heldp_ucb_ls", "heldp_ucb_b", "heldp_ucb_bs"])
def test_the_curators_of_guarantees_are_what_algorithms_send(name, monkeypatch):
    """On the same rewards and random numbers, the sums of an algorithm are exactly those of what
    the curator that is audited sends; control: a curator of another level."""
    eps, T, seen, sums = 0.8, 200, [], {}
    pull, lead = game_module.pull_held, argmax.lead

    def pulling(match, arm, t):
        seen.append((arm.row, pull(match, arm, t)))
        return seen[-1][1]

    def leading(indices, window, t, total, N):
        sums[t] = total.tolist()
        return lead(indices, window, t, total, N)

    replace(monkeypatch, pull, pulling)
    replace(monkeypatch, lead, leading)
    play(name, bernoulli(0.7, 0.4), T, eps=eps, learner=np.random.default_rng(3), plain=True)
    monkeypatch.undo()
    guarantee = algorithm(name).guarantee
    bits = guarantee.alignment is one_bit

    def sent(level):
        rng, total, found = np.random.default_rng(3), [0.0, 0.0], {}
        for t, (a, reward) in enumerate(seen, start=1):
            found[t] = total.copy()
            x = guarantee.curator(rng, reward, level)
            total[a] += unbiased(x, half_coth(level)) if bits else x
        return {t: found[t] for t in sums}

    assert len(seen) == T and len(sums) > 10 and max(sums) > T - 30
    assert sums == sent(eps)
    assert sums != sent(1.1 * eps)


@pytest.mark.slow
def test_ldpr_se_adds_up_what_its_curator_sends():
    """Sums of R truncated responses, drawn one by one or with one draw of all their noise."""
    rng, R, B, eps, runs = np.random.default_rng(5), 40, 1.7, 0.6, 4000
    rewards = rng.normal(size=(runs, R))
    one_by_one = [sum(send_truncated(rng, r, eps, B) for r in row) for row in rewards]
    blocks = [
        sum(r for r in row if abs(r) <= B) + laplace_sum(rng, R, 2 * B / eps) for row in rewards
    ]
    assert stats.ks_2samp(one_by_one, blocks).pvalue > P_VALUE
    weak = [sum(send_truncated(rng, r, eps / 0.7, B) for r in row) for row in rewards]
    assert stats.ks_2samp(weak, blocks).pvalue < 1e-9


@pytest.mark.parametrize("M", [1.0, 4.0])
def test_a_sign_is_unbiased_for_rewards_up_to_the_truncation(M):
    """The sum over a grid of uniform numbers is exact: the sign changes at one of them."""
    tanh = tanh_half(0.7)
    grid = (np.arange(40_000) + 0.5) / 40_000
    for r in (-1.5 * M, -M, -0.25 * M, 0.0, 0.7 * M, M, 2 * M):
        mean = np.mean([convert_to_sign(u, r, tanh, M) for u in grid])
        assert mean == pytest.approx(r if abs(r) <= M else 0.0, abs=2 * M / tanh / 40_000 * 2)
