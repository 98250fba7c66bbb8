"""Machine code of the operations that Numba lacks."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, overload, type_callable

from ..operations import MAX_QUANTILE_PARAMETERS, answer_of, call_at, unlikely, whole

BIT, WORD, REAL = ir.IntType(1), ir.IntType(64), ir.DoubleType()
# The arguments of the functions that ``call_at`` calls
ARGUMENTS = [types.float64] * (MAX_QUANTILE_PARAMETERS + 1)


@type_callable(unlikely)
def _type_unlikely(context):
    return lambda condition: types.boolean


@type_callable(whole)
def _type_whole(context):
    return lambda x: types.int64(types.float64)


@type_callable(call_at)
def _type_call_at(context):
    return lambda address, u, x, y, z: types.float64(types.int64, *ARGUMENTS)


@lower_builtin(unlikely, types.Boolean)
def _lower_unlikely(context, builder, sig, args):
    expect = builder.module.declare_intrinsic(
        "llvm.expect", [BIT], ir.FunctionType(BIT, [BIT, BIT])
    )
    return builder.call(expect, [args[0], BIT(0)])


@lower_builtin(whole, types.float64)
def _lower_whole(context, builder, sig, args):
    # This is one machine instruction. For a number outside int64, the instruction returns the
    # smallest int64 on x86, and the nearest int64 on ARM
    return builder.fptosi(args[0], WORD)


@lower_builtin(call_at, types.int64, *ARGUMENTS)
def _lower_call_at(context, builder, sig, args):
    kind = ir.FunctionType(REAL, [REAL] * len(ARGUMENTS)).as_pointer()
    return builder.call(builder.inttoptr(args[0], kind), args[1:])


@overload(answer_of, inline="always")
def _overload_answer_of(returned):
    if isinstance(returned, types.NoneType):
        return lambda returned: np.nan
    return lambda returned: float(returned)
