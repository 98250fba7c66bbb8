"""Routines: functions that are compiled once, cached on disk, and called from all kernels.

Numba links a copy of a compiled function into every kernel that calls it, and optimises it again
there. A routine is machine code of its own, which kernels call by the name of a symbol.
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
from ..kernels import declare
from ..plain.functions import options_of
from .cache import MachineCode

DISPATCHERS: dict[tuple[str, str], Any] = {}
SLOTS: dict[str, Any] = {}  # of rare routines by symbol


def dispatcher(function: Callable, stored: Stored | None, **options: bool) -> Any:
    """Numba's dispatcher of a function, cached on disk."""
    made = numba.njit(no_cfunc_wrapper=True, **options_of(function), **options)(function)
    if stored:
        made._cache = MachineCode(stored)
    return made


def is_stored(stored: Stored) -> bool:
    """Whether machine code is on disk."""
    return MachineCode(stored).is_there()


def call_by_symbol(function: Callable, borrows: bool, rare: bool = False) -> None:
    """Let compiled code that calls a function call its machine code, which is compiled once.

    One that ``borrows`` its arguments does not count references to them. One that is ``rare`` and
    returns nothing is compiled when it is first called: an algorithm does not wait for what few of
    its options need.
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
        context.active_code_library._reload_init.add(link)  # before a cached caller is loaded
        kind = context.call_conv.get_function_type(sig.return_type, sig.args)
        called = (_from_slot if rare else declared)(builder, kind, symbol)
        status, returned = context.call_conv.call_function(
            builder, called, sig.return_type, sig.args, args
        )
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return returned


def _compiled(place, given):
    """The machine code of a routine for arguments of some types."""
    if place not in DISPATCHERS:
        import_module(place[0])
        declare()
    made = DISPATCHERS[place]
    made.compile(given)
    return made.overloads[given]


def _link(symbol, place, given):
    """Make the machine code of a routine known to the linker."""
    if llvm.address_of_symbol(symbol) is None:
        code = _compiled(place, given)
        address = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)
        llvm.add_symbol(symbol, address)


def _link_slot(symbol, place, given):
    """Make a rare routine's slot and the function that fills it known to the linker."""
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


def _from_slot(builder, kind, symbol):
    """The address in the slot of a rare routine, which is filled if it is empty."""
    slot = builder.module.globals.get(symbol)
    slot = slot or ir.GlobalVariable(builder.module, kind.as_pointer(), symbol)
    empty = builder.icmp_unsigned("==", builder.load(slot), slot.type.pointee(None))
    with builder.if_then(empty, likely=False):
        builder.call(declared(builder, ir.FunctionType(ir.VoidType(), ()), f"{symbol}:fill"), ())
    return builder.load(slot)


def declared(builder, kind, symbol):
    """A function of some type that is linked by the name of a symbol."""
    return builder.module.globals.get(symbol) or ir.Function(builder.module, kind, symbol)


def _common(kind):
    """The type with which a routine is compiled: one for all integers, one for all floats."""
    if isinstance(kind, types.Integer):  # literals too
        return types.int64
    return types.float64 if isinstance(kind, types.Float) else types.unliteral(kind)
