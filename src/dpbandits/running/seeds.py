"""Seeds: every run has its own streams of random numbers, whatever is run beside it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

import numpy as np

ENVIRONMENT, LEARNER, SHUFFLE = range(3)
WORDS = 5  # of an SFC64's state in memory: four numbers, and half a number that may be left over


def generator(seed: int, run: int, stream: int) -> np.random.Generator:
    """The generator of one stream of one run; it depends on these three numbers alone.

    Rewards and noise come from different streams, so a change of noise does not move rewards.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(run, stream))
    return np.random.Generator(np.random.SFC64(sequence))


def states(seed: int, runs: Iterable[int], stream: int) -> np.ndarray:
    """The states in which the generators of some runs begin, uint64 array (runs, WORDS)."""
    return np.array([[*numbers_of(generator(seed, run, stream)), 0] for run in runs], np.uint64)


def numbers_of(rng: np.random.Generator) -> list[int]:
    """The four numbers of an SFC64's state."""
    return rng.bit_generator.state["state"]["state"].tolist()


def state_in_memory(rng: np.random.Generator) -> np.ndarray:
    """The state of an SFC64 where it lies, uint64 array (WORDS,): to write there is to reseed.

    It is not to be used longer than the generator.
    """
    address = rng.bit_generator.ctypes.state_address
    memory = np.ctypeslib.as_array((ctypes.c_uint64 * WORDS).from_address(address))
    if memory[:4].tolist() != numbers_of(rng):
        raise RuntimeError(f"NumPy {np.__version__} keeps the state of an SFC64 in an unknown way")
    return memory
