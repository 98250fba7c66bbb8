"""Federated LinUCB: the schedule, bounds on the noise of all silos, alignments and broken twins."""

import math
from dataclasses import replace

import numpy as np
import pytest
from conformance import BALL
from helpers import algorithm, defaults, mistaken, records, replaced
from refusals import message_of
from tiers import first

import dpbandits as dp
from dpbandits.algorithms.fed_lin_ucb import batch_of
from dpbandits.audit.alignment.align import align
from dpbandits.audit.exact.release import release_loss
from dpbandits.audit.targets.decisions import target_of
from dpbandits.audit.targets.publishing import ReleaseTarget
from dpbandits.audit.targets.releases import MECHANISMS
from dpbandits.authoring import play
from dpbandits.parts.linear.noisy_matrices import levels_of
from dpbandits.parts.linear.silos import new_silos, send_batch
from dpbandits.parts.linear.spectra import gaussian_nodes

FED = algorithm("fed_lin_ucb").function.py_func

# the schedule


def messages(T, M):
    """Return the rounds played, the silo and the batch of each message."""
    found, rounds = [], []
    play = replaced(
        FED,
        add_to_batch=lambda silos, i, X, a, r: rounds.append(i),
        send_batch=lambda rng, silos, i, n, s: found.append((len(rounds), i, n)),
    )
    next(records("fed_lin_ucb", BALL, T, function=play, plain=True, silos=float(M)))
    return found


