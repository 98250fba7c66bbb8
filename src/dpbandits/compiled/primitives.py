"""Operations of the processor that Numba lacks."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import lower_builtin

BIT, WORD = ir.IntType(1), ir.IntType(64)


def unlikely(condition: bool) -> bool:
    """The condition of a branch that is rarely taken, which compiled code keeps out of the way of
    all others: what they use then stays in registers.
    """
    return condition


def whole(x: float) -> int:
    """The integer part of a number; the smallest or the largest of int64 if it is not in int64."""
    return int(x) if abs(x) < 2.0**63 else -(2**63)


@infer_global(unlikely)
class _Unlikely(ConcreteTemplate):
    cases = (signature(types.boolean, types.boolean),)


@infer_global(whole)
class _Whole(ConcreteTemplate):
    cases = (signature(types.int64, types.float64),)


@lower_builtin(unlikely, types.boolean)
def _lower_unlikely(context, builder, sig, args):
    kind = ir.FunctionType(BIT, [BIT, BIT])
    expect = cgutils.get_or_insert_function(builder.module, kind, "llvm.expect.i1")
    return builder.call(expect, [args[0], BIT(0)])


@lower_builtin(whole, types.float64)
def _lower_whole(context, builder, sig, args):
    # one instruction, which returns the smallest of int64 (x86) or the nearest (ARM) beyond int64
    return builder.fptosi(args[0], WORD)
