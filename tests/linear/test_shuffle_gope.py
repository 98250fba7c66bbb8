"""Shuffle-GOPE: replays with coins too few or used twice, the variance of an estimate, bits."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from helpers import algorithm, table

from dpbandits.algorithms.shuffle_gope import elimination
from dpbandits.audit.alignment.align import align
from dpbandits.audit.targets.decisions import target_of
from dpbandits.authoring import BOUNDED_LINEAR, Budget, Fraction
from dpbandits.contracts.algorithm import from_function
from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import homogeneous
from dpbandits.game import new_game
from dpbandits.parts.linear.bits import largest_variance, pull_bits
from dpbandits.parts.linear.design import d_optimal
from dpbandits.parts.noise.shuffled_coins import least_bits


def twin_with(heads):
    """Shuffle-GOPE with these coins in the replays, and its guarantee."""

    def twin(game, rng, eps: Budget, delta: Fraction):
        play(game, rng, eps, delta, 0.5)

    play, ours = elimination(heads), algorithm("shuffle_gope").guarantee
    guarantee = replace(ours, alignment=replace(ours.alignment, literal={}))
    return from_function(twin, rewards=BOUNDED_LINEAR, guarantee=guarantee)


def kept(rng, N):
    """Coins that are tossed once in a run."""
    if "coins_kept" not in vars(rng):
        rng.coins_kept = rng.coins(N)
    return rng.coins_kept


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heads", "why"),
    [
        (lambda rng, N: rng.coins(N), ""),
        (lambda rng, N: rng.coins(N - 1), "the cost is"),
        (kept, "hides several numbers|hides two different"),
    ],
)
def test_a_coin_too_few_and_coins_used_twice_are_noticed(heads, why):
    target = target_of(twin_with(heads), 0.5, {"delta": 1e-5}, (512, 2000))
    found = align(target, 12, seed=1)
    assert found.holds == (not why)
    assert re.search(why, found.problem.why) if why else found.spent > 0.99


def random_design(rng):
    k, r = rng.integers(3, 8), rng.integers(1, 4)
    z = rng.standard_normal((k, r))
    return z / np.maximum(np.linalg.norm(z, axis=1), 1.0)[:, None]


def test_the_largest_variance_is_its_definition():
    rng = np.random.default_rng(0)
    for _ in range(20):
        z = random_design(rng)
        n = np.where(rng.random(len(z)) < 0.8, rng.integers(1, 50, len(z)), 0.0)
        n[: z.shape[1]] += 1.0
        V = np.linalg.inv((z.T * n) @ z)
        expected = max(
            3 * a @ V @ a + 7 * sum((a @ V @ b) ** 2 for b, m in zip(z, n, strict=True) if m > 0)
            for a in z
        )
        assert largest_variance(z, n, 3.0, 7.0) == pytest.approx(expected)
        assert largest_variance(z, n, 3.0, 8.0) > expected


@pytest.mark.slow
def test_c_gives_the_accuracy_with_the_counts_that_are_played():
    """200 random designs; the control is a c that leaves out the coins."""
    rng, failed = np.random.default_rng(3), 0
    for _ in range(200):
        z, l = random_design(rng), int(rng.integers(1, 6))
        d, beta, L = z.shape[1], 0.5**l, math.log(2 * 5 * l * (l + 1) / 0.001)
        N, pi = least_bits(float(rng.choice([0.2, 1.0])), 1e-5), d_optimal(z)
        h = largest_variance(z, pi, 0.0, 1.0)
        c = (L * d + math.sqrt(L**2 * d**2 + 2 * beta**2 * L * N * h)) / beta**2
        bound = largest_variance(z, np.ceil(c * pi), 1.0, N)
        failed += 2 * L * bound > beta**2
        assert 2 * L * bound > 0.2 * beta**2  # not far from it
        assert 2 * L * largest_variance(z, np.ceil(0.7 * c * pi), 1.0, N) > beta**2 or c < 100
    assert failed <= 2


@pytest.mark.parametrize(("reward", "n"), [(1.0, 9), (-1.0, 9), (0.2, 4000)])
def test_bits_of_rewards_between_the_ends_have_their_mean(reward, n):
    env = build(table(np.full((n, 2), reward))).environment
    game = new_game(env, homogeneous(1.0).users(), np.random.default_rng(1), n, np.array([n]))
    ones = pull_bits(game, 0, n)
    p = (1 + reward) / 2
    assert abs(ones - n * p) <= 5 * math.sqrt(n * p * (1 - p)) and ones == int(ones)
