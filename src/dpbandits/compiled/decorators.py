"""The decorators that compile: ``kernel``, ``verb``, ``routine`` and the template ``loop``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import overload

from . import cache as _folder  # noqa: F401  sets Numba's cache folder before anything is compiled

VERBS: set[Callable] = set()
OPTIONS = {"nogil": True, "error_model": "numpy"}


def kernel(function: Callable) -> Callable:
    """Compile a function and keep the machine code on disk, if it is defined in a file."""
    return numba.njit(cache=is_in_a_file(function), **OPTIONS)(function)


def is_in_a_file(function: Callable) -> bool:
    """Whether a function is defined in a module's file, and not in a notebook or at a prompt."""
    return getattr(function, "__module__", None) not in (None, "__main__")


@cache
def loop(template: Callable, function: Callable, tag: str) -> Callable:
    """A loop over many calls of a function, such as the runs of an algorithm.

    One call into compiled code takes longer than an episodic run, so the loop is compiled, too.

    Args:
        template: the loop, in which the global name ``played`` stands for the function.
        function: the function that is called; the loop is compiled if the function can be.
        tag: tells loops of one template apart on disk; it must change with the function.
    """
    names = template.__globals__ | {"played": function}
    made = FunctionType(template.__code__, names, f"{template.__name__}_{tag}")
    made.__qualname__, made.__module__ = made.__name__, template.__module__
    if not compiles(function):
        return made
    on_disk = is_in_a_file(getattr(function, "py_func", function))
    return numba.njit(cache=on_disk, **OPTIONS)(made)


def verb(function: Callable) -> Callable:
    """Let kernels call a small function: it is compiled into them, always inlined.

    Called from plain Python it stays plain Python, which is thirty times faster than passing a
    game to compiled code for a single round.
    """
    overload(function, jit_options=OPTIONS | {"forceinline": True}, strict=False)(
        lambda *arguments: function
    )
    VERBS.add(function)
    return function


def routine(function: Callable) -> Callable:
    """Let kernels call a larger function: it is compiled once for all of them, and cached on disk.

    Called from plain Python it stays plain Python, as a verb does.
    """
    overload(function, jit_options=OPTIONS | {"cache": True, "forceinline": False}, strict=False)(
        lambda *arguments: function
    )
    return function


def answer_of(returned: Any) -> float:
    """The number that an algorithm returned, NaN if it returns nothing."""
    return np.nan if returned is None else float(returned)


@overload(answer_of, inline="always")
def _overload_answer_of(returned):
    if isinstance(returned, types.NoneType):
        return lambda returned: np.nan
    return lambda returned: float(returned)


def is_compiled(function: Callable) -> bool:
    """Whether a function is a compiled kernel (and so releases the interpreter's lock)."""
    return hasattr(function, "py_func")


def compiles(function: Callable) -> bool:
    """Whether kernels can call a function."""
    return is_compiled(function) or function in VERBS
