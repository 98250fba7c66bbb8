"""Local privacy: curators, populations of users, the laws and environments of Ren et al. 2020."""

import math
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from helpers import CONF, LOCAL, SIGMAS, Uniform, bernoulli, play, replace, table
from scipy import stats
from scipy.special import expit
from test_bad_input import arguments, complaint

from dpbandits import game as game_module
from dpbandits.cli import run
from dpbandits.contracts.algorithm import ALGORITHMS, load
from dpbandits.environments.blocks import draw_sum
from dpbandits.environments.catalogue import build
from dpbandits.environments.laws import (
    BETA,
    DISCRETE,
    GAUSSIAN,
    SIGMOID_GAUSSIAN,
    TWO_POINT,
    UNIFORM,
    draw,
    sigmoid,
)
from dpbandits.environments.populations import build_population, homogeneous
from dpbandits.game import new_game, next_user, privacy_level, tanh_half_level
from dpbandits.parts import local_randomizers as curators
from dpbandits.parts.local_randomizers import (
    add_laplace,
    convert_to_bernoulli,
    convert_to_bernoulli_of_sigmoid,
    convert_to_laplace,
    send_truncated,
    unbiased,
)
from dpbandits.parts.mechanisms import laplace_sum
from dpbandits.running.seeds import ENVIRONMENT, generator
from dpbandits.theory.ren2020 import v_b, v_l

P_VALUE = 1e-6  # of a right law, at a fixed seed; controls lie below 1e-9
UNIFORM_LEVELS = {"kind": "levels", "levels": [0, 0.2, 1, 2, 100], "shares": None}
CLIPPED_NORMAL = {"kind": "clipped_normal", "mean": 1.0, "sd": 1.0, "low": 0.0, "high": 100.0}


def game_of(population, coins):
    """A game whose users come from a population."""
    env, T = build(bernoulli(0.5, 0.4)).environment, 10**9
    return new_game(env, population.users(), coins, T, np.array([T]))


def tanh_half(eps):
    """tanh(eps/2) as kernels see it."""
    game = game_of(homogeneous(eps), np.random.default_rng(0))
    return tanh_half_level(game, next_user(game))


# Curators


class Coin:
    """A generator whose only use is to tell what its draw is compared with."""

    def __init__(self, value=0.5):
        self.value = value
        self.chances = []

    def random(self):
        return Uniform(self.value, self.chances)


def chance(r, tanh):
    """The exact probability with which CTB sends 1."""
    coin = Coin()
    convert_to_bernoulli(coin, r, tanh)
    [p] = coin.chances
    return p


def test_a_bit_is_1_below_its_probability():
    for value, bit in ((0.0, 1.0), (0.7499, 1.0), (0.7501, 0.0), (0.9999, 0.0)):
        assert convert_to_bernoulli(Coin(value), 1.0, 0.5) == bit


SIGMOID_REWARDS = [
    0.0,
    *np.linspace(-9, 9, 3001),
    *(s * x for s in (1, -1) for x in (1e3, 1e300, np.inf)),
]


def sends_bits_of_sigmoids(send):
    """Whether every bit is that of CTB after the sigmoid, for coins just beside its probability."""
    for r in SIGMOID_REWARDS:
        for tanh in (0.05, 0.5, 1.0):
            p = chance(sigmoid(r), tanh)
            for u in (0.0, p - 0.003, np.nextafter(p, 0), p, np.nextafter(p, 1), p + 0.003):
                if send(Fixed(u), r, tanh) != (u < p):
                    return False
    return True


class Fixed:
    def __init__(self, value):
        self.random = lambda: value


def test_a_bit_of_a_sigmoid_is_that_of_the_sigmoid(monkeypatch):
    assert sends_bits_of_sigmoids(convert_to_bernoulli_of_sigmoid)
    monkeypatch.setattr(curators, "_FAR", 0.9 * curators._FAR)
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
def test_drawn_bits_are_unbiased(eps, r):
    rng, n, tanh = np.random.default_rng(7), 20_000, tanh_half(eps)
    g = np.array([unbiased(convert_to_bernoulli(rng, r, tanh), 1 / tanh) for _ in range(n)])
    error = math.sqrt((tanh**-2 / 4 - (r - 0.5) ** 2) / n)
    assert abs(g.mean() - r) < SIGMAS * error
    assert abs(g.mean() - (r + 0.1 / tanh)) > SIGMAS * error  # control
    assert g.std() == pytest.approx(error * math.sqrt(n), rel=0.15)


@pytest.mark.parametrize("eps", [0.5, 3.0])
@pytest.mark.parametrize("r", [0.0, 0.3, 1.0])
def test_laplace_responses_are_unbiased_with_scale_1_over_eps(eps, r):
    rng, n = np.random.default_rng(8), 20_000
    x = np.array([convert_to_laplace(rng, r, eps) for _ in range(n)])
    assert abs(x.mean() - r) < SIGMAS * math.sqrt(2 / n) / eps
    assert x.var() == pytest.approx(2 / eps**2, rel=SIGMAS * math.sqrt(5 / n))
    assert stats.kstest(x, stats.laplace(r, 1 / eps).cdf).pvalue > P_VALUE
    for wrong in (0.7, 1.4):  # controls
        assert stats.kstest(x, stats.laplace(r, wrong / eps).cdf).pvalue < 1e-9


REWARDS = np.linspace(0, 1, 21)
UNBOUNDED = [-1e3, -20.0, -1.0, 0.0, 0.5, 20.0, 1e3]


def largest_loss_of_a_bit(chance_of, rewards):
    """sup over pairs of rewards and both bits of the log-ratio of the bit's probabilities."""
    p = np.array([chance_of(r) for r in rewards])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log([p, 1 - p])
    return (logs.max(axis=1) - logs.min(axis=1)).max()


