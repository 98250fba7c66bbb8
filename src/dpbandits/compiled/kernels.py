"""Kernels and loops, which Numba compiles when they are first called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from inspect import getsource
from threading import RLock
from types import FunctionType
from typing import Any
from uuid import uuid4

import numpy as np

from ..errors import BadInput
from . import choice, faults
from .folder import Stored, stored
from .notes import INLINED, UNDECLARED, Called
from .sources import hash_of, is_constant, is_of_package

BACKENDS = {choice.PLAIN: ".plain.functions", choice.QUICK: ".quick.routines"}
# After this many searches without a result, no further index out of bounds is searched for
SEARCHES = 3
_lock = RLock()


def declare() -> None:
    """Import Numba, and tell it about all functions that have been decorated so far."""
    _backend().declare()
    _declare_kernels()


@cache
def _declare_kernels() -> None:
    import numba
    from numba.extending import typeof_impl

    typeof_impl.register(Kernel)(lambda called, context: numba.typeof(called.dispatcher))


def _backend() -> Any:
    return import_module(BACKENDS[choice.compiler()], __package__)


class Kernel:
    """A function that is compiled when it is called from Python or from another kernel."""

    def __init__(self, function: Callable):
        update_wrapper(self, function)
        self.py_func = function

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher of the function."""
        declare()
        return import_module(BACKENDS[choice.PLAIN], __package__).dispatcher(self.py_func)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.dispatcher(*arguments, **named)

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.py_func,)


def kernel(function: Callable) -> Callable:
    """Mark a function as a kernel, which Numba compiles when it is first called.

    An algorithm is compiled together with the loop over its runs (see ``loop``).
    """
    return Kernel(function)


class Loop:
    """A loop that calls a function. The loop is compiled when it is first called.

    Attributes:
        function: the loop in plain Python.
        called: the function that the loop calls.
        stored: what identifies the machine code on disk, or None if it is not cached.
        backend: the module of the back-end that made ``dispatcher``, or None.
        dispatcher: Numba's dispatcher of the loop, or None before the first call.
    """

    def __init__(self, function: Callable, called: Any, stored: Stored | None):
        self.function, self.called, self.stored = function, called, stored
        self.backend: Any = None
        self.dispatcher: Any = None
        self.in_vain = 0  # the number of searches for an index out of bounds that had no result

    def _make(self) -> None:
        declare()
        if choice.has_fallen_back():  # cached code of the loop may contain code of quick
            self.stored = None
        self.backend = _backend()
        made = self.backend.dispatcher(self.function, self.stored)
        made.typeof_pyval = type_of
        self.dispatcher = made

    @property
    def is_compiled(self) -> bool:
        """Whether the machine code of the loop is in this process."""
        return self.dispatcher is not None and bool(self.dispatcher.signatures)

    @property
    def is_cached(self) -> bool:
        """Whether the machine code of the loop is on disk."""
        return self.stored is not None and _backend().is_stored(self.stored)

    def __call__(self, *arguments: Any) -> Any:
        """Call the loop.

        Raises:
            BadInput: a user's function cannot be compiled, or an index is out of bounds.
        """
        try:
            return self._call(arguments)
        except Exception as error:
            if said := "" if is_of_package(self.called) else self._explained(error, arguments):
                raise BadInput(said) from None
            raise

    def _explained(self, error: Exception, arguments: tuple) -> str:
        if isinstance(error, IndexError):
            said = faults.out_of_bounds(self.function, arguments) if self.in_vain < SEARCHES else ""
            self.in_vain += not said
            return said
        of_numba = type(error).__module__.startswith("numba.")
        fails = of_numba and not self.is_compiled  # Numba cannot compile the function
        return faults.not_compiled(self.called.__code__, error) if fails else ""

    def _call(self, arguments: tuple) -> Any:
        """Call the loop. If quick cannot compile the loop, plain compiles it."""
        if self.is_compiled:
            return self.dispatcher(*arguments)
        choice.report_choice()
        with _lock:
            # either the loop is new, or the back-end has changed
            if not self.is_compiled and self.backend is not _backend():
                self._make()
        try:
            return self.dispatcher(*arguments)
        except Exception as error:
            if self.is_compiled:  # the function itself has raised the error
                raise
            return self._again(error, arguments)
        finally:
            if choice.compiler() == choice.PLAIN and self.stored:
                self.backend.protect(self.stored)

    def _again(self, error: Exception, arguments: tuple) -> Any:
        fails = choice.fall_back(error)
        plain = choice.compiler() == choice.PLAIN
        if not fails and not (plain and self.stored and self.backend.forget(self.stored)):
            raise error  # neither another compiler nor a new copy of the code on disk can help
        self._make()
        try:
            return self.dispatcher(*arguments)
        finally:
            if self.is_compiled:
                choice.report_choice()
            elif fails:  # the function cannot be compiled with either compiler
                choice.fall_back(None)


TYPES: dict[Any, Any] = {}  # the Numba types of arguments, by layout


def type_of(value: Any) -> Any:
    """Return the Numba type of an argument, from a cache in which the keys are layouts (see
    ``layout_of``).

    Without this cache, Numba would determine the type of a game in every call, which takes half a
    millisecond.
    """
    layout = layout_of(value)
    if layout not in TYPES:
        TYPES[layout] = import_module("numba").typeof(value)
    return TYPES[layout]


def layout_of(value: Any) -> Any:
    """Return a hashable value that determines the Numba type of an argument of a loop.

    The argument is a number, an array, a generator or a tuple of these. The argument must not be a
    function, since the layout would not determine its Numba type: each function has a different
    Numba type, but all have the same Python type.
    """
    if isinstance(value, tuple):
        return type(value), *map(layout_of, value)
    if isinstance(value, np.ndarray):
        return type(value), value.dtype, value.ndim, value.flags.num
    return type(value)


@cache
def loop(template: FunctionType, function: Callable) -> Callable:
    """Make a loop that calls a function, such as the loop over the runs of an algorithm, from a
    template.

    Calling compiled code from Python takes longer than a run of an episodic algorithm. Therefore
    the function is compiled together with its loop.

    Args:
        template: the loop, in which the global name ``played`` stands for the function.
        function: the function to call. If kernels can call it, the result is a compiled ``Loop``,
            otherwise a function in plain Python.
    """
    called = getattr(function, "py_func", function)
    names = template.__globals__ | {"played": called}
    made = FunctionType(template.__code__, names, template.__name__)
    made.__module__ = template.__module__
    if not compiles(function):
        return made
    unique, kept = uuid4().hex, stored(called)
    if kept is not None:
        constants = {n: x for n in template.__code__.co_names if is_constant(x := names.get(n))}
        place = hash_of(template.__name__, kept.place)
        state = hash_of(getsource(template), constants, kept.state)
        unique, kept = f"{place}{state}", Stored(kept.name, place, state)
    # Machine code is linked by name, so the name of each loop in each state must be unique
    made.__name__ = made.__qualname__ = f"{template.__name__}_{called.__name__}_{unique}"
    if function not in INLINED:
        UNDECLARED.append(Called(called, inlined=True, borrows=False))
    return Loop(made, called, kept)


def is_compiled(function: Callable) -> bool:
    """Return whether a function is a kernel, so that its machine code runs in several threads at
    once.
    """
    return hasattr(function, "py_func")


def compiles(function: Callable) -> bool:
    """Return whether a function is a kernel or inlined, so that its loop can be compiled."""
    return is_compiled(function) or function in INLINED
