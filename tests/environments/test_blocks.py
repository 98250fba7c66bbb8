"""Sums of blocks have the law of sums of single rewards, also of enormous blocks."""

import math

import numpy as np
import pytest
from helpers import P_VALUE, bernoulli, two_arms
from scipy import stats

from dpbandits.environments.blocks import draw_sum
from dpbandits.environments.catalogue import build
from dpbandits.environments.laws import draw

VALUES, CHANCES = [0.0, 1.0, 7.0], [0.5, 0.3, 0.2]
OF_THREE = {"law": "discrete", "values": VALUES, "probabilities": CHANCES}
BETA = {"law": "beta", "a": 2, "b": 3}
UNIFORM = {"law": "uniform", "low": 0.2, "high": 0.9}


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [bernoulli(0.7, 0.01), {"law": "twopoint_heavy", "means": [0.6, 0.2], "v": 0.5, "g": 0.5}],
    ids=["bernoulli", "twopoint_heavy"],
)
@pytest.mark.parametrize("n", [1, 5, 80])
def test_block_sums_have_the_law_of_sums(spec, n):
    instance, rng = build(spec), np.random.default_rng(2)
    env, size = instance.environment, 4000
    for a in range(2):
        blocks = [draw_sum(env, rng, a, n, 0, 1, 0.0, np.inf) for _ in range(size)]
        singles = [sum(draw(env, rng, a, 0) for _ in range(n)) for _ in range(size)]
        unit = env.parameters[a, 1]
        counts = np.rint(np.array([blocks, singles]) / unit).astype(int)
        assert np.allclose(counts * unit, [blocks, singles])
        top = counts.max() + 1
        observed = np.array([np.bincount(c, minlength=top) for c in counts])
        observed = observed[:, observed.sum(axis=0) > 0]
        if observed.shape[1] > 1:
            assert stats.chi2_contingency(observed).pvalue > 1e-6
        shifted = np.array([observed[0], np.roll(observed[1], 1)])
        if n == 80:  # control
            assert stats.chi2_contingency(shifted + 0.01).pvalue < 1e-3
        assert np.mean(blocks) == pytest.approx(n * instance.means[a], abs=6 * n * unit / 60)


def test_block_sums_of_enormous_blocks():
    """At n = 1e18 mean and spread are still the binomial's."""
    env, rng = build(bernoulli(0.3, 0.2)).environment, np.random.default_rng(4)
    n = 10**18
    z = [
        (draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) - 0.3 * n) / np.sqrt(0.21 * n)
        for _ in range(2000)
    ]
    assert abs(np.mean(z)) < 5 / np.sqrt(2000)
    assert 0.85 < np.var(z) < 1.15


def test_certain_arms():
    env, rng = build(bernoulli(0.0, 1.0)).environment, np.random.default_rng(4)
    for n in (1, 10, 10**9):
        assert draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) == 0.0
        assert draw_sum(env, rng, 1, n, 0, 1, 0.0, np.inf) == n


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


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 5, 80])
def test_block_sums_of_a_discrete_law_are_multinomial(n):
    env, rng = two_arms(OF_THREE).environment, np.random.default_rng(12)
    sums = np.array([draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) for _ in range(20_000)])
    assert chi_square(sums, n, CHANCES) > P_VALUE
    assert chi_square(sums, n, [0.46, 0.32, 0.22]) < 1e-9  # control


def test_block_sums_of_a_discrete_law_are_those_of_single_rewards():
    env, rng = two_arms(OF_THREE).environment, np.random.default_rng(13)
    singles = [sum(draw(env, rng, 0, 0) for _ in range(5)) for _ in range(4000)]
    assert chi_square(np.array(singles), 5, CHANCES) > P_VALUE


def z_scores(env, law, n, size=2000):
    rng = np.random.default_rng(14)
    sums = np.array([draw_sum(env, rng, 0, n, 0, 1, 0.0, np.inf) for _ in range(size)])
    return (sums - n * law.mean()) / (law.std() * math.sqrt(n))


@pytest.mark.parametrize("n", [1, 5, 80, 10**15])
def test_block_sums_of_a_gaussian_law(n):
    law = stats.norm(0.25, 2)
    env = two_arms({"law": "gaussian", "mean": 0.25, "sd": 2}).environment
    z = z_scores(env, law, n)
    assert stats.kstest(z, "norm").pvalue > P_VALUE
    assert stats.kstest(0.7 * z, "norm").pvalue < 1e-9  # control
    assert stats.kstest(z + 0.2, "norm").pvalue < 1e-9  # control


def test_block_sums_of_enormous_blocks_of_a_discrete_law():
    law = stats.rv_discrete(values=([0, 1, 7], CHANCES))
    z = z_scores(two_arms(OF_THREE).environment, law, 10**15)
    assert stats.kstest(z, "norm").pvalue > P_VALUE
    assert stats.kstest(0.7 * z, "norm").pvalue < 1e-9  # control
    same = two_arms(OF_THREE | {"values": [1.0, 1.0, 1.0]}).environment
    rng = np.random.default_rng(1)
    assert all(draw_sum(same, rng, 0, 10**15, 0, 1, 0.0, np.inf) == 10**15 for _ in range(50))


@pytest.mark.parametrize("n", [0, 1, 5, 80])
@pytest.mark.parametrize("law", [BETA, UNIFORM], ids=["beta", "uniform"])
def test_block_sums_of_other_laws_are_sums_of_single_rewards(law, n):
    env = two_arms(law).environment
    blocks, singles = np.random.default_rng(15), np.random.default_rng(15)
    expected = sum(draw(env, singles, 0, 0) for _ in range(n))
    assert draw_sum(env, blocks, 0, n, 0, 1, 0.0, np.inf) == pytest.approx(expected)
