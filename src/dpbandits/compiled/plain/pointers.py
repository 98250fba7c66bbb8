"""Machine code that calls a function by its address."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from ..pointers import MOST, call_at

REAL = ir.DoubleType()


@type_callable(call_at)
def _type(context):
    return lambda address, u, x, y, z: types.float64(types.int64, *[types.float64] * (MOST + 1))


@lower_builtin(call_at, types.int64, *[types.float64] * (MOST + 1))
def _lower(context, builder, sig, args):
    kind = ir.FunctionType(REAL, [REAL] * (MOST + 1)).as_pointer()
    return builder.call(builder.inttoptr(args[0], kind), args[1:])
