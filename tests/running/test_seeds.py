"""A generator can be given the state of another, and states are those that NumPy computes."""

from types import SimpleNamespace

import numpy as np
import pytest

from dpbandits.compiled import kernel
from dpbandits.running import seeds
from dpbandits.running.seeds import (
    ENVIRONMENT,
    LEARNER,
    SHUFFLE,
    generator,
    memory_of,
    states,
)


def copy(memory, words):
    for i in range(len(words)):
        memory[i] = words[i]


@pytest.mark.parametrize("copied", [kernel(copy), copy])
def test_a_generator_is_set_to_the_state_of_another(copied):
    rng = generator(0, 0, 0)
    memory = memory_of(rng.bit_generator)
    for seed in (0, 7, 2**61):
        for state, run in zip(states(seed, range(20))[:, LEARNER], range(20), strict=True):
            rng.integers(5, dtype=np.uint32)  # half a number is left over
            copied(memory, state)
            other = generator(seed, run, LEARNER)
            assert rng.integers(2**32, size=3, dtype=np.uint32).tolist() == (
                other.integers(2**32, size=3, dtype=np.uint32).tolist()
            )
            assert rng.random() == other.random()


SEEDS = [0, 1, 2**31, 2**32 - 1, 2**32, 2**61, 2**95 + 3, 2**128 - 1, 2**128, 2**160 + 5, 2**300]
RUNS = [0, 1, 99, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**40 + 3, 2**62, 2**64 - 1]


def wrong_states(seed, runs):
    """The runs and streams of which a generator of NumPy begins with another state."""
    return [
        (run, stream)
        for run, found in zip(runs, states(seed, runs), strict=True)
        for stream in (ENVIRONMENT, LEARNER, SHUFFLE)
        if memory_of(generator(seed, run, stream).bit_generator).tolist() != found[stream].tolist()
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_states_of_many_runs_are_those_of_their_generators(seed):
    assert wrong_states(seed, RUNS) == []
    assert wrong_states(seed, RUNS[5:]) == wrong_states(seed, [7]) == []


def test_another_constant_of_the_hash_would_be_noticed(monkeypatch):
    for name in ("HASH_A", "MULTIPLIER_A", "HASH_B", "MULTIPLIER_B", "DROPPED"):
        with monkeypatch.context() as changed:
            changed.setattr(seeds, name, getattr(seeds, name) + 2)
            assert len(wrong_states(0, RUNS)) == 3 * len(RUNS)


def test_an_unknown_layout_of_the_state_is_refused(monkeypatch):
    seeds.check_layout.__wrapped__()  # control: that of the installed NumPy is known
    one, other = np.random.SFC64(1), np.random.SFC64(2)
    mixed = SimpleNamespace(ctypes=one.ctypes, state=other.state)
    monkeypatch.setattr(np.random, "SFC64", lambda seed: mixed)
    with pytest.raises(RuntimeError, match="state of an SFC64 in an unknown way"):
        seeds.check_layout.__wrapped__()
