"""The decorators ``inlined`` and ``shared``, which note functions that kernels call.

A decorator only notes its function; a back-end tells Numba about the noted functions before it
compiles. The reason is that a command whose runs are all finished would take twice as long if it
imported Numba.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from threading import RLock
from typing import NamedTuple

INLINED: set[Callable] = set()


class Called(NamedTuple):
    """A function that kernels can call, and the way in which they call it."""

    function: Callable
    inlined: bool  # whether each kernel that calls the function contains its code
    borrows: bool  # whether references to the arguments are not counted
    rare: bool = False  # whether the function is compiled only when it is first called


UNDECLARED: list[Called] = []  # functions not yet declared to Numba, in the order of decoration
_lock = RLock()


def undeclared() -> Iterator[Called]:
    """Yield each noted function that Numba has not been told about yet. Only one thread at a time
    may do this.
    """
    with _lock:
        while UNDECLARED:
            yield UNDECLARED[0]
            del UNDECLARED[0]


def inlined(function: Callable, borrows: bool = True) -> Callable:
    """Make a small function callable from kernels, which always inline it.

    Calls from Python run the function as plain Python. For a single round, plain Python is thirty
    times faster than to pass a game to compiled code.

    Args:
        function: the function.
        borrows: whether references to the arguments are not counted. Counting takes ten times as
            long as everything else in a round. If True, the function must not create arrays.
    """
    INLINED.add(function)
    UNDECLARED.append(Called(function, inlined=True, borrows=borrows))
    return function


def inlined_counted(function: Callable) -> Callable:
    """Make a function callable from kernels, which inline it; it may create arrays.

    References to its arguments are counted, in contrast to ``inlined``.
    """
    return inlined(function, borrows=False)


def shared(function: Callable, borrows: bool = False, rare: bool = False) -> Callable:
    """Make a larger function callable from kernels; all kernels share its machine code.

    Calls from Python run the function as plain Python, see ``inlined``.

    Args:
        function: the function.
        borrows: whether references to the arguments are not counted, which saves 100 ns for a game.
            If True, the function must not create arrays.
        rare: whether the function is compiled only when it is first called. If True, the function
            must return nothing.
    """
    UNDECLARED.append(Called(function, inlined=False, borrows=borrows, rare=rare))
    return function


shared_borrowing = partial(shared, borrows=True)
shared_rare = partial(shared, rare=True)  # returns nothing; for options that few runs choose