@pytest.mark.parametrize("eps", [0.01, 0.5, 1.0, 3.0, 10.0])
def test_a_bit_is_eps_private(eps):
    tanh = tanh_half(eps)
    within = eps * (1 + 1e-9)
    assert largest_loss_of_a_bit(lambda r: chance(r, tanh), REWARDS) <= within
    reached = largest_loss_of_a_bit(lambda r: chance(r, tanh), [0.0, 1.0])
    assert reached == pytest.approx(eps, rel=1e-9)
    squashed = largest_loss_of_a_bit(lambda r: chance(sigmoid(r), tanh), UNBOUNDED)
    assert squashed <= within
    # broken curators
    assert largest_loss_of_a_bit(lambda r: chance(r, math.tanh(eps)), REWARDS) > 1.1 * eps
    too_wide = np.append(REWARDS, [-0.2, 1.2])
    assert not largest_loss_of_a_bit(lambda r: chance(r, tanh), too_wide) <= 1.1 * eps
    assert not largest_loss_of_a_bit(lambda r: chance(r, tanh), UNBOUNDED) <= 1.1 * eps


def largest_loss_of_laplace(convert, rewards):
    """sup over pairs of rewards and a grid of responses of the log-ratio of their densities."""
    outputs = np.linspace(min(rewards) - 1, max(rewards) + 1, 101)
    densities = []
    for r in rewards:
        scales = []
        with pytest.MonkeyPatch.context() as patch:
            noise = scales.append
            patch.setattr(curators, "laplace", lambda rng, scale, noise=noise: noise(scale) or 0.0)
            place = convert(r)
        [scale] = scales
        densities.append(-np.abs(outputs - place) / scale - math.log(2 * scale))
    return np.ptp(densities, axis=0).max()


@pytest.mark.parametrize("eps", [0.01, 0.5, 3.0, 100.0])
def test_a_laplace_response_is_eps_private(eps):
    within = eps * (1 + 1e-9)
    loss = largest_loss_of_laplace(lambda r: convert_to_laplace(None, r, eps), REWARDS)
    assert loss == pytest.approx(eps, rel=1e-9)
    squashed = largest_loss_of_laplace(
        lambda r: convert_to_laplace(None, sigmoid(r), eps), UNBOUNDED
    )
    assert squashed <= within
    # broken curators
    broken = largest_loss_of_laplace(lambda r: convert_to_laplace(None, r, eps / 0.7), REWARDS)
    assert broken > 1.1 * eps
    bare = largest_loss_of_laplace(lambda r: convert_to_laplace(None, r, eps), UNBOUNDED)
    assert bare > 1.1 * eps


def test_the_sigmoid_squashes_any_reward():
    x = np.array([-1e300, -1e3, -710, -700, -37, -1, 0, 1e-9, 1, 37, 710, 1e3, 1e300])
    with np.errstate(all="raise"):
        y = np.array([sigmoid(r) for r in x])
    assert ((y >= 0) & (y <= 1)).all() and (np.diff(y) >= 0).all()
    assert y == pytest.approx(expit(x), rel=1e-12, abs=1e-300)
    assert sigmoid(0.0) == 0.5 and 0 < sigmoid(-37.0) < 1e-15


# Populations


@pytest.mark.parametrize(
    ("spec", "eps_min", "expected_l", "expected_b"),
    [
        (UNIFORM_LEVELS, 0.2, 148.8, 33.8),
        (UNIFORM_LEVELS, 1, 19.5, 4.11),
        (UNIFORM_LEVELS, 2, 12.6, 3.41),
        (UNIFORM_LEVELS, 100, 5.41, 5.00),
        (CLIPPED_NORMAL, 0.5, 30.5, 5.90),
        (CLIPPED_NORMAL, 1, 25.0, 4.73),
        (CLIPPED_NORMAL, 1.5, 29.0, 5.64),
        (CLIPPED_NORMAL, 2, 43.9, 9.00),
    ],
)
def test_leading_terms_are_the_paper_s(spec, eps_min, expected_l, expected_b):
    population = build_population(spec)
    assert v_l(population, eps_min) == pytest.approx(expected_l, rel=2e-3)
    assert v_b(population, eps_min) == pytest.approx(expected_b, rel=2e-3)


def drawn_levels(spec, n, seed=9):
    """The levels of users who come, each checked against what kernels are told of its tanh."""
    game = game_of(build_population(spec), np.random.default_rng(seed))
    levels, tanhs = np.zeros(n), np.zeros(n)
    for i in range(n):
        user = next_user(game)
        levels[i], tanhs[i] = privacy_level(game, user), tanh_half_level(game, user)
    assert np.allclose(tanhs, np.tanh(levels / 2), rtol=1e-14, atol=0)
    return levels


SKEWED = {"kind": "levels", "levels": [3, 0.5, 1], "shares": [0.2, 0.5, 0.3]}
BOUNDED_NORMAL = {"kind": "clipped_normal", "mean": 2.0, "sd": 1.5, "low": 0.4, "high": 3.0}


@pytest.mark.parametrize(
    ("spec", "eps_mins"),
    [
        (UNIFORM_LEVELS, (0.2, 1, 2, 100)),
        (SKEWED, (0.1, 0.5, 1, 3)),
        (CLIPPED_NORMAL, (0.5, 1, 1.5, 2)),
        (BOUNDED_NORMAL, (0.2, 0.4, 1, 3)),
    ],
    ids=["uniform_levels", "levels", "N(1, 1)", "N(2, 1.5)"],
)
def test_leading_terms_are_those_of_the_users_who_come(spec, eps_mins):
    population, levels = build_population(spec), drawn_levels(spec, 40_000)
    formulas = {
        v_l: lambda e: (1 + 4 / e) ** 2,
        v_b: lambda e: ((1 + np.exp(-e)) / (1 - np.exp(-e))) ** 2,
    }
    for leading_term, formula in formulas.items():
        for eps_min in eps_mins:
            kept = levels >= eps_min
            f = np.where(kept, formula(np.where(kept, levels, 1.0)), 0.0)
            p0, total = kept.mean(), f.mean()
            estimate = total / p0**2
            spread = np.std(f / p0**2 - 2 * total * kept / p0**3) / math.sqrt(len(levels))
            tolerance = SIGMAS * spread + 1e-9
            assert abs(leading_term(population, eps_min) - estimate) < tolerance
            assert abs(1.1 * leading_term(population, eps_min) - estimate) > tolerance  # control
            share = math.sqrt(p0 * (1 - p0) / len(levels))
            assert abs(population.mass(eps_min) - p0) < SIGMAS * share + 1e-9


