"""Seeds: every run has its own streams of random numbers, independent of all other runs."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

ENVIRONMENT, LEARNER, SHUFFLE = range(STREAMS := 3)
GLOBAL = STREAMS  # the stream of the global generators, which no algorithm of the package uses
WORDS = 5  # the number of words of the state of an SFC64 in memory
# The constants of NumPy's SeedSequence; DROPPED is how many numbers a new SFC64 discards
MASK, HALF = 2**32 - 1, 32
HASH_A, MULTIPLIER_A, HASH_B, MULTIPLIER_B = 0x43B0D7E5, 0x931E8875, 0x8B51F9DD, 0x58F38DED
MIX_LEFT, MIX_RIGHT, DROPPED = np.uint32(0xCA01F9DD), np.uint32(0x4973F715), 12


def generator(seed: int, run: int, stream: int) -> np.random.Generator:
    """Return the generator of one stream of one run. The generator depends only on seed, run and
    stream.

    Rewards and noise come from different streams, so a change of the noise does not change rewards.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(run, stream))
    return np.random.Generator(np.random.SFC64(sequence))


def states(seed: int, runs: Sequence[int]) -> np.ndarray:
    """Return the initial states of the generators of some runs, in the form that NumPy stores in
    memory.

    The result is a uint64 array (runs, STREAMS, WORDS). The result has the states of the generators
    that ``generator`` returns. The function computes all these states at once, in a tenth of the
    time that ``generator`` needs.
    """
    check_layout()
    begun = np.zeros((len(runs), STREAMS, WORDS), np.uint64)
    numbers = np.array(runs, np.uint64)[:, np.newaxis]
    streams = np.arange(STREAMS, dtype=np.uint32)
    low, high = (numbers & MASK).astype(np.uint32), (numbers >> HALF).astype(np.uint32)
    for chosen, *key in ((high == 0, low), (high > 0, low, high)):
        # first the run numbers of one word, then those of two words
        if (rows := chosen[:, 0]).any():
            begun[rows, :, :-1] = _states(seed, [*(word[rows] for word in key), streams])
    return begun


def _states(seed: int, key: Sequence[np.ndarray]) -> np.ndarray:
    """Return the states of SFC64 for some spawn keys, uint64 array (*shape, 4).

    ``key`` has an array for each 32-bit word of the keys; ``shape`` is the common shape of these
    arrays after broadcasting.
    """
    # The words of the seed are hashed first; they are padded to the number of words of the pool
    constant = HASH_A * pow(MULTIPLIER_A, 4 * max(4, -(-seed.bit_length() // 32)), 2**32)
    pool: list[Any] = [np.array([[word]]) for word in np.random.SeedSequence(seed).pool]
    for word in key:
        for i in range(4):
            hashed, constant = _hash(word, constant, MULTIPLIER_A)
            x = pool[i] * MIX_LEFT - hashed * MIX_RIGHT
            pool[i] = x ^ x >> 16
    constant, words = HASH_B, []
    for i in range(6):
        hashed, constant = _hash(pool[i % 4], constant, MULTIPLIER_B)
        words.append(hashed.astype(np.uint64))
    a, b, c = (words[i] | words[i + 1] << HALF for i in (0, 2, 4))
    for count in range(1, DROPPED + 1):
        drawn = a + b + np.uint64(count)
        a, b, c = b ^ b >> 11, c + (c << 3), (c << 24 | c >> 40) + drawn
    return np.stack([a, b, c, np.full_like(a, DROPPED + 1)], axis=-1)


def _hash(word: np.ndarray, constant: int, multiplier: int) -> tuple[np.ndarray, int]:
    """Return the hash of a word in ``SeedSequence``, and the constant for the next word."""
    following = constant * multiplier & MASK
    mixed = (word ^ np.uint32(constant & MASK)) * np.uint32(following)
    return mixed ^ mixed >> 16, following


def memory_of(bits: np.random.BitGenerator) -> np.ndarray:
    """Return the state of an SFC64 generator as uint64 array (WORDS,). The array is the generator's
    memory: a change of the array changes the generator, and vice versa.
    """
    words = ctypes.c_uint64 * WORDS
    return np.ctypeslib.as_array(words.from_address(bits.ctypes.state_address))


@cache
def check_layout() -> None:
    """Check that the memory of an SFC64 has the expected form: four numbers of the state, and a
    fifth number.

    The fifth number is 0, except if half of a drawn number is still unused.

    Raises:
        RuntimeError: this version of NumPy stores the state in another form.
    """
    bits = np.random.SFC64(0)
    if memory_of(bits).tolist() != [*bits.state["state"]["state"].tolist(), 0]:
        raise RuntimeError(f"NumPy {np.__version__} keeps the state of an SFC64 in an unknown way")
