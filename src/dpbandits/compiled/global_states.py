"""Read and set the states of the generators behind ``np.random`` and ``random`` in compiled code.

Each thread has two such states, to which Numba gives random seeds. No public function of Numba
reads or restores these states, and ``np.random.seed`` outside compiled code does not change them.
Both back-ends therefore get the addresses of the states from a private name, ``numba._helperlib``.
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
    # imported here, since a command whose runs are finished does not need Numba
    import numba._helperlib

    return numba._helperlib


def _places() -> tuple[int, int]:
    """Return the addresses of this thread's two states, of ``np.random`` and of ``random``."""
    return _numba().rnd_get_np_state_ptr(), _numba().rnd_get_py_state_ptr()


def global_states() -> tuple[bytes, ...]:
    """Return the bytes of this thread's two states, of ``np.random`` and of ``random``."""
    return tuple(ctypes.string_at(place, ctypes.sizeof(_State)) for place in _places())


def restore_global_states(states: tuple[bytes, ...]) -> None:
    """Set this thread's two states to states that ``global_states`` has returned."""
    for place, state in zip(_places(), states, strict=True):
        ctypes.memmove(place, state, ctypes.sizeof(_State))


def seed_global_states(words: np.ndarray) -> None:
    """Seed this thread's two states from the rows of a uint32 array (2, n).

    The generators then give the same numbers as after ``np.random.seed(words[0])`` and
    ``random.seed(n)``, where n is the integer with the 32-bit words ``words[1]``.
    """
    for place, row in zip(_places(), words, strict=True):
        _numba().rnd_seed(place, row)
