"""Seeds: every run has its own streams of random numbers, whatever is run beside it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache

import numpy as np

ENVIRONMENT, LEARNER, SHUFFLE = range(3)
WORDS = 5  # of the state of an SFC64 in memory


def generator(seed: int, run: int, stream: int) -> np.random.Generator:
    """The generator of one stream of one run; it depends on these three numbers alone.

    Rewards and noise come from different streams, so a change of noise does not move rewards.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(run, stream))
    return np.random.Generator(np.random.SFC64(sequence))


def states(seed: int, runs: Sequence[int], stream: int) -> np.ndarray:
    """What is in memory when the generators of some runs begin, uint64 array (runs, WORDS)."""
    check_layout()
    begun = np.zeros((len(runs), WORDS), np.uint64)
    for i, run in enumerate(runs):
        begun[i, :-1] = generator(seed, run, stream).bit_generator.state["state"]["state"]
    return begun


def memory_of(bits: np.random.BitGenerator) -> np.ndarray:
    """The state of an SFC64 as it is in memory, which changes with it: uint64 array (WORDS,)."""
    words = ctypes.c_uint64 * WORDS
    return np.ctypeslib.as_array(words.from_address(bits.ctypes.state_address))


@cache
def check_layout() -> None:
    """Check that the state of an SFC64 is, in memory, its four numbers and one more, which is 0
    unless half of a number is left over.

    Raises:
        RuntimeError: this version of NumPy keeps it in another way.
    """
    bits = np.random.SFC64(0)
    if memory_of(bits).tolist() != [*bits.state["state"]["state"].tolist(), 0]:
        raise RuntimeError(f"NumPy {np.__version__} keeps the state of an SFC64 in an unknown way")
