"""The algorithms for heavy tails: the adaptive tree, thresholds, expiry, literal constants."""

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
import references
from helpers import arguments, bernoulli, game_of, play, replace, table
from in_law import assert_law
from scipy import stats
from tiers import first

from dpbandits import game
from dpbandits.game import rounds_left
from dpbandits.parts.counting import trees
from dpbandits.parts.indices import argmax
from dpbandits.parts.noise import mechanisms
from dpbandits.parts.noise.mechanisms import laplace_sum
from dpbandits.parts.schedules.batches import forced_batches


def two_points(v):
    return {"law": "twopoint_heavy", "means": [0.9, 0.7, 0.5, 0.3, 0.1], "v": v, "g": None}


@pytest.mark.parametrize(("name", "c"), [("dpr_ucb", 18), ("dpr_se", 24), ("ldpr_se", 28)])
def test_literal_constants_are_the_paper_s_and_the_default(name, c):
    assert c in arguments(name, 1.0, 10)
    assert arguments(name, 1.0, 10) == arguments(name, 1.0, 10, c="literal")
    assert arguments(name, 1.0, 10) != arguments(name, 1.0, 10, c="practical")


# The adaptive tree of dpr_ucb (Tao et al. 2022, Alg. 2)


@pytest.mark.parametrize("T", [2, 3, 5, 8, 13, 16, 64, 100, 128, 1000, 1024])
def test_a_tree_spends_eps_and_with_the_printed_budget_would_spend_more(T):
    """One other reward x_i, truncated at B_i, moves each node that it enters by at most 2 B_i,
    and 2 B_i <= 2 B_m, since the level grows and item m closes the node after item i. So a node
    loses at most (2 B_i)/scale <= eps/L, and some item enters L nodes, no item more: eps in all.

    The printed eps/ln T a node is an erratum. It spends L eps/ln T > eps, and not for the rough
    bound of B_i by B_m alone: the true loss of some item exceeds eps, too. The losses are exact:
    nodes are differences of released prefix sums, and Laplace noise attains its ratio.
    test_counters.py has the nodes of a prefix, test_injected_noise.py the scales of their noise.
    """
    eps, u, v, L = 1.0, 1.0, 0.5, trees.tree_levels(T)
    B = (eps * u * np.arange(1, T + 1) / math.log(T) ** 1.5) ** (1 / (1 + v))
    entered, loss, printed = np.zeros(T), np.zeros(T), np.zeros(T)
    for m in range(1, T + 1):
        items = slice(m - (m & -m), m)
        assert (B[items] <= B[m - 1]).all()
        entered[items] += 1
        loss[items] += 2 * B[items] / trees.tree_node_scale(L, 2 * B[m - 1], eps)
        printed[items] += 2 * B[items] / (2 * B[m - 1] * math.log(T) / eps)
    assert entered.max() == L
    assert entered.max() * eps / L == pytest.approx(eps, rel=1e-12)
    assert 0.6 * eps < loss.max() <= eps * (1 + 1e-12)
    assert entered.max() * eps / math.log(T) > 1.4 * eps
    assert printed.max() > eps


# Thresholds of the eliminations


def first_epoch(name, gap, T, eps, u, v, c):
    """Pulls of two arms whose rewards are 0 and whose released means differ by ``gap`` in the
    first epoch of plain dpr_se or ldpr_se, and never again."""
    noises = itertools.chain([0.0, -gap], itertools.repeat(0.0))
    with pytest.MonkeyPatch.context() as patch:
        replace(patch, mechanisms.laplace, lambda rng, scale: next(noises))
        replace(patch, laplace_sum, lambda rng, n, scale: n * next(noises))
        given = {"eps": eps, "u": u, "v": v, "c": c}
        return play(name, bernoulli(0.0, 0.0), T, plain=True, **given)[-1]


