"""Routines: functions that are compiled once, cached on disk, and called by all kernels.

Numba would link a copy of a function into every kernel that calls it, and optimise each copy again.
A routine is separate machine code, which kernels call by a symbol.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any
from uuid import uuid4

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from ..choice import compiler
from ..folder import Stored, stored
from ..notes import undeclared
from ..plain.functions import callable_from_kernels, options_of
from .cache import MachineCode
from .distributions import declared

DISPATCHERS: dict[tuple[str, str], Any] = {}
SLOTS: dict[str, Any] = {}  # the slots of rare routines, by their symbols


def declare() -> None:
    """Tell Numba about all functions that have been noted so far.

    If a function has two implementations, Numba prefers the implementation that was declared first.
    """
    for called in undeclared():
        if not called.inlined:
            call_by_symbol(called.function, called.borrows, called.rare)
        callable_from_kernels(called.function, called.inlined, called.borrows)


def dispatcher(function: Callable, stored: Stored | None, **options: bool) -> Any:
    """Return Numba's dispatcher of a function. ``stored`` says where its code is cached, or is
    None.
    """
    made = numba.njit(no_cfunc_wrapper=True, **options_of(function), **options)(function)
    if stored:
        made._cache = MachineCode(stored)
    return made


def is_stored(stored: Stored) -> bool:
    """Return whether the machine code of a function is on disk."""
    return MachineCode(stored).is_there()


def call_by_symbol(function: Callable, borrows: bool, rare: bool = False) -> None:
    """Make a function a routine: compile it once, and let compiled code call it by symbol.

    Args:
        function: the function.
        borrows: whether references to its arguments are not counted.
        rare: whether the function is compiled only when it is first called, so that an algorithm
            does not wait for code that few of its options need. A rare function returns nothing.
    """
    place, unique = (function.__module__, function.__qualname__), uuid4().hex
    DISPATCHERS[place] = dispatcher(
        function, stored(function), no_cpython_wrapper=True, _nrt=not borrows
    )

    @type_callable(function)
    def type_call(context):
        def typer(*arguments):
            if compiler() != "quick":
                return None
            given = tuple(map(_common, arguments))
            returned = types.none if rare else _compiled(place, given).signature.return_type
            return returned(*given)

        typer.pysig = inspect.signature(function)  # type: ignore[attr-defined]
        return typer

    @lower_builtin(function, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        symbol = f"{'.'.join(place)}:{unique}:{sig.args}"
        link = partial(_link_slot if rare else _link, symbol, place, sig.args)
        link()
        # these functions are called before a cached caller is used
        context.active_code_library._reload_init.add(link)
        kind = context.call_conv.get_function_type(sig.return_type, sig.args)
        called = (_from_slot if rare else declared)(builder, kind, symbol)
        status, returned = context.call_conv.call_function(
            builder, called, sig.return_type, sig.args, args
        )
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return returned


def _compiled(place, given):
    """Return the machine code of a routine for arguments of the types ``given``."""
    if place not in DISPATCHERS:
        import_module(place[0])
        declare()
    made = DISPATCHERS[place]
    made.compile(given)
    return made.overloads[given]


def _link(symbol, place, given):
    """Make the address of a routine known to the linker under the name of its symbol."""
    if llvm.address_of_symbol(symbol) is None:
        code = _compiled(place, given)
        address = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)
        llvm.add_symbol(symbol, address)


def _link_slot(symbol, place, given):
    """Make the slot of a rare routine, and the function that fills it, known to the linker.

    A slot contains the address of the routine, or a null pointer until the routine is compiled.
    """
    if llvm.address_of_symbol(symbol) is not None:
        return
    slot = ctypes.c_void_p(None)

    def fill():
        code = _compiled(place, given)
        slot.value = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)

    called = ctypes.CFUNCTYPE(None)(fill)  # this call acquires the interpreter's lock
    SLOTS[symbol] = slot, called
    llvm.add_symbol(f"{symbol}:fill", ctypes.cast(called, ctypes.c_void_p).value)
    llvm.add_symbol(symbol, ctypes.addressof(slot))


def _from_slot(builder, kind, symbol):
    """Return the address in the slot of a rare routine, after filling the slot if it is empty."""
    slot = builder.module.globals.get(symbol)
    slot = slot or ir.GlobalVariable(builder.module, kind.as_pointer(), symbol)
    empty = builder.icmp_unsigned("==", builder.load(slot), slot.type.pointee(None))
    with builder.if_then(empty, likely=False):
        builder.call(declared(builder, ir.FunctionType(ir.VoidType(), ()), f"{symbol}:fill"), ())
    return builder.load(slot)


def _common(kind):
    """Return the type with which a routine is compiled: int64 for integers, float64 for floats."""
    if isinstance(kind, types.Integer):  # integer literals are included
        return types.int64
    return types.float64 if isinstance(kind, types.Float) else types.unliteral(kind)
