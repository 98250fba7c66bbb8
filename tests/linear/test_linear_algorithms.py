"""Algorithms of features and contexts: their bases, stored traces, algorithms of one's own."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

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
    rounds_left,
    vector_release,
)
from dpbandits.contracts.question import CONTEXTS
from dpbandits.parts.linear.noise import release_sums
from dpbandits.results.run_store import read_runs

SPHERE, CONTEXTUAL = dp.linear_sphere(K=5, d=3), dp.contextual(4, [0.3, 0.3], 0.2)


def run(name, env, T, **given):
    return dp.run(algo=name, env=env, horizon=T, runs=3, seed=3, jobs=1, **given)


@pytest.mark.parametrize(
    ("private", "base", "env"),
    [("adac_gope", "gope", SPHERE), ("adac_oful", "rs_oful", CONTEXTUAL)],
)
def test_without_noise_they_are_their_bases(private, base, env):
    for T in (500, 20_000):
        with_privacy, without = run(private, env, T, rho=math.inf), run(base, env, T)
        assert (with_privacy["regret"] == without["regret"]).all()


def test_a_trace_of_regret_is_stored_and_read_again(tmp_path):
    given = {"algo": "rs_oful", "env": "contextual", "horizon": 300, "runs": 2, "jobs": 1}
    table = dp.run(results=tmp_path, **given)
    [file] = tmp_path.glob("runs/*/*.npz")
    runs = read_runs(file)
    assert runs[0].pulls.dtype == np.float64 and runs[0].pulls.shape[1] == 1
    again = dp.run(results=tmp_path, **given)
    assert table.equals(again) and table.equals(dp.run(**given))
    mean = table[table["t"] == 300]["regret"].mean()
    assert dp.summary(table)["mean"].iloc[0] == pytest.approx(mean, rel=1e-9)  # ten digits


@kernel
def follow_first(game, rng):
    while rounds_left(game) > 0:
        x = contexts(game)
        play(game, 0 if x[0, 0] > x[1, 0] else 1)


@pytest.mark.slow
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


@pytest.mark.slow
def test_users_of_a_table_are_learned(tmp_path):
    """The wine data of scikit-learn, as in docs/linear.md: an arm is a guess of the cultivar."""
    features, kind = load_wine(return_X_y=True, as_frame=True)
    features = (features - features.mean()) / features.std()
    rewards = pd.get_dummies(kind, prefix="is") * 2.0 - 1.0
    features.join(rewards).to_csv(tmp_path / "wine.csv", index=False)
    env = dp.contextual_table(tmp_path / "wine.csv", K=3)
    table = dp.run(algo="lin_ucb", env=env, horizon=3000, runs=2, jobs=1)
    regret = table[table["t"] == 3000]["regret"].mean()
    assert 0 < regret < 3000 * 4 / 3 / 3  # guesses have 4/3 a round


def test_shuffling_places_changes_no_law():
    table = dp.run(algo="lin_ucb", env=CONTEXTUAL, horizon=200, runs=2, shuffle_arms=True)
    assert np.isfinite(table["regret"]).all()


def test_listings_say_what_an_algorithm_plays():
    actions = dp.algorithms()["actions"]
    assert actions["lin_ucb"] == CONTEXTS and actions["ucb"] == "arms"
