"""A run depends on its setting, seed and number alone, and leaves its pulls and its answer."""

import gc
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import HEAVY, MEAN_RULES, NAMES, RULES, setting
from tiers import every

import dpbandits as dp
from dpbandits.compiled import answer_of
from dpbandits.contracts.question import BEST_ARM, REGRET, STOPPING
from dpbandits.game import arms, new_game, pull, pulls_of, rounds_left
from dpbandits.running import play as of_play
from dpbandits.running.play import play, play_many
from dpbandits.running.seeds import ENVIRONMENT, LEARNER, SHUFFLE, generator


def same(record, other):
    """Whether two records are equal; the answer may be NaN."""
    return (record.pulls == other.pulls).all() and np.array_equal(
        record.answer, other.answer, equal_nan=True
    )


def order_of(one, run):
    """The number of the arm that a run has at each place."""
    rng, K = generator(one.seed, run, SHUFFLE), len(one.instance.means)
    order = np.arange(K)
    for a in range(K - 1, 0, -1) if one.shuffle_arms else ():
        b = int(rng.random() * (a + 1))
        order[[a, b]] = order[[b, a]]
    return order


SETTINGS = {
    name: {"algo": name, "env": "pareto_v09" if name in HEAVY else "bernoulli_c2", "horizon": 3000}
    for name in NAMES
}
SETTINGS |= {name: {"rule": name, "rel_error": 0.9, "cap": 10**6} for name in MEAN_RULES}
SETTINGS |= {
    name: {"rule": name, "env": dp.bernoulli([0.2, 0.9, 0.5]), "cap": 10**5}
    for name in RULES
    if name not in MEAN_RULES
}
SETTINGS["nprr_ab"]["env"] = dp.bernoulli([0.2, 0.9])  # an A/B test


@pytest.mark.parametrize("name", every(3, SETTINGS))
def test_runs_of_one_call_are_those_of_separate_calls(name):
    """Each run of a call begins with the states of its own two generators, and with its arms in an
    order of its own, as in plain Python.
    """
    question = STOPPING if name in RULES else REGRET
    given = SETTINGS[name] | {"seed": 2**61} | ({} if name in RULES else {"assume": True})
    one = setting(question, **given)
    runs = (4, 0, 100_000)
    for run, record in zip(runs, play_many(one, runs), strict=True):
        rngs = [generator(one.seed, run, stream) for stream in (ENVIRONMENT, LEARNER)]
        order = order_of(one, run)
        laws, users = one.instance.shuffled(order), one.population.users()
        game = new_game(laws, users, rngs[0], one.horizon, one.rounds())
        answer = answer_of(one.algorithm.function.py_func(game, rngs[1], *one.arguments))
        (pulls,) = pulls_of(game.trace[np.newaxis], one.horizon if question is REGRET else None)
        if one.question is BEST_ARM and np.isfinite(answer):
            answer = order[int(answer)]
        assert same(record, type(record)(pulls[:, np.argsort(order)], answer))
        assert same(record, play(one, run)) and same(record, play(one, run))
        assert np.isfinite(record.answer) == (question is STOPPING)


def spawning(game, rng):
    """An algorithm in plain Python that draws from a generator spawned by its own."""
    (child,) = rng.spawn(1)
    while rounds_left(game) > 0:
        pull(game, int(child.integers(arms(game))))


def test_a_generator_that_is_spawned_differs_from_run_to_run():
    one = setting(algo=spawning, horizon=50)
    records = play_many(one, range(5))
    assert all(same(record, play(one, run)) for run, record in enumerate(records))
    assert len({record.pulls.tobytes() for record in records}) == 5


@pytest.mark.parametrize("T", [1, 2, 5, 24, 25, 26, 60, 10**6])
def test_the_checkpoints_begin_with_the_first_round_and_end_with_the_last(T):
    one = setting(algo="dp_ucb", horizon=T)
    rounds = one.rounds()
    assert rounds[0] == 1 and rounds[-1] == T and (np.diff(rounds) > 0).all()
    assert (play(one, 0).pulls.sum(axis=1) == rounds).all()


def test_seeds_and_runs_differ():
    settings = [setting(algo="dp_ucb", horizon=5000, seed=seed) for seed in (0, 1)]
    curves = {play(one, run).pulls.tobytes() for one in settings for run in (0, 1, 2)}
    assert len(curves) == 6


def test_noise_does_not_change_rewards():
    """The first rewards are those of another eps, since the learner has a stream of its own."""
    loose, tight = (setting(algo="dp_ucb", horizon=6, eps=eps) for eps in (1e6, 0.1))
    assert (play(loose, 0).pulls[:5] == play(tight, 0).pulls[:5]).all()


def test_shuffled_arms_are_reported_under_their_own_number():
    plain, shuffled = (
        setting(algo="adap_klucb", horizon=50_000, eps=5, shuffle_arms=shuffle)
        for shuffle in (False, True)
    )
    assert plain.key != shuffled.key
    records = play_many(shuffled, range(12))
    assert len({int(np.argmax(record.pulls[0])) for record in records}) > 1  # played first
    for run, record in enumerate(records):
        assert record.pulls[-1].argmax() == play(plain, run).pulls[-1].argmax() == 0


@pytest.mark.parametrize(
    ("before", "after", "error", "is_raised"),
    [
        (True, True, None, False),
        (False, True, None, False),
        (False, True, ValueError, False),
        (False, False, ValueError, True),
        (False, True, KeyboardInterrupt, True),
    ],
)
def test_a_loop_is_compiled_once_by_a_round(before, after, error, is_raised, monkeypatch):
    """Runs report the error of an algorithm that was compiled. The search for cycles, which rests
    meanwhile, goes on afterwards.
    """
    loop, played = SimpleNamespace(is_compiled=before), []

    def plays(one, run):
        played.append((one.horizon, gc.isenabled()))
        loop.is_compiled = after
        if error is not None:
            raise error

    monkeypatch.setattr(of_play, "loop_of", lambda algorithm: loop)
    monkeypatch.setattr(of_play, "play", plays)
    with pytest.raises(error) if is_raised else nullcontext():
        of_play.compile_kernel(setting(algo="dp_se", horizon=100))
    assert played == [(1, False)] * (not before) and gc.isenabled()
