"""Decorators that compile functions with Numba: ``kernel``, ``verb``, ``routine``, ``loop``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any
from uuid import uuid4

import numba
import numpy as np
from numba import types
from numba.extending import overload

from .cache import cache_on_disk, is_in_a_file
from .inlining import Inlined
from .routines import OPTIONS
from .sources import code_of, hash_of, place_of, state_of

VERBS: set[Callable] = set()


def kernel(function: Callable) -> Callable:
    """Compile a function; the machine code is cached on disk if it is defined in a file."""
    dispatcher = numba.njit(**OPTIONS)(function)
    if is_in_a_file(function):
        cache_on_disk(dispatcher)
    return dispatcher


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
    state = hash_of(code_of(template), state_of(called)) if on_disk else ""
    # Machine code is linked by name: that of each loop, in each state, must be unique
    name = f"{called.__name__}_{place}{state}"
    made.__name__ = made.__qualname__ = f"{template.__name__}_{name}"
    if function not in VERBS:
        _inline(called)
    dispatcher = numba.njit(**OPTIONS)(made)
    if on_disk:
        cache_on_disk(dispatcher, called.__name__, place, state)
    return dispatcher


def verb(function: Callable) -> Callable:
    """Make a small function callable from kernels, which always inline it.

    It must not create arrays: references to its arguments are not counted, which would take ten
    times as long as the rest of a round. Called from Python it runs as plain Python, which is
    thirty times faster than passing a game to compiled code for a single round.
    """
    return inlined(function, borrows=True)


def inlined(function: Callable, borrows: bool = False) -> Callable:
    """Let kernels inline a function; one that ``borrows`` counts no references, as a verb."""
    VERBS.add(function)
    _inline(function, borrows)
    return function


def _inline(function: Callable, borrows: bool = False) -> None:
    options = OPTIONS | {"forceinline": True, "_nrt": not borrows, "pipeline_class": Inlined}
    overload(function, jit_options=options, strict=False)(lambda *arguments: function)


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
    return is_compiled(function) or function in VERBS