@pytest.mark.parametrize(
    ("name", "T", "eps", "u", "v", "c"),
    [
        ("ldpr_se", 10**12, 1.0, 1.0, 0.9, 28.0),
        ("ldpr_se", 4 * 10**15, 1.0, 1.0, 0.5, 28.0),
        ("ldpr_se", 10**12, 0.5, 0.3, 0.8, 20.0),
        ("ldpr_se", 10**10, 0.2, 2.0, 1.0, 3.0),
        ("dpr_se", 10**12, 0.1, 1.0, 0.9, 24.0),
        ("dpr_se", 10**12, 1.0, 1.0, 0.5, 24.0),
        ("dpr_se", 10**12, 8.0, 0.2, 1.0, 1.0),
        ("dpr_se", 10**12, 1.0, 3.0, 0.7, 0.1),
    ],
)
def test_an_epoch_eliminates_at_half_of_its_gap(name, T, eps, u, v, c):
    """(c/2) err is D/2 but for what is added to R, and its rounding. In ldpr_se that needs sqrt(R)
    in err; with R as it is printed the threshold would be far smaller, which is an erratum."""
    local = name == "ldpr_se"
    D, L = (1 / 4, math.log(8 * 2 * T)) if local else (1 / 2, math.log(4 * 2 * T))
    main = (u * (c / D) ** (1 + v)) ** (1 / v) / eps  # but for L; squared under local privacy
    main, added = (main**2 * L, L) if local else (main * L, 1.0)
    given = T, eps, u, v, c
    R = first_epoch(name, 1.0, *given)[1]
    assert main + added <= R <= (main + added + 1) * (1 + 1e-12)
    threshold = D / 2 * (main / R) ** (v / (1 + v) / (2 if local else 1))
    assert first_epoch(name, threshold * (1 + 1e-9), *given)[1] == R
    assert first_epoch(name, threshold * (1 - 1e-9), *given)[1] > R


# The sum of Laplace variables


@pytest.mark.parametrize("n", [1, 3, 50])
@pytest.mark.parametrize("scale", first([0.25, 40.0]))
def test_a_sum_of_noise_has_the_law_of_the_sum(n, scale):
    """Kolmogorov-Smirnov against sums of n draws; 0.8 and 1.2 times the scale are rejected."""
    rng, size = np.random.default_rng(n), 40_000
    sums = rng.laplace(0.0, scale, (size, n)).sum(axis=1)
    draws = np.array([laplace_sum(rng, n, scale) for _ in range(size)])
    assert stats.ks_2samp(draws, sums).pvalue > 1e-6
    for wrong in (0.8, 1.2):
        assert stats.ks_2samp(wrong * draws, sums).pvalue < 1e-12


def test_a_sum_of_a_thousand_trillion_is_normal():
    rng, n, b = np.random.default_rng(1), 1e15, 3.0
    draws = [laplace_sum(rng, n, b) for _ in range(20_000)]
    assert_law(draws, *(stats.norm(0, x * math.sqrt(2 * n) * b) for x in (1, 0.9)))


# Robust UCB: rewards that expire


@dataclass
class Watched:
    """A game of robust_ucb in plain Python; before each round ``check(t, rewards, total)`` sees
    all rewards of each arm, and the sums that the indices rest on."""

    check: Callable
    rewards: dict = field(default_factory=lambda: defaultdict(list))
    total: np.ndarray | None = None
    arms: list = field(default_factory=list)
    pushed: int = 0
    popped: int = 0
    waiting: int = 0  # the largest size of the heap
    recomputed: int = 0  # how often all indices were computed

    def play(self, spec, T, **changes):
        real_pull, real_lead, real_keeps = game.pull_held, argmax.lead, argmax.keeps_lead
        real_push, real_pop = heapq.heappush, heapq.heappop

        def pull(match, arm, t):
            self.check(t + 1, self.rewards, self.total)
            self.rewards[arm.row].append(real_pull(match, arm, t))
            self.arms.append(arm.row)
            return self.rewards[arm.row][-1]

        def lead(indices, window, t, total, N):
            self.total = total.copy()
            self.recomputed += 1
            return real_lead(indices, window, t, total, N)

        def keeps_lead(stretch, total, N):
            self.total[self.arms[-1]] = total
            return real_keeps(stretch, total, N)

        def push(mortal, entry):
            real_push(mortal, entry)
            self.pushed += 1
            self.waiting = max(self.waiting, len(mortal))

        def pop(mortal):
            self.popped += 1
            return real_pop(mortal)

        with pytest.MonkeyPatch.context() as patch:
            replace(patch, real_pull, pull)
            replace(patch, real_lead, lead)
            replace(patch, real_keeps, keeps_lead)
            patch.setattr(heapq, "heappush", push)
            patch.setattr(heapq, "heappop", pop)
            play("robust_ucb", spec, T, plain=True, **changes)
        return self


def kept_sum(rewards, t, u, v, first=1):
    """The sum of an arm's rewards with |x| <= (u i/ln t^2)^(1/(1+v)), i counted from ``first``."""
    x, i = np.array(rewards), np.arange(first, first + len(rewards))
    return x[np.abs(x) ** (1 + v) <= u * i / max(2 * math.log(t), 1e-9)].sum()


