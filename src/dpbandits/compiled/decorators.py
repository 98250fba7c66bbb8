"""Decorators that compile functions: ``kernel``, ``inlined``, ``shared``, ``loop``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from inspect import getsource
from types import FunctionType
from typing import Any
from uuid import uuid4

import numba
import numpy as np
from numba import types
from numba.extending import overload

from . import choice
from .folder import Stored, is_in_a_file
from .plain import functions as plain
from .sources import hash_of, is_constant, place_of, state_of

if choice.compiler() == choice.QUICK:
    from .quick import routines as quick

INLINED: set[Callable] = set()


def kernel(function: Callable) -> Callable:
    """Compile a function; an algorithm is compiled as a part of its loop (``loop``)."""
    return numba.njit(**plain.OPTIONS)(function)


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
    plain.callable_from_kernels(function, True, borrows)
    return function


def shared(function: Callable, borrows: bool = False, rare: bool = False) -> Callable:
    """Make a larger function callable from kernels, which share its machine code.

    Called from Python it runs as plain Python, as an inlined function does. One that ``borrows``
    its arguments does not count references to them, which takes 100 ns for a game, and must not
    create arrays.
    """
    if choice.compiler() == choice.QUICK:  # what is declared first is preferred
        quick.call_by_symbol(function, borrows, rare)
    plain.callable_from_kernels(function, False, borrows)
    return function


shared_borrowing = partial(shared, borrows=True)
shared_rare = partial(shared, rare=True)  # returns nothing; for options that few runs choose


class Loop:
    """A loop, compiled when it is first called; ``stored`` says where its code is cached."""

    def __init__(self, function: Callable, stored: Stored | None):
        self.function, self.stored = function, stored
        self._make()

    def _make(self) -> None:
        self.backend = _backend()
        self.dispatcher: Any = self.backend.dispatcher(self.function, self.stored)
        self.dispatcher.typeof_pyval = type_of

    @property
    def is_compiled(self) -> bool:
        """Whether its machine code is in this process."""
        return bool(self.dispatcher.signatures)

    @property
    def is_cached(self) -> bool:
        """Whether its machine code is on disk."""
        return self.stored is not None and _backend().is_stored(self.stored)

    def __call__(self, *arguments: Any) -> Any:
        """Call it; if compiling with quick fails, compile with plain."""
        choice.report()
        if self.backend is not _backend() and not self.is_compiled:  # another loop fell back
            self.stored = None
            self._make()
        if self.is_compiled:
            return self.dispatcher(*arguments)
        try:
            return self.dispatcher(*arguments)
        except Exception as error:
            if self.is_compiled:  # the function has raised it
                raise
            return self._again(error, arguments)
        finally:
            if self.backend is plain and self.stored:
                plain.protect(self.stored)

    def _again(self, error: Exception, arguments: tuple) -> Any:
        fails = choice.fall_back(error)
        if fails:
            self.stored = None  # its code may contain some that quick has made
        elif not (_backend() is plain and self.stored and plain.forget(self.stored)):  # damaged?
            raise error
        self._make()
        try:
            return self.dispatcher(*arguments)
        finally:
            if self.is_compiled:
                choice.report()
            elif fails:  # the function cannot be compiled at all
                choice.fall_back(None)


TYPES: dict[Any, types.Type] = {}  # by layout


def type_of(value: Any) -> types.Type:
    """The Numba type of an argument; Numba finds that of a game anew in every call, which takes
    half a millisecond.
    """
    layout = layout_of(value)
    if layout not in TYPES:
        TYPES[layout] = numba.typeof(value)
    return TYPES[layout]


def layout_of(value: Any) -> Any:
    """What determines the Numba type of an argument of a loop: a number, an array, a generator, or
    a tuple of them. Functions have types of their own, and are no arguments.
    """
    if isinstance(value, tuple):
        return type(value), *map(layout_of, value)
    if isinstance(value, np.ndarray):
        return type(value), value.dtype, value.ndim, value.flags.num
    return type(value)


def _backend() -> Any:
    return quick if choice.compiler() == choice.QUICK else plain


@cache
def loop(template: FunctionType, function: Callable) -> Callable:
    """Instantiate a template of a loop that calls a function, such as the runs of an algorithm.

    Calling compiled code from Python costs more than an episodic run, so the function is compiled
    as a part of its loop.

    Args:
        template: the loop, in which the global name ``played`` denotes the function.
        function: the function to call; the loop is compiled if kernels can call the function.
    """
    called = getattr(function, "py_func", function)
    names = template.__globals__ | {"played": called}
    made = FunctionType(template.__code__, names, template.__name__)
    made.__module__ = template.__module__
    if not compiles(function):
        return made
    on_disk = is_in_a_file(called)
    place = hash_of(template.__name__, place_of(called)) if on_disk else uuid4().hex
    constants = {n: x for n in template.__code__.co_names if is_constant(x := names.get(n))}
    state = hash_of(getsource(template), constants, state_of(called)) if on_disk else ""
    # Machine code is linked by name: that of each loop, in each state, must be unique
    made.__name__ = made.__qualname__ = f"{template.__name__}_{called.__name__}_{place}{state}"
    if function not in INLINED:
        plain.callable_from_kernels(called, True, False)
    return Loop(made, Stored(called.__name__, place, state) if on_disk else None)


def answer_of(returned: Any) -> float:
    """Convert the return value of an algorithm to a number; None becomes NaN."""
    return np.nan if returned is None else float(returned)


@overload(answer_of, inline="always")
def _overload_answer_of(returned):
    if isinstance(returned, types.NoneType):
        return lambda returned: np.nan
    return lambda returned: float(returned)


def is_compiled(function: Callable) -> bool:
    """Whether a function is a compiled kernel, which releases the interpreter's lock."""
    return hasattr(function, "py_func")


def compiles(function: Callable) -> bool:
    """Whether kernels can call a function."""
    return is_compiled(function) or function in INLINED