@pytest.mark.parametrize("spec", [UNIFORM_LEVELS, SKEWED], ids=["uniform_levels", "levels"])
def test_levels_come_as_often_as_their_shares_say(spec):
    levels, n = np.array(spec["levels"], dtype=float), 20_000
    shares = np.array(spec["shares"] or [1 / len(levels)] * len(levels))
    drawn = drawn_levels(spec, n)
    assert set(drawn) == set(levels)
    observed = np.array([(drawn == x).sum() for x in levels])
    assert stats.chisquare(observed, n * shares).pvalue > P_VALUE
    wrong = shares + 0.04 * np.where(np.arange(len(levels)) == 0, 1, -1 / (len(levels) - 1))
    assert stats.chisquare(observed, n * wrong).pvalue < 1e-9  # control


def test_a_level_of_share_0_never_comes():
    spec = {"kind": "levels", "levels": [5, 0.5, 2, 9], "shares": [0, 0.6, 0.4, 0]}
    assert set(drawn_levels(spec, 2000)) == {0.5, 2.0}
    assert build_population(spec).largest == 2.0
    assert build_population(spec).mass(3) == 0


@pytest.mark.parametrize("spec", [CLIPPED_NORMAL, BOUNDED_NORMAL], ids=["N(1, 1)", "N(2, 1.5)"])
def test_clipped_levels_have_mass_at_both_ends(spec):
    mean, sd, low, high = (spec[x] for x in ("mean", "sd", "low", "high"))
    drawn, n = drawn_levels(spec, 20_000), 20_000
    assert drawn.min() == low and drawn.max() <= high
    for count, share in (
        ((drawn == low).sum(), stats.norm.cdf(low, mean, sd)),
        ((drawn == high).sum(), stats.norm.sf(high, mean, sd)),
    ):
        assert stats.binomtest(int(count), n, share).pvalue > P_VALUE
    inside = drawn[(drawn > low) & (drawn < high)]
    cut = (low - mean) / sd, (high - mean) / sd
    assert stats.kstest(inside, stats.truncnorm(*cut, mean, sd).cdf).pvalue > P_VALUE
    wrong = stats.truncnorm(*cut, mean, 1.3 * sd)
    assert stats.kstest(inside, wrong.cdf).pvalue < 1e-9  # control


@pytest.mark.parametrize("sd", [0.1, 1e-3, 1e-6])
@pytest.mark.parametrize("mean", [1.0, 50.0, 200.0])
def test_a_narrow_normal_population_is_nearly_homogeneous(mean, sd):
    """The integral over the levels finds a peak, however narrow."""
    spec = {"kind": "clipped_normal", "mean": mean, "sd": sd, "low": 0.0, "high": 100.0}
    population, same = build_population(spec), homogeneous(min(mean, 100.0))
    assert population.mass(0.1) == pytest.approx(1, rel=1e-6)
    assert v_l(population, 0.1) == pytest.approx(v_l(same, 0.1), rel=0.1)
    assert population.mass(mean + 20 * sd) == pytest.approx(0, abs=1e-12)


def test_a_file_of_users_is_a_population(tmp_path):
    path = tmp_path / "users.csv"
    path.write_text("who,eps\na,0.5\nb,2\nc,2\nd,0\n")
    population = build_population({"kind": "file", "path": str(path), "column": "eps"})
    assert dict(zip(population.levels, population.shares, strict=True)) == {
        0: 0.25,
        0.5: 0.25,
        2: 0.5,
    }
    assert population.mass(0.5) == 0.75 and population.largest == 2


def test_the_configured_populations_are_the_paper_s():
    for name, spec in (("uniform_levels", UNIFORM_LEVELS), ("clipped_normal", CLIPPED_NORMAL)):
        assert yaml.safe_load((CONF / "population" / f"{name}.yaml").read_text()) == spec


@pytest.mark.parametrize("name", LOCAL)
def test_silent_users_cost_regret_and_change_nothing(name):
    """Rewards of the rounds of silent users do not matter at all; others do."""
    T, seed = 3000, 5
    crowd = build_population({"kind": "levels", "levels": [0, 0.5, 2], "shares": [0.3, 0.3, 0.4]})
    game = game_of(crowd, generator(seed, 0, ENVIRONMENT))
    silent = np.array([privacy_level(game, next_user(game)) < 1 for _ in range(T)])
    assert 0.5 < silent.mean() < 0.7
    rewards = (np.random.default_rng(3).random((T, 3)) < [0.9, 0.5, 0.1]).astype(float)
    given = {"crowd": crowd, "eps_min": 1.0, "seed": seed, "checkpoints": np.arange(1, T + 1)}
    pulls = play(name, table(rewards), T, **given)
    assert (pulls.sum(axis=1) == np.arange(1, T + 1)).all()
    garbled = np.where(silent[:, None], 1 - rewards, rewards)
    assert (play(name, table(garbled), T, **given) == pulls).all()
    garbled = np.where(silent[:, None], rewards, 1 - rewards)  # control
    assert (play(name, table(garbled), T, **given) != pulls).any()


