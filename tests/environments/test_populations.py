"""Populations of users: levels of those who arrive, and leading terms of Ren et al. 2020."""

import math

import numpy as np
import pytest
import yaml
from helpers import CONF, P_VALUE, SIGMAS, game_with
from in_law import assert_law
from scipy import stats

from dpbandits.environments.populations import build_population, homogeneous
from dpbandits.game import coth_half_level, next_user, privacy_level, tanh_half_level
from dpbandits.theory.ren2020 import v_b, v_l

UNIFORM_LEVELS = {"kind": "levels", "levels": [0, 0.2, 1, 2, 100], "shares": None}
CLIPPED_NORMAL = {"kind": "clipped_normal", "mean": 1.0, "sd": 1.0, "low": 0.0, "high": 100.0}


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


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("eps_min", [1e-4, 1e-5, 1e-7, 1e-9])
def test_a_small_eps_min_makes_leading_terms_large(eps_min):
    """Nearly all of E[eps^-2] is of the levels near eps_min, where the density is constant."""
    population = build_population(CLIPPED_NORMAL)
    near, mass = stats.norm.pdf(1.0) / eps_min, stats.norm.cdf(1.0)
    assert population.mass(eps_min) == pytest.approx(mass, rel=1e-3)
    assert v_l(population, eps_min) * mass**2 == pytest.approx(16 * near, rel=2e-3)
    assert v_b(population, eps_min) * mass**2 == pytest.approx(4 * near, rel=2e-3)


def drawn_levels(spec, n, seed=9):
    """The levels of users who come, each checked against the tanh and coth that kernels receive."""
    game = game_with(build_population(spec), np.random.default_rng(seed))
    levels, tanhs, coths = np.zeros((3, n))
    for i in range(n):
        user = next_user(game)
        levels[i], tanhs[i] = privacy_level(game, user), tanh_half_level(game, user)
        coths[i] = coth_half_level(game, user)
    assert np.allclose(tanhs, np.tanh(levels / 2), rtol=1e-14, atol=0)
    some = levels > 0  # nobody of level 0 sends anything
    assert np.allclose(coths[some] * tanhs[some], 1.0, rtol=1e-14, atol=0)
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
    assert_law(inside, *(stats.truncnorm(*cut, mean, x * sd) for x in (1, 1.3)))


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
