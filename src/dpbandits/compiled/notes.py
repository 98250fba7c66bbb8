"""Notes of the functions that kernels call: the decorators ``inlined`` and ``shared``.

Importing Numba takes as long as the rest of a command whose runs are finished. So a decorator only
notes the function, and Numba learns of all of them when something is compiled (``kernels``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

INLINED: set[Callable] = set()


class Called(NamedTuple):
    """A function that kernels can call, and how."""

    function: Callable
    inlined: bool  # into each kernel that calls it
    borrows: bool  # does not count references to its arguments
    rare: bool = False  # compiled when it is first called


UNDECLARED: list[Called] = []  # to Numba, in the order of their notes


def inlined(function: Callable) -> Callable:
    """Make a small function callable from kernels, which always inline it.

    It must not create arrays: references to its arguments are not counted, which would take ten
    times as long as the rest of a round. Called from Python it runs as plain Python, which is
    thirty times faster than passing a game to compiled code for a single round.
    """
    return _inlined(function, borrows=True)


def inlined_counted(function: Callable) -> Callable:
    """Let kernels inline a function that counts references, so that it may create arrays."""
    return _inlined(function, borrows=False)


def _inlined(function: Callable, borrows: bool) -> Callable:
    INLINED.add(function)
    UNDECLARED.append(Called(function, inlined=True, borrows=borrows))
    return function


def shared(function: Callable, borrows: bool = False, rare: bool = False) -> Callable:
    """Make a larger function callable from kernels, which share its machine code.

    Called from Python it runs as plain Python, as an inlined function does. One that ``borrows``
    its arguments does not count references to them, which takes 100 ns for a game, and must not
    create arrays.
    """
    UNDECLARED.append(Called(function, inlined=False, borrows=borrows, rare=rare))
    return function


shared_borrowing = partial(shared, borrows=True)
shared_rare = partial(shared, rare=True)  # returns nothing; for options that few runs choose