@pytest.mark.parametrize("name", LOCAL)
def test_a_population_of_one_level_is_homogeneous(name):
    single = build_population({"kind": "levels", "levels": [2], "shares": None})
    spec = bernoulli(0.9, 0.5)
    of_one = play(name, spec, 2000, crowd=single, eps_min=2.0)
    assert (of_one == play(name, spec, 2000, eps=2.0)).all()
    assert (of_one != play(name, spec, 2000, eps=1.0)).any()  # control


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("heldp_ucb_l", lambda eps, gap, T: 8 * (1 + 4 / eps) ** 2 * math.log(T) / gap),
        ("heldp_ucb_b", lambda eps, gap, T: 8 / math.tanh(eps / 2) ** 2 * math.log(T) / gap),
    ],
)
def test_regret_lies_below_the_corollaries(name, bound):
    """Corollaries 8 and 11 of Ren et al. 2020, for users of equal levels."""
    T, means, eps = 100_000, np.array([0.9, 0.6, 0.3]), 4.0
    gaps = means.max() - means
    constant = (3 + 2 * math.pi**2 / 3) if name == "heldp_ucb_l" else (2 + math.pi**2 / 3)
    limit = sum(bound(eps, gap, T) + constant * gap for gap in gaps[1:])

    def regret(level):
        pulls = [play(name, bernoulli(*means), T, eps=level, run=r)[-1] for r in range(10)]
        return np.mean(np.array(pulls) @ gaps)

    assert regret(eps) < limit
    assert regret(eps / 40) > limit  # control


# Laws


LAWS_OF_ARMS = {
    "beta": ({"law": "beta", "a": 2, "b": 3}, stats.beta(2, 3), stats.beta(2, 3.3)),
    "beta of one power": ({"law": "beta", "a": 4, "b": 1}, stats.beta(4, 1), stats.beta(3.6, 1)),
    "uniform": (
        {"law": "uniform", "low": 0.2, "high": 0.9},
        stats.uniform(0.2, 0.7),
        stats.uniform(0.2, 0.65),
    ),
    "gaussian": ({"law": "gaussian", "mean": 1, "sd": 2}, stats.norm(1, 2), stats.norm(1, 1.8)),
}


def environment_of(arm):
    return build({"law": "mixed", "arms": [arm, arm]})


def draws(env, n, seed=10):
    rng = np.random.default_rng(seed)
    return np.array([draw(env, rng, 0, 0) for _ in range(n)])


@pytest.mark.parametrize("name", LAWS_OF_ARMS)
def test_rewards_have_the_law_of_their_arm(name):
    arm, law, wrong = LAWS_OF_ARMS[name]
    instance, n = environment_of(arm), 20_000
    x = draws(instance.environment, n)
    assert instance.means == pytest.approx([law.mean()] * 2)
    assert abs(x.mean() - law.mean()) < SIGMAS * law.std() / math.sqrt(n)
    assert stats.kstest(x, law.cdf).pvalue > P_VALUE
    assert stats.kstest(x, wrong.cdf).pvalue < 1e-9  # control
    low, high = instance.support
    assert low <= x.min() and x.max() <= high


def test_sigmoid_gaussian_rewards_are_the_sigmoid_of_gaussian_ones():
    spec = {"law": "gaussian", "means": [0.5, -1.0], "sd": 2.0}
    squashed, bare = build(spec | {"sigmoid": True}), build(spec | {"sigmoid": False})
    assert (squashed.means == bare.means).all() and list(bare.means) == [0.5, -1.0]
    assert squashed.support == (0.0, 1.0)
    x = draws(squashed.environment, 20_000)
    assert (x == expit(draws(bare.environment, 20_000))).mean() > 0.2  # the same numbers
    assert stats.kstest(np.log(x / (1 - x)), stats.norm(0.5, 2).cdf).pvalue > P_VALUE
    assert stats.kstest(np.log(x / (1 - x)), stats.norm(0.5, 1.8).cdf).pvalue < 1e-9  # control


VALUES, CHANCES = [0.0, 1.0, 7.0], [0.5, 0.3, 0.2]
OF_THREE = {"law": "discrete", "values": VALUES, "probabilities": CHANCES}


def test_discrete_rewards_have_their_probabilities():
    instance, n = environment_of(OF_THREE), 20_000
    assert instance.means == pytest.approx([1.7, 1.7]) and instance.support == (0.0, 7.0)
    x = draws(instance.environment, n)
    observed = [(x == value).sum() for value in VALUES]
    assert sum(observed) == n
    assert stats.chisquare(observed, n * np.array(CHANCES)).pvalue > P_VALUE
    wrong = n * np.array([0.46, 0.32, 0.22])
    assert stats.chisquare(observed, wrong).pvalue < 1e-9  # control


def test_arms_of_different_discrete_laws_do_not_mix():
    other = {"law": "discrete", "values": [-3.0, -2.0], "probabilities": [0.5, 0.5]}
    env = build({"law": "mixed", "arms": [OF_THREE, other, OF_THREE]}).environment
    rng = np.random.default_rng(1)
    for a, values in enumerate((VALUES, other["values"], VALUES)):
        assert {draw(env, rng, a, 0) for _ in range(300)} == set(values)
        assert min(values) * 40 <= draw_sum(env, rng, a, 40, 0, 1, 0.0, np.inf) <= max(values) * 40


@pytest.mark.parametrize(
    ("probabilities", "possible"),
    [([0.0, 0.5, 0.5], {1.0, 7.0}), ([0.5, 0.5, 0.0], {0.0, 1.0}), ([0.0, 1.0, 0.0], {1.0})],
)
def test_a_value_of_probability_0_never_comes(probabilities, possible):
    env = environment_of(OF_THREE | {"probabilities": probabilities}).environment
    rng = np.random.default_rng(2)
    assert {draw(env, rng, 0, 0) for _ in range(300)} == possible
    sums = {draw_sum(env, rng, 0, 1, 0, 1, 0.0, np.inf) for _ in range(300)}
    assert sums == possible


def multinomial_sums(n, chances):
    """The law of the sum of n rewards of three values: the sums that occur, their probabilities."""
    law = {}
    for ones in range(n + 1):
        for sevens in range(n + 1 - ones):
            counts = [n - ones - sevens, ones, sevens]
            total = float(np.dot(counts, VALUES))
            law[total] = law.get(total, 0.0) + stats.multinomial(n, chances).pmf(counts)
    return np.array(sorted(law)), np.array([law[x] for x in sorted(law)])


