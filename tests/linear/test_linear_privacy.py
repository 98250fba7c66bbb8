"""Privacy of the linear algorithms: its words, and alignments that fail with a wrong formula."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers import LINEAR, algorithm, defaults, mistaken
from helpers import replace as put_in_place

import dpbandits as dp
from dpbandits.algorithms.adac_gope import eliminate
from dpbandits.audit.alignment import replay as replaying
from dpbandits.audit.alignment.align import align
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
)
from dpbandits.parts.linear.noise import add_noise
from dpbandits.parts.noise.sphere import choose_side

# What is promised

ZCDP = (
    "0.3-global zCDP of all actions when one reward differs", "rewards in [-1, 1] and",
    "of length at most 1", "rho + 2 sqrt(rho ln(1/delta)) = ",
)  # fmt: skip
TREE = defaults("private_lin_ucb")
JOINT = "(1, 0.001)-joint DP of the actions of all other rounds when the cont"
PROMISES = [
    ("adac_gope", {"rho": 0.3}, ZCDP),
    ("adac_oful", {"rho": 0.3}, ZCDP),
    ("private_lin_ucb", {"eps": 1.0}, ("", "delta(eps) = Phi(")),
    ("private_lin_ucb", TREE | {"eps": 1.0}, (JOINT, "mu = 0.03014")),
    ("private_lin_ucb", TREE | {"eps": 1.0, "calibration": "exact"},
     (JOINT, "mu = 0.3884: exactly (1, 0.001)-DP, and (1, 0.001)-DP")),
    ("private_lin_ucb", TREE | {"eps": 31.1, "noise": "wishart", "T": 2e4},
     ("", "holds up to an eps of 31.19")),
    ("private_lin_ucb", TREE | {"eps": 31.2, "noise": "wishart", "T": 2e4},
     ("", "which 31.2 exceeds: it is NOT proved")),
    ("ldp_lin_ucb", defaults("ldp_lin_ucb") | {"eps": 8e5, "variant": "coded"},
     ("", "exactly (800000, 1)-DP, which is NOT what is promised")),
    ("ldp_sgd", {"eps": 1.0},
     ("1-pure local DP of each user's message between any two rounds, for",)),
    ("ldp_ols", defaults("ldp_ols") | {"eps": 1.0, "calibration": "exact"},
     ("", "(1, 0.1)-local DP of each user's message")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "words"), PROMISES)
def test_guarantees_are_printed_with_the_curve_of_their_noise(name, values, words):
    found = algorithm(name).promise(values)
    assert found.startswith(words[0]) and all(x in found for x in words)
    assert ("NOT" in found) == any("NOT" in x for x in words)


@pytest.mark.parametrize(("name", "own", "last"), [
    ("private_lin_ucb", {}, 1997),
    ("ldp_lin_ucb", {}, 26.2),
    ("ldp_lin_ucb", {"variant": "coded"}, 11.6),
    ("ldp_ols", {}, 5.7),
])  # fmt: skip
def test_the_printed_noise_is_too_small_for_large_eps(name, own, last):
    """It is proportional to 1/eps: it is enough up to these eps."""
    for eps, kept in ((last, True), (1.02 * last, False)):
        words = algorithm(name).promise(defaults(name) | own | {"eps": eps})
        assert ("NOT" not in words) == kept


# Alignments


def replays(name, own, budget, n, function=None):
    """Replays of an algorithm, or of another function with its guarantee."""
    found, gope = algorithm(name), name == "adac_gope"
    found = replace(found, function=function) if function else found
    values = defaults(name) | ({"delta": 0.5} if gope else {}) | own
    # horizons of adac_gope: those of a phase, or of several
    return align(target_of(found, budget, values, (512, 1000) if gope else ()), n)


def replays_with(mistake, name, own, budget, n):
    """Those with a mistake, (function, right, wrong), in the kernel or in what it calls."""
    function, wrong = mistake[0], mistaken(*mistake)
    if function is algorithm(name).function:
        return replays(name, own, budget, n, wrong)
    with pytest.MonkeyPatch.context() as patch:
        put_in_place(patch, function, wrong)
        return replays(name, own, budget, n)


def kernel_of(name):
    return algorithm(name).function


HALF = "gaussian(rng, deviation)", "gaussian(rng, deviation / 2.0)"
ESTIMATE = "    solve_lower(L, theta)\n", "    add_noise(rng, theta, deviation)\n"
SUM, NEW = "S[i] = S[i] + (b[i] + gaussian(rng, deviation))", "\n        b[i] = 0.0"
NODE = "node = node + gaussian(rng, s * ROOT2 if p == q else s)"
NOISE = NODE.replace("node = node +", "noise =")
MESSAGE = "M[p, q] = M[p, q] + (entry + gaussian(rng, sigma))"


def once(line, of):
    """One number of noise for all coordinates."""
    return line.replace("    for", "    z = gaussian(rng, deviation)\n    for") + of


def bare(where, of=MESSAGE):
    """Noise that is drawn, but is not added somewhere."""
    if of == NODE:
        return f"{NOISE}; node = node if {where} else node + noise"
    sent = f"entry if {where} else entry + noise"
    return f"noise = gaussian(rng, sigma); M[p, q] = M[p, q] + ({sent})"


LOOP_OF_SUMS, LOOP_OF_NOISE = "    for i in range(len(b)):\n", "    for i in range(len(x)):\n"
GOPE, OFUL, EXACT = ("adac_gope", {}, 2.0), ("adac_oful", {}, 2.0), {"calibration": "exact"}
JOINT_DP, LOCAL_DP = (("private_lin_ucb", EXACT, 1e5), ("ldp_lin_ucb", EXACT, 1e5))
SGD = "ldp_sgd", {}, 0.5
BROKEN = {
    "half the noise of estimates": (GOPE, add_noise, *HALF),
    "V^-1 in the place of V^-1/2": (GOPE, least_squares, "".join(ESTIMATE),
     "".join(ESTIMATE[::-1])),
    "a number for an estimate": (GOPE, add_noise,
     LOOP_OF_NOISE + "        x[i] = x[i] + " + HALF[0],
     once(LOOP_OF_NOISE, "        x[i] = x[i] + z")),
    "half the noise of an action": (("adac_gope", {"noise": "sums"}, 2.0), eliminate,
     "gaussian(rng, math.sqrt(2.0 / rho))", "gaussian(rng, math.sqrt(2.0 / rho) / 2.0)"),
    "half the noise of sums": (OFUL, release_sums, *HALF),
    "a number for sums": (OFUL, release_sums, LOOP_OF_SUMS + "        " + SUM,
     once(LOOP_OF_SUMS, "        S[i] = S[i] + (b[i] + z)")),
    "noise drawn afresh": (OFUL, release_sums, SUM + NEW, "S[i] = b[i] + " + HALF[0]),
    "one node is not noised": (JOINT_DP, add_row, NODE, bare("j == 1", NODE)),
    "a shift without noise": (JOINT_DP, add_row, NODE, bare("True", NODE)),
    "rewards are not noised": (JOINT_DP, add_row, NODE, bare("p == D - 1", NODE)),
    "half of the noise": (JOINT_DP, add_row, "gaussian(", "0.5 * gaussian("),
    "noise is used twice": (JOINT_DP, add_row, NODE,
     f"{NOISE}; last = globals().setdefault('last', {{}}); "
     "last[p, q] = last[p, q] if n % 4 == 3 else noise; node = node + last[p, q]"),
    "a message without noise for x r": (LOCAL_DP, receive_message, MESSAGE, bare("p == d")),
    "a message without noise for x x^T": (LOCAL_DP, receive_message, MESSAGE, bare("p < d")),
    "sigma without the 2": (("ldp_lin_ucb", {}, 1.0), kernel_of("ldp_lin_ucb"),
     "deviation(eps, delta, variant, calibration)", "deviation(eps, delta, 1.0, calibration)"),
    "noise without the factor 2": (("ldp_ols", EXACT, 0.5), receive_message,
     "gaussian(rng, sigma)", "gaussian(rng, sigma / 2.0)"),
    "a probability of four times the budget": (SGD, choose_side, "tanh(0.5 *", "tanh(2.0 *"),
    "the vector itself": (SGD, send_direction, "choose_side(rng, v,", "choose_side(rng, v.copy(),"),
}  # fmt: skip


@pytest.mark.parametrize("twin", BROKEN)
def test_broken_twins_are_not_aligned(twin):
    game, *mistake = BROKEN[twin]
    found = replays_with(mistake, *game, 60)
    assert not found.holds and found.problem is not None
    assert twin != "sigma without the 2" or "the cost is" in found.problem.why


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
    found = replays("private_lin_ucb", {}, 1.0, 20, own_round)
    assert not found.holds and found.problem.actions is not None


def test_the_action_of_the_changed_round_itself_is_not_protected(monkeypatch):
    compared = replaying._difference
    monkeypatch.setattr(replaying, "_difference", lambda one, two, excepted=(): compared(one, two))
    assert not replays("private_lin_ucb", {}, 1.0, 20).holds


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in LINEAR if algorithm(name).private])
def test_the_sampling_audit_refutes_nothing(name):
    budget = {"rho": 1.0} if algorithm(name).budget == "rho" else {"eps": 100.0}
    table = dp.audit(algo=name, **budget, runs=20_000, jobs=1)
    assert (table["verdict"] == "consistent").all()
    assert (table["aligned"] == table["replays"]).all()


@pytest.mark.slow
def test_the_audit_computes_the_exact_loss_of_a_message():
    for eps in (0.1, 1.0, 5.0):
        found = dp.audit(mechanism="sphere_message", eps=eps, runs=1000, jobs=1)
        assert math.isclose(found["exact"].iloc[0], eps, rel_tol=1e-9)
