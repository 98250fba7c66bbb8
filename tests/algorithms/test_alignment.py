"""The alignment of every private algorithm and rule: its noise, shifted, hides one reward."""

from dataclasses import replace

import helpers
import numpy as np
import pytest
from conformance import ALL, ROWS
from helpers import PRIVATE, PRIVATE_RULES, algorithm, defaults, mistaken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency
from tiers import every

from dpbandits.algorithms.adac_gope import eliminate
from dpbandits.audit.alignment import replay as replaying
from dpbandits.audit.alignment.align import align, check
from dpbandits.audit.alignment.cases import SIZES, Case
from dpbandits.audit.numbers.streams import Recorder
from dpbandits.audit.targets.decisions import target_of
from dpbandits.authoring import (
    add_row,
    contexts,
    ensure_contexts,
    gaussian,
    least_squares,
    play,
    receive_message,
    release_sums,
    rounds_left,
    send_direction,
)  # fmt: skip
from dpbandits.contracts.question import STOPPING
from dpbandits.parts.linear.noise import add_noise
from dpbandits.parts.noise.discrete_noise import discrete_laplace, skellam
from dpbandits.parts.noise.sphere import choose_side

GOAL = {"rel_error": 0.5, "beta": 0.5, "R": 1.0, "delta": 0.5, "mu0": 0.3, "mu1": 0.7, "alpha": 0.4}
LONG = ("dp_se", "dp_se_bai", "dpr_se", "prae_c")  # whose first releases come late


ALIGNED = [name for name in ALL if algorithm(name).private]


def policy(name, budget, changes, crowd=False, horizons=(), function=None):
    """An algorithm or a rule, or another function with its guarantee."""
    found = algorithm(name)
    goal = {key: GOAL[key] for key in found.question.goal_names}
    own = defaults(name) | (goal if name in PRIVATE_RULES else ROWS[name].short)
    found = replace(found, function=function) if function else found
    return target_of(found, budget, own | changes, horizons, mixed_levels=crowd)


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


SPENT = [(name, i) for name in ALIGNED for i in range(len(ROWS[name].aligned))]


@pytest.mark.parametrize(("name", "i"), every(9, SPENT))
def test_replays_shift_noise_at_nearly_the_whole_budget(name, i):
    """Replays in which nothing shifts would prove nothing. Beta draws and truncation leave some of
    the budget: the root of an epoch's tree is never released."""
    row = ROWS[name]
    for budget in row.aligned_at:
        target = policy(name, budget, row.aligned[i], horizons=row.aligned_until)
        found = align(target, 25, seed=1)
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


# Broken twins: a function that an algorithm calls, or the algorithm itself, with a wrong formula


def replays_with(mistake, name, changes, budget, n):
    """Replays of an algorithm with a mistake, (function, right, wrong)."""
    function, wrong = mistake[0], mistaken(*mistake)
    if function is algorithm(name).function:
        own = policy(name, budget, changes, horizons=ROWS[name].aligned_until, function=wrong)
        return align(own, n)
    with pytest.MonkeyPatch.context() as patch:
        helpers.replace(patch, function, wrong)
        return align(policy(name, budget, changes, horizons=ROWS[name].aligned_until), n)


def kernel_of(name):
    return algorithm(name).function