@pytest.mark.slow
@pytest.mark.parametrize("seed", first(range(3)))
@pytest.mark.parametrize(("u", "v"), [(0.1, 0.5), (0.2, 0.2), (0.3, 1.0)])
@pytest.mark.parametrize("window", [None, 0.05])
def test_at_every_round_the_kept_rewards_are_those_below_their_levels(
    u, v, seed, window, monkeypatch
):
    """Before every round and for every arm, played or not: the sum is that of the rewards with
    |x| <= (u i/ln t^2)^(1/(1+v)). Rewards are real numbers of at least 0.1 in absolute value, so
    that another set has another sum; controls: the levels of another round, or of item i - 1.
    The arms are those of the reference. In a wide window the lead is kept without recomputation
    even in a game this short."""
    monkeypatch.setattr(argmax, "WINDOW", window or argmax.WINDOW)
    T, wrong = 800, np.zeros(2, int)
    rng = np.random.default_rng(seed)
    rewards = [0.4, 0.25, 0.1] * (1 + rng.pareto(1.6, (T, 3))) * rng.choice([1, 1, 1, -1], (T, 3))

    def check(t, rewards, total):
        for a in rewards:
            assert total[a] == pytest.approx(kept_sum(rewards[a], t, u, v), rel=1e-9, abs=1e-9)
            others = kept_sum(rewards[a], t + 9, u, v), kept_sum(rewards[a], t, u, v, first=0)
            wrong[:] += np.abs(np.array(others) - total[a]) > 0.05

    watched = Watched(check).play(table(rewards), T, u=u, v=v)
    assert watched.pushed >= watched.popped >= 10  # these expired
    assert window is None or watched.recomputed < T - 100
    assert (wrong > 0).all()
    reward = references.table_reward(rewards.tolist())
    assert watched.arms == references.robust_ucb(reward, 3, T, None, u, v)


def test_rewards_that_expire_while_their_arm_leads_are_forgotten_in_time():
    """Every tenth reward of the better arm counts for three rounds more, in which the arm leads."""
    T, u, v = 800, 0.3, 1.0
    rewards, pulls = np.zeros((T, 2)), np.zeros(2, int)

    def reward(a, t):
        pulls[a] += 1
        if a == 0:
            short = pulls[a] % 10 == 0 and t > 100
            rewards[t - 1, a] = math.sqrt(u * pulls[a] / (2 * math.log(t + 3.5))) if short else 0.3
        return rewards[t - 1, a]

    arms, late = references.robust_ucb(reward, 2, T, None, u, v), []

    def check(t, rewards, total):
        for a in rewards:
            assert total[a] == pytest.approx(kept_sum(rewards[a], t, u, v), rel=1e-9, abs=1e-9)
            late.append(kept_sum(rewards[a], t - 1, u, v) - total[a])

    watched = Watched(check).play(table(rewards), T, u=u, v=v)
    assert watched.arms == arms and watched.popped > 20
    assert sum(x > 0.1 for x in late) > 20  # control: sums of a round later


@pytest.mark.slow
def test_few_rewards_wait_in_the_heap():
    """Only those that count now and will not at the horizon: memory does not grow with T."""
    spec = {"law": "pareto", "means": [0.9, 0.7, 0.5], "shape": 1.55}
    for T in (2000, 20_000):
        watched = Watched(lambda *seen: None).play(spec, T)
        assert 0 < watched.popped <= watched.pushed < 40
        assert watched.waiting < 20


# The constants of the paper


@pytest.mark.parametrize(
    ("name", "v", "T", "eliminates"),
    [
        ("dpr_se", 0.9, 10**12, True),
        ("dpr_se", 0.5, 10**12, True),
        ("ldpr_se", 0.9, 10**12, True),
        ("ldpr_se", 0.5, 4 * 10**15, True),
        ("ldpr_se", 0.9, 10**7, False),
        ("ldpr_se", 0.5, 10**7, False),
        ("ldpr_se", 0.5, 10**12, False),
        ("dpr_se", 0.5, 10**7, False),
    ],
)
def test_literal_constants_leave_the_first_epoch_at_huge_horizons_alone(name, v, T, eliminates):
    for run in range(3):
        pulls = play(name, two_points(v), T, run=run, v=v)[-1]
        if eliminates:
            assert pulls[0] > 0.9 * T and pulls[1:].max() < T / 20
        else:
            assert (pulls == T // 5).all()


def test_forced_batches_end_at_the_horizon():
    """A last forced batch one round short of a power of two that floats cannot tell from it."""
    T = 2**60 - 3
    game = game_of(bernoulli(0.5, 0.4), T)
    forced_batches(game, np.random.default_rng(1), np.inf, False)
    assert rounds_left(game) == 0
