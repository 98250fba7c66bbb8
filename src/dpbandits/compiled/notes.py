"""Decorators that note the functions that kernels call: ``inlined`` and ``shared``.

A command whose runs are all finished would take twice as long if it imported Numba. A decorator
therefore only notes its function; a back-end declares the noted functions to Numba before it
compiles.
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
    """Yield each noted function that is to be declared to Numba, in one thread at a time."""
    with _lock:
        while UNDECLARED:
            yield UNDECLARED[0]
            del UNDECLARED[0]


def inlined(function: Callable, borrows: bool = True) -> Callable:
    """Make a small function callable from kernels, which always inline it.

    When Python calls the function, it runs as plain Python, which is thirty times faster than
    passing a game to compiled code for a single round.

    Args:
        function: the function.
        borrows: whether references to the arguments are not counted. Counting them would take ten
            times as long as everything else in a round. If True, the function must not create
            arrays.
    """
    INLINED.add(function)
    UNDECLARED.append(Called(function, inlined=True, borrows=borrows))
    return function


def inlined_counted(function: Callable) -> Callable:
    """Make a function callable from kernels, which inline it; it may create arrays.

    Unlike with ``inlined``, references to its arguments are counted.
    """
    return inlined(function, borrows=False)


def shared(function: Callable, borrows: bool = False, rare: bool = False) -> Callable:
    """Make a larger function callable from kernels; all kernels share its machine code.

    When Python calls the function, it runs as plain Python, as an inlined function does.

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
