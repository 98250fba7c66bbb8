"""Routines: functions that are compiled once, cached on disk, and called from all kernels.

Numba links a copy of a compiled function into every kernel that calls it, and optimises it again
there. A routine is machine code of its own, which kernels call by the name of a symbol.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any
from uuid import uuid4

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from .cache import cache_on_disk, is_in_a_file

OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
DISPATCHERS: dict[tuple[str, str], Any] = {}
SLOTS: dict[str, Any] = {}  # of rare routines by symbol


def routine(function: Callable, borrows: bool = False) -> Callable:
    """Make a larger function callable from kernels: it is compiled once and cached on disk.

    Called from Python it runs as plain Python, as a verb does. One that ``borrows`` its arguments
    does not count references to them, which takes 100 ns for a game, and must not create arrays.
    """
    options = OPTIONS | {"no_cpython_wrapper": True, "_nrt": not borrows}
    dispatcher = numba.njit(**options)(function)
    if is_in_a_file(function):
        cache_on_disk(dispatcher)
    _call_by_symbol(function, dispatcher)
    return function


borrowing_routine = partial(routine, borrows=True)


def rare_routine(function: Callable) -> Callable:
    """A routine that returns nothing and is compiled when it is first called.

    It holds what an algorithm does for options that few runs choose: the others do not wait until
    it is compiled.
    """
    dispatcher = numba.njit(**OPTIONS, no_cpython_wrapper=True)(function)
    if is_in_a_file(function):
        cache_on_disk(dispatcher)
    _call_by_symbol(function, dispatcher, rare=True)
    return function


def _call_by_symbol(function: Callable, dispatcher: Callable, rare: bool = False) -> None:
    """Let compiled code that calls a function call the machine code of a dispatcher; one that is
    ``rare`` is compiled by the first call.
    """
    place, unique = (function.__module__, function.__qualname__), uuid4().hex
    DISPATCHERS[place] = dispatcher

    class Template(AbstractTemplate):
        key = function

        def generic(self, arguments, keywords):
            given = tuple(map(_common, arguments))
            returned = types.none if rare else _compiled(place, given).signature.return_type
            return signature(returned, *given)

    infer_global(function, types.Function(Template))

    @lower_builtin(function, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        symbol = f"{'.'.join(place)}:{unique}:{sig.args}"
        link = partial(_link_slot if rare else _link, symbol, place, sig.args)
        link()
        context.active_code_library._reload_init.add(link)  # before a cached caller is loaded
        kind = context.call_conv.get_function_type(sig.return_type, sig.args)
        if rare:
            called = _from_slot(context, builder, kind, symbol)
        else:
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


def _link_slot(symbol, place, given):
    """Make a slot for the address of a rare routine, and a function that fills it, known to the
    linker.
    """
    if llvm.address_of_symbol(symbol) is not None:
        return
    slot = ctypes.c_void_p(None)

    def fill():
        code = _compiled(place, given)
        slot.value = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)

    called = ctypes.CFUNCTYPE(None)(fill)  # it acquires the interpreter's lock
    SLOTS[symbol] = slot, called
    llvm.add_symbol(f"{symbol}:fill", ctypes.cast(called, ctypes.c_void_p).value)
    llvm.add_symbol(symbol, ctypes.addressof(slot))


def _from_slot(context, builder, kind, symbol):
    """The address in the slot of a rare routine, which is filled if it is empty."""
    pointer, fills = kind.as_pointer(), ir.FunctionType(ir.VoidType(), ())
    slot = cgutils.add_global_variable(builder.module, pointer, symbol)
    with cgutils.if_unlikely(builder, cgutils.is_null(builder, builder.load(slot))):
        builder.call(cgutils.get_or_insert_function(builder.module, fills, f"{symbol}:fill"), ())
    called = builder.load(slot)
    with cgutils.if_unlikely(builder, cgutils.is_null(builder, called)):
        context.call_conv.return_user_exc(builder, RuntimeError, ("compiling failed",))
    return called


def _common(kind):
    """The type with which a routine is compiled: one for all integers, one for all floats."""
    if isinstance(kind, types.Integer):  # literals too
        return types.int64
    return types.float64 if isinstance(kind, types.Float) else types.unliteral(kind)
