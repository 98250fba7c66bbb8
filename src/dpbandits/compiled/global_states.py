"""The states of the generators behind ``np.random.*`` and ``random.*`` in compiled code.

Each thread has two of its own, which Numba seeds from the operating system. Their addresses are
those of ``numba._helperlib``, a private name, since Numba has no public one: from outside compiled
code, ``np.random.seed`` does not reach these states, and nothing else reads or restores them. So
there is no plain version of this file: both back-ends use it.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np


class _State(ctypes.Structure):
    """A Mersenne twister of Numba (numba/_random.h)."""

    _fields_ = (
        ("index", ctypes.c_int),
        ("words", ctypes.c_uint * 624),
        ("has_gauss", ctypes.c_int),
        ("gauss", ctypes.c_double),
        ("is_initialized", ctypes.c_int),
    )


@cache
def _numba() -> Any:
    import numba._helperlib  # here, since a command whose runs are finished does not need Numba

    return numba._helperlib


def _places() -> tuple[int, int]:
    """The addresses of the two states of this thread."""
    return _numba().rnd_get_np_state_ptr(), _numba().rnd_get_py_state_ptr()


def global_states() -> tuple[bytes, ...]:
    """The two states of this thread, of ``np.random`` and of ``random``."""
    return tuple(ctypes.string_at(place, ctypes.sizeof(_State)) for place in _places())


def restore_global_states(states: tuple[bytes, ...]) -> None:
    """Set the two states of this thread to those that ``global_states`` has returned."""
    for place, state in zip(_places(), states, strict=True):
        ctypes.memmove(place, state, ctypes.sizeof(_State))


def seed_global_states(words: np.ndarray) -> None:
    """Seed the two states of this thread, from the rows of a uint32 array (2, n): with the numbers
    of ``np.random.seed(words[0])``, and of ``random.seed`` of the integer with the words of row 1.
    """
    for place, row in zip(_places(), words, strict=True):
        _numba().rnd_seed(place, row)
