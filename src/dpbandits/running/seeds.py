"""Seeds: every run has its own streams of random numbers, whatever is run beside it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from functools import cache

import numpy as np

ENVIRONMENT, LEARNER, SHUFFLE = range(3)


def generator(seed: int, run: int, stream: int) -> np.random.Generator:
    """The generator of one stream of one run; it depends on these three numbers alone.

    Rewards and noise come from different streams, so a change of noise does not move rewards.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(run, stream))
    return np.random.Generator(np.random.SFC64(sequence))


def states(seed: int, runs: Iterable[int], stream: int) -> np.ndarray:
    """The states in which the generators of some runs begin, uint64 array (runs, 4)."""
    check_layout()
    begun = [generator(seed, run, stream).bit_generator.state for run in runs]
    return np.array([state["state"]["state"] for state in begun])


@cache
def check_layout() -> None:
    """Check that the state of an SFC64 begins, in memory, with its four numbers.

    Raises:
        RuntimeError: this version of NumPy keeps it in another way, which ``reseed`` does not know.
    """
    bits = np.random.SFC64(0)
    found = (ctypes.c_uint64 * 4).from_address(bits.ctypes.state_address)
    if list(found) != bits.state["state"]["state"].tolist():
        raise RuntimeError(f"NumPy {np.__version__} keeps the state of an SFC64 in an unknown way")