EXACT = {"calibration": "exact"}
MIDDLE, ACTIONS = ("adac_gope", {"delta": 0.5}, 2.0), {"delta": 0.5, "noise": "sums"}
OFUL, SGD = ("adac_oful", {}, 2.0), ("ldp_sgd", {}, 0.5)
JOINT_DP, LOCAL_DP = ("private_lin_ucb", EXACT, 1e5), ("ldp_lin_ucb", EXACT, 1e5)
DRAW, NODE = "gaussian(rng, deviation)", "gaussian(rng, s * ROOT2 if p == q else s)"
ONCE = f"(z := {DRAW} if i == 0 else z)"
TWICE = (
    f"((last := globals().setdefault('last', {{}})).update("
    f"{{(p, q): last[p, q] if [z := {NODE}] and n % 4 == 3 else z}}) or last[p, q])"
)
BROKEN = {
    "half the noise of estimates": (MIDDLE, add_noise, "deviation)", "deviation / 2.0)"),
    "a number for an estimate": (MIDDLE, add_noise, DRAW, ONCE),
    "V^-1 in the place of V^-1/2": (MIDDLE, least_squares,
     "solve_lower(L, theta)\n    add_noise(rng, theta, deviation)",
     "add_noise(rng, theta, deviation)\n    solve_lower(L, theta)"),
    "half the noise of an action": (("adac_gope", ACTIONS, 2.0), eliminate,
     "math.sqrt(2.0 / rho))", "math.sqrt(2.0 / rho) / 2.0)"),
    "half the noise of sums": (OFUL, release_sums, "deviation)", "deviation / 2.0)"),
    "a number for sums": (OFUL, release_sums, DRAW, ONCE),
    "noise drawn afresh": (OFUL, release_sums, f"S[i] + (b[i] + {DRAW})\n        b[i] = 0.0",
     f"b[i] + {DRAW}"),
    "one node is not noised": (JOINT_DP, add_row, NODE, f"float(j != 1) * {NODE}"),
    "a shift without noise": (JOINT_DP, add_row, NODE, f"0.0 * {NODE}"),
    "rewards are not noised": (JOINT_DP, add_row, NODE, f"float(p < D - 1) * {NODE}"),
    "half of the noise": (JOINT_DP, add_row, NODE, f"0.5 * {NODE}"),
    "noise is used twice": (JOINT_DP, add_row, NODE, TWICE),
    "a message without noise for x r": (LOCAL_DP, receive_message, "gaussian(",
     "float(p < d) * gaussian("),
    "a message without noise for x x^T": (LOCAL_DP, receive_message, "gaussian(",
     "float(p == d) * gaussian("),
    "sigma without the 2": (("ldp_lin_ucb", {}, 1.0), kernel_of("ldp_lin_ucb"),
     "deviation(eps, delta, variant,", "deviation(eps, delta, 1.0,"),
    "noise without the factor 2": (("ldp_ols", EXACT, 0.5), receive_message, "sigma)",
     "sigma / 2.0)"),
    "a probability of four times the budget": (SGD, choose_side, "tanh(0.5 *", "tanh(2.0 *"),
    "the vector itself": (SGD, send_direction, "choose_side(rng, v,", "choose_side(rng, v.copy(),"),
    "integer noise of twice the budget": (("dist_dp_se", {}, 0.5), kernel_of("dist_dp_se"),
     "play(game, rng, eps,", "play(game, rng, 2.0 * eps,"),
}  # fmt: skip


@pytest.mark.parametrize("twin", BROKEN)
def test_broken_twins_are_not_aligned(twin):
    game, *mistake = BROKEN[twin]
    found = replays_with(mistake, *game, 60)
    assert not found.holds and found.problem is not None
    if "sigma" in twin or "integer" in twin:
        assert found.problem.why.startswith("the cost is")


def test_a_vector_beyond_r_keeps_the_promise():
    too_far = choose_side, "math.sqrt(square) / R", "math.sqrt(square) / (R / 2.0)"
    assert replays_with(too_far, "ldp_sgd", {}, 1.0, 10).holds


def test_the_alignment_of_wishart_noise():
    """With normal noise of the same size in its place, which replays can follow."""
    nodes = "H = wishart_nodes(eps, delta, m, d, T, alpha)"
    changed = "s=math.sqrt(2.0 * H.k), k=0.0, shift=H.shift + 2.0 * m * H.k"
    normal = kernel_of("private_lin_ucb"), nodes, f"{nodes}; H = H._replace({changed})"
    found = replays_with(normal, "private_lin_ucb", {"noise": "wishart"}, 1e3, 10)
    assert found.holds and found.entered > 5


def own_round(game, rng, eps, delta, alpha, noise, calibration):
    """Plays by what it knows of the contexts of the round before."""
    x = contexts(game)
    while rounds_left(game) > 0:
        before = x.copy()
        ensure_contexts(game)
        play(game, int(np.argmax(before[:, 0])))
        gaussian(rng, 1.0)


def test_contexts_of_earlier_rounds_are_protected():
    found = align(policy("private_lin_ucb", 1.0, {}, function=own_round), 20)
    assert not found.holds and found.problem.actions is not None


def test_the_action_of_the_changed_round_itself_is_not_protected(monkeypatch):
    compared = replaying._difference
    monkeypatch.setattr(replaying, "_difference", lambda one, two, excepted=(): compared(one, two))
    assert not align(policy("private_lin_ucb", 1.0, {}), 20).holds


# Integer noise


@pytest.mark.long
@pytest.mark.parametrize(
    ("law", "noise"), [("discrete_laplace", discrete_laplace), ("skellam", skellam)]
)
def test_integer_noise_of_replays_has_the_law_of_the_algorithm_s(law, noise):
    """Frequencies of the integers; a scale that is a tenth larger is told."""
    rng, n = np.random.default_rng(6), 40_000
    recorder = Recorder([], np.random.default_rng(7), 1.0)
    edges = np.arange(-8.5, 9.5)

    def frequencies(values):
        return np.histogram(np.clip(values, -8, 8), edges)[0]

    def distance(scale):
        drawn = frequencies([float(getattr(recorder, law)(scale)) for _ in range(n)])
        return chi2_contingency([drawn, ours]).pvalue

    ours = frequencies([noise(rng, 3.0 if law == "discrete_laplace" else 9.0) for _ in range(n)])
    assert distance(3.0) > 1e-4 > distance(3.3)
