"""The alignment of every private algorithm and rule: its noise, shifted, hides one reward."""

import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from conformance import ALL, ROWS
from helpers import GLOBAL, LOCAL, PRIVATE, PRIVATE_RULES, algorithm, defaults
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency
from tiers import every

from dpbandits.algorithms.dist_dp_se import play
from dpbandits.algorithms.shuffle_se import SHUFFLER, elimination, noisy_bits
from dpbandits.audit.alignment.align import align, check
from dpbandits.audit.alignment.cases import SIZES, Case
from dpbandits.audit.numbers.streams import Recorder
from dpbandits.audit.targets.decisions import target_of
from dpbandits.authoring import UNIT_INTERVAL, Budget, Fraction
from dpbandits.contracts.algorithm import from_function
from dpbandits.contracts.alignments import binary_nodes, honaker_nodes, hybrid_nodes, kary_nodes
from dpbandits.contracts.question import STOPPING
from dpbandits.parts.counting.kary import kary_levels
from dpbandits.parts.noise.discrete_noise import discrete_laplace, skellam

GOAL = {"rel_error": 0.5, "beta": 0.5, "R": 1.0, "delta": 0.5, "mu0": 0.3, "mu1": 0.7, "alpha": 0.4}
LONG = ("dp_se", "dp_se_bai", "dpr_se", "prae_c")  # whose first releases come late
LONGEST_REPLAYS = ("dp_sprt", "nprr_ab", "private_lin_ucb", "shuffle_gope")  # many draws a game


ORACLES = ["ada_cb", "bpo", "fast_cb", "oracle_ucb", "reg_cb", "square_cb", "vpo"]  # sampled
ALIGNED = [name for name in ALL if algorithm(name).private and name not in ORACLES]


def policy(name, budget, changes, crowd=False, horizons=()):
    goal = {key: GOAL[key] for key in algorithm(name).question.goal_names}
    own = defaults(name) | (goal if name in PRIVATE_RULES else ROWS[name].short)
    return target_of(algorithm(name), budget, own | changes, horizons, mixed_levels=crowd)


def test_every_private_algorithm_and_rule_declares_an_alignment():
    for name in (*ALIGNED, *ORACLES):
        assert (algorithm(name).guarantee.alignment is None) == (name in ORACLES)
    assert {*GLOBAL, *LOCAL} == {*PRIVATE} and len(PRIVATE_RULES) == 8


