"""A generator can be given the state of another."""

from types import SimpleNamespace

import numpy as np
import pytest

from dpbandits.compiled import kernel
from dpbandits.running import seeds
from dpbandits.running.seeds import LEARNER, generator, memory_of, states


def copy(memory, words):
    for i in range(len(words)):
        memory[i] = words[i]


@pytest.mark.parametrize("copied", [kernel(copy), copy])
def test_a_generator_is_set_to_the_state_of_another(copied):
    rng = generator(0, 0, 0)
    memory = memory_of(rng.bit_generator)
    for seed in (0, 7, 2**61):
        for state, run in zip(states(seed, range(20), LEARNER), range(20), strict=True):
            rng.integers(5, dtype=np.uint32)  # half a number is left over
            copied(memory, state)
            other = generator(seed, run, LEARNER)
            assert rng.integers(2**32, size=3, dtype=np.uint32).tolist() == (
                other.integers(2**32, size=3, dtype=np.uint32).tolist()
            )
            assert rng.random() == other.random()


def test_an_unknown_layout_of_the_state_is_refused(monkeypatch):
    seeds.check_layout.__wrapped__()  # control: that of the installed NumPy is known
    one, other = np.random.SFC64(1), np.random.SFC64(2)
    mixed = SimpleNamespace(ctypes=one.ctypes, state=other.state)
    monkeypatch.setattr(np.random, "SFC64", lambda seed: mixed)
    with pytest.raises(RuntimeError, match="state of an SFC64 in an unknown way"):
        seeds.check_layout.__wrapped__()
