"""Seed Python's and NumPy's global generators (``random``, ``np.random``), from which a user's
algorithm may draw.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..compiled import global_states, restore_global_states, seed_global_states
from .seeds import GLOBAL

_numpy: Any = np.random
_lock = threading.RLock()  # all threads share the generators of Python
_twister = np.random.MT19937(0)  # this generator gets a new seed for each run


@contextmanager
def seeded_globals(seed: int, run: int, compiled: bool) -> Iterator[Callable[[], bool]]:
    """Seed the global generators for a run, and restore their states afterwards.

    Compiled code has other global generators, separate in each thread. Python's global generators
    are seeded only for runs in plain Python, and only one thread at a time plays such a run.

    Yields:
        A function that returns whether compiled code has drawn from its global generators since
        they were seeded.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(run, GLOBAL))
    words = sequence.generate_state(8).reshape(2, 4)
    before = global_states()
    seed_global_states(words)
    begun = global_states()
    try:
        if compiled:
            yield lambda: global_states() != begun
        else:
            with _lock, _of_python(words):
                yield lambda: global_states() != begun
    finally:
        restore_global_states(before)


@contextmanager
def _of_python(words: np.ndarray) -> Iterator[None]:
    own, numbers = _numpy.get_bit_generator(), _numpy.get_state(legacy=False)
    standard = random.getstate()
    try:
        _numpy.set_bit_generator(_twister)
        _numpy.seed(words[0])
        random.seed(int.from_bytes(words[1].astype("<u4").tobytes(), "little"))
        yield
    finally:
        _numpy.set_bit_generator(own)
        _numpy.set_state(numbers)
        random.setstate(standard)