@st.composite
def games(draw, name):
    """A policy and a case: a pattern of rewards that is repeated, one reward that changes."""
    stops = name in PRIVATE_RULES
    late = algorithm(name).question is STOPPING
    budget = 10.0 ** draw(st.floats(0.0, 2.0) if late else st.floats(-1.5, 1.0))
    target = policy(name, budget, draw(st.sampled_from(ROWS[name].aligned)), draw(st.booleans()))
    K = draw(st.integers(1 + stops, 4))
    K = 1 if algorithm(name).question.one_arm else K
    longest = 4096 if name in LONG else 96 if algorithm(name).round_by_round else 512
    T = draw(st.integers(1, longest) | st.sampled_from([2, 8, 64, longest]))
    low, high = target.extremes() or (-4.0, 4.0)
    reward = st.sampled_from([low, high]) | st.floats(low, high)
    pattern = draw(arrays(float, (draw(st.integers(1, 6)), K), elements=reward))
    first = np.tile(pattern, (T // len(pattern) + 1, 1))[:T]
    round_, arm = draw(st.integers(0, T - 1)), draw(st.integers(0, K - 1))
    round_ = min(round_, draw(st.integers(0, 2 * T)))  # early rewards are in most nodes
    second, far = first.copy(), first.copy()
    first[round_, arm], second[round_, arm] = draw(st.permutations([low, high]))
    far[:, arm] = draw(reward)
    size, seed = draw(st.sampled_from(SIZES)), draw(st.integers(0, 2**32))
    return target, Case(first, second, far, size, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", every(8, [*PRIVATE, *PRIVATE_RULES]))
def test_noise_can_be_shifted_so_that_every_decision_stays_the_same(name):
    """Whatever the rewards, the budget, the horizon, the number of arms and the noise are."""

    @settings(
        max_examples=25, deadline=None, derandomize=True, database=None,
        suppress_health_check=[*HealthCheck],
    )  # fmt: skip
    @given(games(name))
    def aligned(game):
        found = check(*game)
        assert found.problem is None, found.problem

    aligned()


TIERS = {"ldp_lin_ucb": pytest.mark.slow, "ctb_tt": pytest.mark.slow}  # some ten seconds each
TIERS |= dict.fromkeys(LONGEST_REPLAYS, pytest.mark.long)
SPENT = [
    pytest.param(name, i, marks=[TIERS[name]] if name in TIERS else [])
    for name in ALIGNED for i in range(len(ROWS[name].aligned))
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "i"), every(20, SPENT))
def test_replays_shift_noise_at_nearly_the_whole_budget(name, i):
    """Replays in which nothing shifts would prove nothing. Beta draws and truncation leave some of
    the budget: the root of an epoch's tree is never released."""
    row = ROWS[name]
    for budget in row.aligned_at:
        target = policy(name, budget, row.aligned[i], horizons=row.aligned_until)
        found = align(target, 50, seed=1)
        assert found.holds and found.edges == 0
        assert found.entered >= 1
        assert row.spent < found.spent <= 1 + 1e-9


@pytest.mark.long
@pytest.mark.parametrize("name", ALIGNED)
def test_many_replays(name):
    """Broken twins fail within 16 replays, most at once."""
    replays, horizons = (8, (64, 512, 2048)) if name in PRIVATE_RULES else (20, ())
    for changes in ROWS[name].aligned:
        for budget in (0.01, 1.0, 10.0):
            target = policy(name, budget, changes, horizons=horizons)
            assert align(target, replays, seed=2).holds


# Integer noise


def too_little_noise(game, rng, eps: Budget):
    """Dist-DP-SE with the noise of twice the budget."""
    play(game, rng, 2.0 * eps, 0.1, 2.0, 1.0, math.sqrt(2.0) / eps)


@pytest.mark.parametrize(("promised", "holds"), [(1.0, False), (2.0, True)])
def test_too_little_integer_noise_is_noticed(promised, holds):
    guarantee = algorithm("dist_dp_se").guarantee
    guarantee = replace(guarantee, epsilon=lambda values: promised * values["eps"])
    source = from_function(too_little_noise, rewards=UNIT_INTERVAL, guarantee=guarantee)
    found = align(target_of(source, 0.5, {}), 30, seed=4)
    assert found.holds == holds
    if not holds:
        assert found.problem.why == "the cost is 1, and the budget 0.5"


def counting(heads):
    """Shuffle-SE with these coins in the replays, and its guarantee."""

    def counting_twin(game, rng, eps: Budget, delta: Fraction):
        counts(game, rng, eps, delta, 1.0, SHUFFLER)

    counts = elimination(heads, noisy_bits)
    ours = algorithm("shuffle_se").guarantee
    guarantee = replace(ours, alignment=replace(ours.alignment, literal={}))
    return from_function(counting_twin, rewards=UNIT_INTERVAL, guarantee=guarantee)


def kept(rng, N):
    """Coins that are tossed once in a run."""
    if "coins_kept" not in vars(rng):
        rng.coins_kept = rng.coins(N)
    return rng.coins_kept


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.1, 1.0])
@pytest.mark.parametrize(
    ("heads", "why"),
    [
        (lambda rng, N: rng.coins(N), ""),
        (lambda rng, N: rng.coins(N - 1), "the cost is"),
        (kept, "hides several numbers|enters 2 releases|hides two different"),
    ],
)
def test_a_coin_too_few_and_coins_used_twice_are_noticed(heads, eps, why):
    found = align(target_of(counting(heads), eps, {"delta": 1e-5}), 40, seed=3)
    assert found.holds == (not why)
    assert why == "" or re.search(why, found.problem.why)
    assert found.spent <= 1.0 and (why or found.spent > 0.99)


@pytest.mark.long
@pytest.mark.parametrize(
    ("law", "noise"), [("discrete_laplace", discrete_laplace), ("skellam", skellam)]
)
def test_integer_noise_of_replays_has_the_law_of_the_algorithm_s(law, noise):
    """Frequencies of the integers; a scale that is a tenth larger is told."""
    rng, n = np.random.default_rng(6), 40_000
    recorder = Recorder(np.random.default_rng(7), 1.0)
    edges = np.arange(-8.5, 9.5)

    def frequencies(values):
        return np.histogram(np.clip(values, -8, 8), edges)[0]

    def distance(scale):
        drawn = frequencies([float(getattr(recorder, law)(scale)) for _ in range(n)])
        return chi2_contingency([drawn, ours]).pvalue

    ours = frequencies([noise(rng, 3.0 if law == "discrete_laplace" else 9.0) for _ in range(n)])
    assert distance(3.0) > 1e-4 > distance(3.3)


# Nodes: of each item as many as the proof counts, and the prefix is what they add up to


def held(of, T, item):
    """How many nodes hold an item, of those drawn by item T."""
    drawn = [node for n in range(1, T + 1) for node in of(n, {})]
    return sum(first <= item <= last for first, last in drawn)


@pytest.mark.parametrize("of", [binary_nodes, honaker_nodes, partial(kary_nodes, k=3)])
def test_items_lie_in_as_many_nodes_as_a_tree_has_levels(of):
    for T in (1, 2, 7, 8, 40, 64):
        levels = kary_levels(T, 3) if isinstance(of, partial) else T.bit_length()
        most = max(held(of, T, item) for item in range(1, T + 1))
        assert most <= levels
        assert most == levels or of is not binary_nodes


def test_epochs_of_a_hybrid_counter():
    assert hybrid_nodes(1, {}) == [(1, 1)]
    assert [hybrid_nodes(n, {}) for n in (2, 3, 4, 5, 6, 7)] == [
        [(2, 2)], [(2, 3)], [(4, 4)], [(4, 5)], [(6, 6)], [(4, 7)],
    ]  # fmt: skip
