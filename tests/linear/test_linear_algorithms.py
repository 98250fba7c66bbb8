"""Algorithms of contexts: stored traces, algorithms of one's own."""

import math

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.authoring import (
    BOUNDED_CONTEXTUAL,
    Budget,
    Positive,
    contexts,
    dimension,
    ensure_contexts,
    gaussian_zcdp,
    kernel,
    play,
    release_sums,
    rounds_left,
    vector_release,
)
from dpbandits.contracts.question import CONTEXTS
from dpbandits.results.run_store import read_runs


def test_a_trace_of_regret_is_stored_and_read_again(tmp_path):
    given = {"algo": "rs_oful", "env": "contextual", "horizon": 300, "runs": 2, "jobs": 1}
    table = dp.run(results=tmp_path, **given)
    [file] = tmp_path.glob("runs/*/*.npz")
    runs = read_runs(file)
    assert runs[0].pulls.dtype == np.float64 and runs[0].pulls.shape[1] == 1
    again = dp.run(results=tmp_path, **given)
    assert table.equals(again) and table.equals(dp.run(**given))
    assert dp.summary(table)["mean"].iloc[0] == table[table["t"] == 300]["regret"].mean()


@kernel
def follow_first(game, rng):
    while rounds_left(game) > 0:
        x = contexts(game)
        play(game, 0 if x[0, 0] > x[1, 0] else 1)


def test_a_contextual_algorithm_of_one_s_own_runs_compiled_and_plain():
    env = dp.contextual(2, [0.1], 0.2, theta=[1.0])
    for function in (follow_first, follow_first.py_func):
        table = dp.run(algo=function, env=env, horizon=200, runs=2, jobs=1)
        assert (table["regret"] == 0).all()


@kernel
def half_noisy(game, rng, rho: Budget, share: Positive):
    """Plays in turn for half of the rounds, then by noisy sums of their contexts and rewards."""
    x, b, S = contexts(game), np.zeros(dimension(game)), np.zeros(dimension(game))
    for t in range(rounds_left(game) // 2):
        ensure_contexts(game)
        a = t % len(x)
        r = play(game, a)
        for j in range(len(b)):
            b[j] += x[a, j] * r
    release_sums(rng, b, S, share * math.sqrt(2.0 / rho))
    while rounds_left(game) > 0:
        ensure_contexts(game)
        best, largest = 0, -np.inf
        for i in range(len(x)):
            value = 0.0
            for j in range(len(S)):
                value += S[j] * x[i, j]
            if value > largest:
                best, largest = i, value
        play(game, best)


@pytest.mark.slow
@pytest.mark.parametrize("function", [half_noisy, half_noisy.py_func])
def test_a_contextual_algorithm_of_one_s_own_is_audited(function):
    """Mutation: a tenth of the noise that it promises."""
    promise = gaussian_zcdp("ours", alignment=vector_release)
    for share in (1.0, 0.1):
        own = dp.algorithm(function, rewards=BOUNDED_CONTEXTUAL, guarantee=promise, share=share)
        found = dp.audit(own, rho=1.0, horizon=16, runs=200, jobs=1)
        assert (found["aligned"] == found["replays"]).all() == (share == 1.0)


def test_listings_say_what_an_algorithm_plays():
    actions = dp.algorithms()["actions"]
    assert actions["lin_ucb"] == CONTEXTS and actions["ucb"] == "arms"