def chi_square(sums, n, chances):
    """p-value of drawn sums against the multinomial law, rare sums counted together."""
    totals, probabilities = multinomial_sums(n, chances)
    assert np.isin(sums, totals).all()
    expected = len(sums) * probabilities
    observed = np.array([(sums == x).sum() for x in totals])
    often = expected >= 10
    pool = np.append(observed[often], observed[~often].sum())
    hope = np.append(expected[often], expected[~often].sum())
    used = hope > 0
    return stats.chisquare(pool[used], hope[used] * pool.sum() / hope[used].sum()).pvalue


@pytest.mark.parametrize("n", [1, 5, 80])
def test_block_sums_of_a_discrete_law_are_multinomial(n):
    env, rng = environment_of(OF_THREE).environment, np.random.default_rng(12)
    sums = np.array([draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) for _ in range(20_000)])
    assert chi_square(sums, n, CHANCES) > P_VALUE
    assert chi_square(sums, n, [0.46, 0.32, 0.22]) < 1e-9  # control


def test_block_sums_of_a_discrete_law_are_those_of_single_rewards():
    env, rng = environment_of(OF_THREE).environment, np.random.default_rng(13)
    singles = [sum(draw(env, rng, 0, 0) for _ in range(5)) for _ in range(4000)]
    assert chi_square(np.array(singles), 5, CHANCES) > P_VALUE


def z_scores(env, law, n, size=2000):
    rng = np.random.default_rng(14)
    sums = np.array([draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) for _ in range(size)])
    return (sums - n * law.mean()) / (law.std() * math.sqrt(n))


@pytest.mark.parametrize("n", [1, 5, 80, 10**15])
def test_block_sums_of_a_gaussian_law(n):
    law = stats.norm(0.25, 2)
    env = environment_of({"law": "gaussian", "mean": 0.25, "sd": 2}).environment
    z = z_scores(env, law, n)
    assert stats.kstest(z, "norm").pvalue > P_VALUE
    assert stats.kstest(0.7 * z, "norm").pvalue < 1e-9  # control
    assert stats.kstest(z + 0.2, "norm").pvalue < 1e-9  # control


def test_block_sums_of_enormous_blocks_of_a_discrete_law():
    law = stats.rv_discrete(values=([0, 1, 7], CHANCES))
    z = z_scores(environment_of(OF_THREE).environment, law, 10**15)
    assert stats.kstest(z, "norm").pvalue > P_VALUE
    assert stats.kstest(0.7 * z, "norm").pvalue < 1e-9  # control
    same = environment_of(OF_THREE | {"values": [1.0, 1.0, 1.0]}).environment
    rng = np.random.default_rng(1)
    assert all(draw_sum(same, rng, 0, 10**15, 0, 1, 0.0, np.inf) == 10**15 for _ in range(50))


@pytest.mark.parametrize("n", [0, 1, 5, 80])
@pytest.mark.parametrize("name", ["beta", "uniform"])
def test_block_sums_of_other_laws_are_sums_of_single_rewards(name, n):
    env = environment_of(LAWS_OF_ARMS[name][0]).environment
    blocks, singles = np.random.default_rng(15), np.random.default_rng(15)
    expected = sum(draw(env, singles, 0, 0) for _ in range(n))
    assert draw_sum(env, blocks, 0, n, 0, 1, 0.0, np.inf) == pytest.approx(expected)


# Environments of Ren et al. 2020

REN_MEANS = [0.9] + [0.8] * 5 + [0.7] * 5 + [0.6] * 5 + [0.5] * 4


def ren(name):
    return build(yaml.safe_load((CONF / "env" / f"{name}.yaml").read_text()))


@pytest.mark.parametrize(
    ("name", "laws"),
    [
        ("ren_bernoulli", [TWO_POINT] * 20),
        ("ren_gaussian", [GAUSSIAN] * 20),
        (
            "ren_mixed",
            [TWO_POINT] + [BETA] * 5 + [DISCRETE] * 5 + [TWO_POINT] * 5 + [UNIFORM] * 4,
        ),
    ],
)
def test_the_twenty_arms_of_the_paper(name, laws):
    instance = ren(name)
    assert instance.means == pytest.approx(REN_MEANS)
    assert list(instance.environment.law) == laws
    assert instance.support == ((-math.inf, math.inf) if name == "ren_gaussian" else (0, 1))


def test_the_laws_of_ren_mixed():
    env = ren("ren_mixed").environment
    assert (env.parameters[[0, *range(11, 16)]] == [[0, 1, p] for p in [0.9] + [0.6] * 5]).all()
    assert (env.parameters[1:6, :2] == [4, 1]).all()
    assert (env.parameters[16:, :2] == [0, 1]).all()
    rng = np.random.default_rng(4)
    for a in range(6, 11):
        x = np.array([draw(env, rng, a, 0) for _ in range(2000)])
        assert set(x) == {0.4, 1.0}
        assert stats.binomtest(int((x == 1).sum()), 2000, 0.5).pvalue > P_VALUE


def test_the_laws_of_ren_gaussian():
    env = ren("ren_gaussian").environment
    assert (env.parameters[:, 1] == 1).all() and list(env.parameters[:, 0]) == REN_MEANS
    spec = yaml.safe_load((CONF / "env" / "ren_gaussian.yaml").read_text())
    squashed = build(spec | {"sigmoid": True})
    assert (squashed.environment.law == SIGMOID_GAUSSIAN).all()
    assert squashed.means == pytest.approx(REN_MEANS)


# The command line

SMALL = "horizon=300 runs=2 jobs=1 checkpoints=3"
COLUMNS = ["algo", "env", "eps", "horizon", "seed", "run", "t", "regret"]
OF_CROWDS = [*COLUMNS[:5], "population", "eps_min", *COLUMNS[5:]]


