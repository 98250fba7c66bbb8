"""The processor, and operations of it that Numba lacks."""

from __future__ import annotations

import llvmlite
from llvmlite import binding, ir
from numba import types
from numba.extending import lower_builtin, type_callable

BIT, WORD = ir.IntType(1), ir.IntType(64)


def processor() -> tuple[str, str, str]:
    """What machine code depends on: LLVM's version, the processor and its features."""
    features = binding.get_host_cpu_features().flatten()
    return llvmlite.__version__, binding.get_host_cpu_name(), features


def unlikely(condition: bool) -> bool:
    """The condition of a branch that is rarely taken, which compiled code keeps out of the way of
    all others: what they use then stays in registers.
    """
    return condition


def whole(x: float) -> int:
    """The integer part of a number; the smallest or the largest of int64 if it is not in int64."""
    return int(x) if abs(x) < 2.0**63 else -(2**63)


@type_callable(unlikely)
def _type_unlikely(context):
    return lambda condition: types.boolean


@type_callable(whole)
def _type_whole(context):
    return lambda x: types.int64(types.float64)


@lower_builtin(unlikely, types.Boolean)
def _lower_unlikely(context, builder, sig, args):
    expect = builder.module.declare_intrinsic(
        "llvm.expect", [BIT], ir.FunctionType(BIT, [BIT, BIT])
    )
    return builder.call(expect, [args[0], BIT(0)])


@lower_builtin(whole, types.float64)
def _lower_whole(context, builder, sig, args):
    # one instruction, which returns the smallest of int64 (x86) or the nearest (ARM) beyond int64
    return builder.fptosi(args[0], WORD)