@pytest.mark.parametrize(("T", "M", "B"), [(1, 1, 1), (100, 1, 10), (100, 3, 4), (101, 7, 2)])
def test_every_silo_sends_after_each_batch_until_the_horizon_cuts_a_synchronisation(T, M, B):
    assert batch_of(T, M) == B
    due = [(M * (B * n - 1) + i + 1, i, n) for n in range(1, T // (M * B) + 1) for i in range(M)]
    assert messages(T, M) == due and due[-1][0] <= T


def test_there_is_a_synchronisation_about_every_sqrt_of_all_rounds():
    for T in (*range(1, 60), 1000, 10**6, 10**9):
        for M in range(1, min(T, 200) + 1):
            B = batch_of(T, M)
            assert (M * B) ** 2 >= T and (B == 1 or (M * (B - 1)) ** 2 < T)
            assert M * B <= T  # so there is at least one


def test_one_silo_that_sends_after_every_round_is_private_lin_ucb():
    given = {"spec": BALL, "T": 150, "eps": 300.0, "plain": True, "runs": range(2)}
    every = replaced(FED, batch_of=lambda T, M: 1)
    ours, twos, theirs = (
        [x.pulls for x in records(name, **given, **own)]
        for name, own in (
            ("fed_lin_ucb", {"function": every, "silos": 1.0}),
            ("fed_lin_ucb", {"function": every, "silos": 2.0}),
            ("private_lin_ucb", {}),
        )
    )
    assert np.array_equal(ours, theirs) and not np.array_equal(twos, theirs)


def actions(function, r):
    """Return the actions if every reward is r."""
    found = []

    def played(game, a):
        found.append(a)
        play(game, a)
        return r

    own = replaced(function, play=played)
    next(records("fed_lin_ucb", BALL, 100, eps=math.inf, function=own, plain=True, silos=4.0))
    return found


def test_before_a_synchronisation_rewards_change_no_action():
    first_one = batch_of(100, 4) * 4
    local = mistaken(FED, "own.released,", "own.released + own.sums[i, 0],")
    for function, same in ((FED, True), (local, False)):
        good, bad = actions(function, 1.0), actions(function, -1.0)
        assert (good[:first_one] == bad[:first_one]) == same and good != bad


# the noise


def excesses(M, of, runs=40, S=3, d=3, alpha=0.05):
    """Return in which runs the noise of M silos exceeds the bounds for ``of`` silos."""
    m, rng, found = levels_of(S), np.random.default_rng(0), []
    H, more = gaussian_nodes(1.0, 1e-3, m, d, S, alpha, 1.0), math.sqrt(of)
    for _ in range(runs):
        silos, worst = new_silos(d + 1, m, M), False
        for n in range(1, S + 1):
            for i in range(M):
                send_batch(rng, silos, i, n, H.s)
            N = silos.released + np.tril(silos.released, -1).T
            shifted = N[:d, :d] + more * H.shift * np.eye(d)
            low, *_, high = np.linalg.eigvalsh(shifted)
            h = math.sqrt(abs(N[d, :d] @ np.linalg.solve(shifted, N[d, :d])))
            worst |= low < more * H.low or high > more * H.high or h > math.sqrt(more) * H.gamma
        found.append(worst)
    return np.array(found)


@pytest.mark.slow
def test_bounds_hold_for_the_noise_of_all_silos_and_not_for_the_noise_of_more():
    assert excesses(9, 9).mean() <= 0.05
    assert excesses(400, 1).mean() > 0.5


# what is promised


def test_the_guarantee_is_about_the_messages_of_a_silo():
    words = algorithm("fed_lin_ucb").promise(defaults("fed_lin_ucb") | {"eps": 1.0})
    assert words.startswith(
        "(1, 0.001)-DP of the messages of each silo when the contexts and the reward of one round"
    )
    assert "mu = 0.3884: exactly (1, 0.001)-DP, and (1, 0.001)-DP" in words


def policy(eps, function=FED):
    own = replace(algorithm("fed_lin_ucb"), function=function)
    return target_of(own, eps, defaults("fed_lin_ucb") | {"silos": 3}, (8, 64))


SENDING = {
    "half of the noise": ("+ gaussian(", "+ 0.5 * gaussian("),
    "a row is in two batches": ("silos.sums[i, 0, p, q], silos.sums[i, j + 1, p, q] = 0.0, node",
                                "silos.sums[i, j + 1, p, q] = node"),
    "rewards without noise": ("else s)", "else s) if p < 2 else node"),
}  # fmt: skip
PLAYING = {
    "noise for a level less": ("delta, m,", "delta, m - 1,"),
    "a silo uses its own unfinished batch": ("own.released,", "own.released + own.sums[i, 0],"),
    "the schedule depends on rewards": ("n % B == 0", "own.sums[i, 0, -1, -1] > 0.5"),
}
TWINS = {name: replaced(FED, send_batch=mistaken(send_batch, *x)) for name, x in SENDING.items()}
TWINS |= {name: mistaken(FED, *x) for name, x in PLAYING.items()}


@pytest.mark.slow
@pytest.mark.parametrize("eps", first([1.0, 1e5]))
def test_a_correct_copy_is_aligned(eps):
    found = align(policy(eps), 20)
    assert found.holds and found.entered > 10


@pytest.mark.slow
@pytest.mark.parametrize("twin", TWINS)
def test_broken_twins_are_not_aligned(twin):
    found = align(policy(1e5, TWINS[twin]), 60)
    assert not found.holds and found.problem is not None


# The server's sum has enough noise, so that actions are aligned, but the first silo has none
HIDDEN_IN_THE_SUM = {
    "a silo without noise": ("else s)", "else s) if i else node"),
    "the last silo has the noise of all": ("s * ROOT2 if p == q else s",
                                           "i * (2.0 * s if p == q else s * ROOT2)"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [*SENDING.values(), *HIDDEN_IN_THE_SUM.values()])
def test_messages_of_broken_twins_lose_more_than_is_promised(wrong):
    release = MECHANISMS["context_silos"]
    right = ReleaseTarget(release, 1.0)
    own = replaced(release.function, send_batch=mistaken(send_batch, *wrong))
    assert release_loss(right) == pytest.approx(right.promised)
    assert release_loss(ReleaseTarget(replace(release, function=own), 1.0)) > 1.4 * right.promised


# refusals


@pytest.mark.parametrize("silos", [0, 2.5, -1, 51, "many", math.inf])
def test_the_number_of_silos_is_a_whole_number_up_to_the_horizon(silos):
    own = dp.algorithm("fed_lin_ucb", silos=silos)
    said = message_of(dp.run, own, env="contextual", eps=1, horizon=50, runs=1)
    which = "horizon, 50, is needed" if silos == 51 else "horizon is needed"
    assert said == f"algo.silos={silos}: a whole number from 1 to the {which}"