@pytest.fixture
def bandit(tmp_path, monkeypatch, capsys):
    """A function that runs bandit-run in the test's folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def command(given):
        monkeypatch.setattr(sys, "argv", ["bandit-run", *given])
        with pytest.raises(SystemExit) as stopped:
            run.main()
        printed = capsys.readouterr()
        return stopped.value.code, printed.out, printed.err

    return command


@pytest.fixture
def refuse(bandit, tmp_path):
    """A function that runs a line which must be refused, and returns the complaint."""

    def command(line):
        before = sorted(tmp_path.rglob("*"))
        done = bandit(arguments(line))
        assert sorted(tmp_path.rglob("*")) == before
        return complaint("bandit-run", *done)

    return command


@pytest.fixture
def printed(bandit):
    """A function that runs a line which must succeed, and returns what it prints."""

    def command(line):
        code, out, err = bandit(shlex.split(f"{line} {SMALL}"))
        assert code == 0, err
        return out.splitlines()

    return command


@pytest.fixture
def results(printed):
    """A function that runs a line and returns its table."""
    return lambda line: pd.read_csv(printed(line)[-1])


B = "algo=heldp_ucb_b"
CROWD = f"{B} population=uniform_levels"
OWN = f"{B} population=levels eps_min=0.5"
NORMAL = f"{B} population=clipped_normal eps_min=1"
FILE = f"{B} population=file population.path=users.csv eps_min=1"
REFUSED = [
    (
        f"{FILE.replace('users.csv', '/dev/zero')} population.column=level",
        "path=/dev/zero:",
        "pipe",
    ),
    (f"{CROWD} eps_min=0", "eps_min=0:", "above 0"),
    (f"{CROWD} eps_min=-1", "eps_min=-1:", "above 0"),
    (f"{CROWD} eps_min=nan", "eps_min=nan:", "above 0"),
    (f"{CROWD} eps_min=inf", "eps_min=inf:", "finite"),
    (f"{CROWD} eps_min=text", "eps_min=text:", "above 0"),
    (f"{CROWD} eps_min=true", "eps_min=true:", "above 0"),
    (f"{CROWD} eps_min=[1]", "eps_min=[1]:", "above 0"),
    (f"{CROWD} eps_min=100.5", "eps_min=100.5:", "uniform_levels", "no user"),
    (f"{NORMAL.replace('=1', '=101')}", "eps_min=101:", "clipped_normal", "no user"),
    (f"{B} eps=2 eps_min=3", "eps_min=3:", "eps=2", "no user"),
    (f"{B} eps=2 eps_min=0", "eps_min=0:", "above 0"),
    (f"{B} eps=2 eps_min=-1", "eps_min=-1:", "above 0"),
    (f"{B} eps=2 +algo.eps_min=1", "algo.eps_min", "eps_min"),
    (f"{B} eps=2 algo.eps_min=1", "algo.eps_min", "eps_min"),
    (CROWD, "eps_min:", "uniform_levels", "auto"),
    (NORMAL.replace(" eps_min=1", ""), "eps_min:", "clipped_normal", "auto"),
    (f"{CROWD} eps_min=1 eps=1", "eps=1:", "uniform_levels", "levels of their own"),
    (f"{CROWD} eps_min=1 eps=inf", "eps=inf:", "uniform_levels"),
    (f"{B} eps=inf", "eps=inf:", "finite number above 0"),
    ("algo=heldp_ucb_l eps=inf", "eps=inf:", "finite number above 0"),
    (f"{B} eps=0", "eps=0:", "above 0"),
    (f"{B} eps=nan", "eps=nan:", "above 0"),
    ("algo=heldp_ucb_l eps=1e200", "eps=1e200:"),
    (f"{OWN} population.shares=[0.5,0.6]", "population.shares=[0.5,0.6]:", "sum to 1"),
    (f"{OWN} population.shares=[0.5,0.3,0.2]", "population.shares=[0.5,0.3,0.2]:", "2 shares"),
    (f"{OWN} population.shares=[1]", "population.shares=[1", "2 shares"),
    (f"{OWN} population.shares=[1.5,-0.5]", "population.shares=[1.5,-0.5]:", "at least 0"),
    (f"{OWN} population.shares=[a,b]", "population.shares=a:", "finite number"),
    (f"{OWN} population.shares=5", "population.shares=5:", "list of numbers"),
    (f"{OWN} population.levels=[-1,1]", "population.levels=-1", "from 0 to"),
    (f"{OWN} population.levels=[nan,1]", "population.levels=nan:", "finite number"),
    (f"{OWN} population.levels=[inf,1]", "population.levels=inf:", "finite number"),
    (f"{OWN} population.levels=[1e7,1]", "population.levels=1", "from 0 to"),
    (f"{OWN} population.levels=[]", "population.levels=[]:", "list of numbers"),
    (f"{OWN} population.levels=high", "population.levels=high:", "list of numbers"),
    (f"{OWN} population.levels=[0,0]", "eps_min=0.5:", "no user"),
    (f"{B} population=levels population.levels=[0] eps_min=auto", "population=levels", "above 0"),
    (f"{OWN} population.level=[1]", "'population.level'", "did you mean population.levels?"),
    (f"{OWN} population.kind=foo", "population.kind", "'foo'", "clipped_normal"),
    (f"{NORMAL} population.sd=0", "population.sd=0:", "above 0"),
    (f"{NORMAL} population.sd=wide", "population.sd=wide:", "finite number"),
    (f"{NORMAL} population.mean=nan", "population.mean=nan:", "finite number"),
    (f"{NORMAL} population.low=-1", "population.low=-1:", "from 0 to"),
    (f"{NORMAL} population.low=2 population.high=1", "population.low=2:", "population.high"),
    (f"{B} population=uniform_level", "population", "'uniform_level'", "mean uniform_levels?"),
    (f"{B} population=xyz", "population", "'xyz'", "clipped_normal, file, homogeneous"),
    (f"{B} population=3", "population", "3", "uniform_levels"),
    (f"{B} population=null", "population", "uniform_levels"),
    ("algo=adap_ucb population=uniform_levels", "population=uniform_levels:", "adap_ucb"),
    ("algo=ucb population=uniform_levels", "population=uniform_levels:", "ucb"),
    ("algo=adap_ucb eps_min=1", "eps_min=1:", "adap_ucb"),
    ("algo=ucb eps_min=auto", "eps_min=auto:", "ucb"),
    (f"{B} env=ren_gaussian", "env=ren_gaussian:", "heldp_ucb_b", "[0, 1]", "heldp_ucb_bs"),
    ("algo=heldp_ucb_l env=ren_gaussian", "env=ren_gaussian:", "heldp_ucb_l", "heldp_ucb_ls"),
    (FILE.replace("users", "missing"), "population.path=missing.csv:", "No such file"),
    (FILE.replace("users.csv", "."), "population.path=.:", "directory"),
    (f"{FILE} population.column=epsilon", "column", "users.csv", "'epsilon'", "eps"),
    (f"{FILE} population.column=[eps]", "column", "eps"),
    (f"{FILE} population.column=who", "who", "ann", "finite number"),
    (f"{FILE} population.column=some", "some", "x", "finite number"),
    (f"{FILE} population.column=gaps", "gaps", "nan", "finite number"),
    (f"{FILE} population.column=debts", "debts", "-1", "from 0 to"),
    (FILE.replace("users", "empty"), "population.path=empty.csv:", "CSV"),
    (FILE.replace("users", "header"), "population.path=header.csv:", "no rows"),
    ("'sweep={algo:[ucb,adap_ucb],population:[uniform_levels]}'", "sweep.population", "no algo"),
    ("'sweep={algo:[ucb,adap_ucb],eps_min:[1]}'", "sweep.eps_min", "no algorithm"),
    (f"{B} 'sweep={{population:[uniform_levl],eps_min:[1]}}'", "'uniform_levl'", "did you mean"),
    (f"{CROWD} 'sweep={{eps_min:[1,0]}}'", "eps_min=0:", "above 0"),
    (f"{CROWD} 'sweep={{eps_min:[1,101]}}'", "eps_min=101:", "no user"),
    (f"{CROWD} eps_min=2 'sweep={{eps_min:[1]}}'", "eps_min=2:", "varies eps_min"),
    (f"{CROWD} eps_min=1 'sweep={{eps:[1,2]}}'", "sweep.eps", "no algorithm"),
    (f"{CROWD} 'sweep={{population:[clipped_normal],eps_min:[1]}}'", "varies population"),
]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in REFUSED], ids=[x[0] for x in REFUSED]
)
def test_bad_input_is_refused(refuse, line, parts):
    Path("users.csv").write_text("who,eps,some,gaps,debts\nann,1,x,1,-1\nbob,2,3,,2\n")
    Path("empty.csv").write_text("")
    Path("header.csv").write_text("eps\n")
    message = refuse(line)
    assert all(part in message for part in parts), message


def settings(found, *columns):
    """The settings of a table, in order."""
    rows = found[list(columns)].drop_duplicates().astype(object)
    return [tuple(None if pd.isna(x) else x for x in row) for row in rows.to_numpy().tolist()]


def runs_of_each(found):
    """How many runs each setting of a table has."""
    last = found[found["t"] == found["horizon"]]
    names = [c for c in found.columns if c not in ("seed", "run", "t", "regret")]
    return set(last.groupby(names, dropna=False)["run"].count())


@pytest.mark.parametrize("name", ["heldp_ucb_b", "heldp_ucb_l"])
def test_equal_levels_need_eps_alone(results, name):
    found = results(f"algo={name} env=ren_mixed eps=2")
    assert list(found.columns) == COLUMNS
    assert set(found["eps"]) == {2} and set(found["env"]) == {"ren_mixed"}
    assert found["regret"].between(0, 0.4 * 300).all()


@pytest.mark.parametrize("name", ["heldp_ucb_bs", "heldp_ucb_ls"])
def test_unbounded_rewards_have_their_algorithms(results, name):
    assert results(f"algo={name} env=ren_gaussian eps=2")["regret"].max() > 0


def test_an_algorithm_for_bounded_rewards_sees_their_sigmoid(results):
    assert results("algo=ucb env=ren_gaussian env.sigmoid=true")["regret"].max() > 0


def test_populations_and_eps_min_become_columns(results):
    found = results(f"{B} 'sweep={{population:[uniform_levels,clipped_normal],eps_min:[0.5,1]}}'")
    assert list(found.columns) == OF_CROWDS
    assert settings(found, "population", "eps_min") == [
        ("uniform_levels", 0.5),
        ("uniform_levels", 1),
        ("clipped_normal", 0.5),
        ("clipped_normal", 1),
    ]
    assert runs_of_each(found) == {2}


def test_a_population_is_named_even_if_none_is_swept(results):
    found = results(f"{CROWD} eps_min=1")
    assert list(found.columns) == OF_CROWDS
    assert settings(found, "population", "eps_min") == [("uniform_levels", 1)]


@pytest.mark.parametrize("name", ["heldp_ucb_b", "heldp_ucb_l"])
def test_eps_min_becomes_a_column_for_equal_levels_too(results, name):
    """Two settings never share the rows of one."""
    found = results(f"algo={name} eps=2 'sweep={{eps_min:[1,2]}}'")
    assert runs_of_each(found) == {2}
    assert settings(found, "eps_min") == [(1,), (2,)]


def test_equal_levels_beside_a_population_keep_their_settings_apart(results):
    found = results(f"{B} 'sweep={{population:[homogeneous,uniform_levels],eps_min:[0.5,1]}}'")
    assert runs_of_each(found) == {2}
    assert len(settings(found, "eps", "population", "eps_min")) == 4


def test_algorithms_without_local_privacy_pass_by_populations(results):
    sweep = "{algo:[ucb,adap_ucb,heldp_ucb_b],population:[uniform_levels],eps_min:[1,2]}"
    found = results(f"'sweep={sweep}'")
    assert list(found.columns) == OF_CROWDS
    assert settings(found, "algo", "population", "eps_min") == [
        ("ucb", None, None),
        ("adap_ucb", None, None),
        ("heldp_ucb_b", "uniform_levels", 1),
        ("heldp_ucb_b", "uniform_levels", 2),
    ]
    assert runs_of_each(found) == {2}
    alone = results("algo=ucb")["regret"].tolist()
    assert found.loc[found["algo"] == "ucb", "regret"].tolist() == alone


def test_eps_beside_populations_is_that_of_equal_levels(results):
    sweep = "{population:[homogeneous,uniform_levels],eps_min:[0.5],eps:[1,2]}"
    found = results(f"{B} 'sweep={sweep}'")
    homogeneous = found[found["population"] != "uniform_levels"]
    assert set(homogeneous["eps"]) == {1, 2}
    assert runs_of_each(found) == {2}
    assert len(found) == 3 * 2 * found["t"].nunique()


def test_one_level_of_ones_own_is_the_same_as_eps(results):
    own = results(f"{B} population=levels population.levels=[2] eps_min=2")
    assert own["regret"].tolist() == results(f"{B} eps=2")["regret"].tolist()
    assert own["regret"].tolist() != results(f"{B} eps=1")["regret"].tolist()


def test_a_multirun_varies_populations(printed):
    lines = printed(f"-m {B} population=uniform_levels,clipped_normal eps_min=1")
    found = [pd.read_csv(line) for line in lines if line.endswith(".csv")]
    assert [set(t["population"]) for t in found] == [{"uniform_levels"}, {"clipped_normal"}]


def test_users_of_a_file(results):
    Path("users.csv").write_text("who,level\nann,0.5\nbob,2\n")
    line = "algo=heldp_ucb_b population=file population.column=level eps_min=2"
    first = results(line)
    same = results("algo=heldp_ucb_b population=levels population.levels=[0.5,2] eps_min=2")
    assert set(first["population"]) == {"file"}
    assert first["regret"].tolist() == same["regret"].tolist()
    Path("users.csv").write_text("who,level\nann,3\nbob,2\n")
    assert results(line)["regret"].tolist() != first["regret"].tolist()  # edited: run anew


@pytest.mark.parametrize(
    ("name", "population", "term", "best"),
    [
        ("heldp_ucb_l", "uniform_levels", v_l, 100),
        ("heldp_ucb_ls", "uniform_levels", v_l, 100),
        ("heldp_ucb_b", "uniform_levels", v_b, 2),
        ("heldp_ucb_bs", "uniform_levels", v_b, 2),
        ("heldp_ucb_l", "clipped_normal", v_l, 0.99),
        ("heldp_ucb_b", "clipped_normal", v_b, 0.95),
    ],
)
def test_auto_chooses_the_eps_min_of_the_smallest_leading_term(
    printed, name, population, term, best
):
    lines = printed(f"algo={name} population={population} eps_min=auto")
    [chosen] = [line.split() for line in lines if line.endswith("chosen")]
    eps_min = float(chosen[0])
    assert [(population, eps_min)] == settings(pd.read_csv(lines[-1]), "population", "eps_min")
    assert eps_min == pytest.approx(best, rel=0.1)
    spec = {"uniform_levels": UNIFORM_LEVELS, "clipped_normal": CLIPPED_NORMAL}[population]
    crowd = build_population(spec)
    assert float(chosen[1]) == pytest.approx(term(crowd, eps_min), rel=1e-3)
    levels = [0.2, 1, 2, 100] if population == "uniform_levels" else np.linspace(0.1, 3, 300)
    assert term(crowd, eps_min) < 1.001 * min(term(crowd, x) for x in levels)
    shown = {float(x.split()[0]): float(x.split()[1]) for x in lines if x[:1].isdigit()}
    assert shown[eps_min] == min(shown.values()) and len(shown) > 1
    assert "V_L" in lines[0] if term is v_l else "V_B" in lines[0]
    crowds = len([line for line in lines if line.startswith("eps_min for")])
    assert crowds == 1


def test_auto_for_equal_levels_is_their_level(printed):
    lines = printed(f"{B} eps=2 eps_min=auto")
    [chosen] = [line.split() for line in lines if line.endswith("chosen")]
    assert float(chosen[0]) == 2
    regret = pd.read_csv(lines[-1])["regret"].tolist()
    assert regret == pd.read_csv(printed(f"{B} eps=2")[-1])["regret"].tolist()


# The curators that guarantees name are what the algorithms send


class Spy:
    """Stands for a curator, and notes what it was given and what it returned."""

    def __init__(self, function):
        self.function, self.calls = function, []

    def __call__(self, rng, r, level):
        state = rng.bit_generator.state
        x = self.function(rng, r, level)
        self.calls.append((state, r, level, x))
        return x


@pytest.mark.parametrize(
    ("name", "sends"),
    [
        ("heldp_ucb_l", add_laplace),
        ("heldp_ucb_ls", add_laplace),
        ("heldp_ucb_b", convert_to_bernoulli),
        ("heldp_ucb_bs", convert_to_bernoulli_of_sigmoid),
    ],
)
def test_the_curators_of_guarantees_are_what_algorithms_send(name, sends, monkeypatch):
    """On the same reward and the same coins, the curator that is audited sends the same."""
    eps = 0.8
    curator = load(ALGORITHMS / f"{name}.py").guarantee.curator
    spy = Spy(sends)
    replace(monkeypatch, sends, spy)
    seen = []
    pull = game_module.pull_again
    replace(monkeypatch, pull, lambda *given: seen.append(pull(*given)) or seen[-1])
    play(name, bernoulli(0.7, 0.4), 60, eps=eps, plain=True)
    monkeypatch.undo()
    assert len(spy.calls) == len(seen) == 60
    for (state, _, _, x), reward in zip(spy.calls, seen, strict=True):
        rng = np.random.Generator(np.random.SFC64())
        rng.bit_generator.state = state
        assert curator(rng, reward, eps) == x


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
