"""Runs of an algorithm that draws from a global generator are determined by the seed."""

import os
import random
from pathlib import Path

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.authoring import pull, rounds_left
from dpbandits.compiled import global_states, seed_global_states
from dpbandits.running import global_random

QUICK = {"horizon": 40, "runs": 5, "results": None}


def uniform(game, rng):
    while rounds_left(game) > 0:
        pull(game, int(np.random.random() * 2.5 + random.random() * 2.5))  # noqa: NPY002


def left_over(game, rng):
    """Of two normal numbers that are drawn at once, one is left over at the end of a run."""
    for _ in range(rounds_left(game) - 1):
        pull(game, 0)
    pull(game, int(abs(np.random.normal(0.0, 2.0))) % 5)  # noqa: NPY002


def of_variable(game, rng):
    while rounds_left(game) > 0:
        pull(game, int(os.environ["ARM"]))


def of_folder(game, rng):
    while rounds_left(game) > 0:
        pull(game, int(Path("arm").read_text()))


def of_set(game, rng):
    """The order of a set of texts differs between processes, unless their hashes are fixed."""
    words = list({f"word {i}" for i in range(200)})
    for word in words[: rounds_left(game)]:
        pull(game, int(word.split()[1]) % 5)


def regret(algo, **given):
    return dp.run(algo, "bernoulli_c2", **{**QUICK, **given})["regret"].tolist()


WAYS = [(jobs, backend) for backend in ("threads", "processes") for jobs in (1, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("function", [uniform, left_over])
def test_runs_are_the_same_however_they_are_played(function):
    """Plain or compiled, too, since Numba draws the numbers of NumPy and of Python."""
    plain = [regret(function, jobs=jobs, backend=backend) for jobs, backend in WAYS]
    kernel = dp.kernel(function)
    compiled = [regret(kernel, jobs=jobs, backend=backend) for jobs, backend in WAYS[:3]]
    assert all(found == plain[0] for found in plain + compiled)
    assert regret(function, seed=1, jobs=1, backend="threads") != plain[0]  # control
    assert regret(function, jobs=1, backend="threads", runs=3) == plain[0][: 3 * len(plain[0]) // 5]


def test_without_seeding_they_would_differ(monkeypatch):
    one = regret(uniform, jobs=1, backend="threads")
    monkeypatch.setattr(np.random, "seed", lambda words: None)
    monkeypatch.setattr(global_random.random, "seed", lambda number: None)
    assert regret(uniform, jobs=1, backend="threads") != one


def test_the_generators_of_the_caller_are_left_as_they_were():
    np.random.normal()  # noqa: NPY002
    before = np.random.get_state(legacy=False), random.getstate(), global_states()  # noqa: NPY002
    regret(uniform, jobs=1, backend="threads")
    with global_random.seeded_globals(0, 0, compiled=True) as drawn_from:
        assert global_states() != before[2] and not drawn_from()
        seed_global_states(np.ones((2, 4), np.uint32))
        assert drawn_from()
    numbers, standard, compiled = (
        np.random.get_state(legacy=False), random.getstate(), global_states(),  # noqa: NPY002
    )  # fmt: skip
    np.testing.assert_equal(numbers, before[0])
    assert standard == before[1] and compiled == before[2]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_play_with_the_variables_and_in_the_folder_of_the_call(
    jobs, monkeypatch, tmp_path
):
    found = []
    for arm in ("0", "3"):
        (tmp_path / arm).mkdir()
        (tmp_path / arm / "arm").write_text(arm)
        monkeypatch.setenv("ARM", arm)
        monkeypatch.chdir(tmp_path / arm)
        arms = {"jobs": jobs, "shuffle_arms": False}
        found.append(regret(of_variable, **arms))
        assert found[-1] == regret(of_folder, **arms)
    assert max(found[0]) == 0 < max(found[1])


@pytest.mark.slow
def test_the_order_of_a_set_is_the_same_in_all_processes():
    from joblib.externals.loky import get_reusable_executor

    found = []
    for jobs in (1, 2):
        found.append(regret(of_set, jobs=jobs))
        get_reusable_executor(reuse=True).shutdown(kill_workers=True)
    assert found[0] == found[1]
