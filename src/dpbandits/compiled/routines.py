"""Routines: functions that are compiled once, cached on disk, and called from all kernels.

Numba links a copy of a compiled function into every kernel that calls it, and optimises it again
there. A routine is machine code of its own, which kernels call by the name of a symbol.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any
from uuid import uuid4

import llvmlite.binding as llvm
import numba
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from .cache import cache_on_disk, is_in_a_file

OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
DISPATCHERS: dict[tuple[str, str], Any] = {}


def routine(function: Callable, borrows: bool = False) -> Callable:
    """Make a larger function callable from kernels: it is compiled once and cached on disk.

    Called from Python it runs as plain Python, as a verb does. One that ``borrows`` its arguments
    does not count references to them, which takes 100 ns for a game, and must not create arrays.
    """
    options = OPTIONS | {"no_cpython_wrapper": True, "_nrt": not borrows}
    dispatcher = numba.njit(**options)(function)
    if is_in_a_file(function):
        cache_on_disk(dispatcher)
    call_by_symbol(function, dispatcher, function.__qualname__)
    return function


borrowing_routine = partial(routine, borrows=True)


def call_by_symbol(function: Callable, dispatcher: Callable, name: str) -> None:
    """Let compiled code that calls a function call the machine code of a dispatcher."""
    place, unique = (function.__module__, name), uuid4().hex
    DISPATCHERS[place] = dispatcher

    class Template(AbstractTemplate):
        key = function

        def generic(self, arguments, keywords):
            given = tuple(map(_common, arguments))
            return signature(_compiled(place, given).signature.return_type, *given)

    infer_global(function, types.Function(Template))

    @lower_builtin(function, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        symbol = f"{'.'.join(place)}:{unique}:{sig.args}"
        link = partial(_link, symbol, place, sig.args)
        link()
        context.active_code_library._reload_init.add(link)  # before a cached caller is loaded
        kind = context.call_conv.get_function_type(sig.return_type, sig.args)
        called = cgutils.get_or_insert_function(builder.module, kind, symbol)
        status, returned = context.call_conv.call_function(
            builder, called, sig.return_type, sig.args, args
        )
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return returned


def _compiled(place, given):
    """The machine code of a routine for arguments of some types."""
    if place not in DISPATCHERS:
        import_module(place[0])
    dispatcher = DISPATCHERS[place]
    dispatcher.compile(given)
    return dispatcher.overloads[given]


def _link(symbol, place, given):
    """Make the machine code of a routine known to the linker."""
    if llvm.address_of_symbol(symbol) is None:
        code = _compiled(place, given)
        address = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)
        llvm.add_symbol(symbol, address)


def _common(kind):
    """The type with which a routine is compiled: one for all integers, one for all floats."""
    if isinstance(kind, types.Integer):  # literals too
        return types.int64
    return types.float64 if isinstance(kind, types.Float) else types.unliteral(kind)
