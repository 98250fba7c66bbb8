"""Compiler directives: ``borrow`` skips reference counting, ``stand_apart`` prevents inlining."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def borrow(x: Any) -> Any:
    """Return an array, a generator or a named tuple of these without reference counting.

    Verbs borrow their arguments first: the caller holds the references, and counting them would
    take ten times as long as the rest of a round.
    """
    return x


@overload(borrow)
def _overload_borrow(x):
    return lambda x: _borrow(x)


def stand_apart() -> None:
    """Prevent the compiler from inlining the routine that calls this.

    The compiler hoists loop invariants. If a routine for several laws were inlined into a loop,
    the roots and quotients of all laws would be computed, also of those that the game lacks.
    """


@overload(stand_apart, inline="always")  # so that the attribute is set on the calling routine
def _overload_stand_apart():
    return lambda: _stand_apart()


@intrinsic
def _stand_apart(typing_context):
    def codegen(context, builder, signature, args):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), codegen


@intrinsic
def _borrow(typing_context, x):
    def codegen(context, builder, signature, args):
        return _without_counter(context, builder, signature.args[0], args[0])

    return x(x), codegen


def _without_counter(context, builder, kind, value):
    if isinstance(kind, types.BaseTuple):
        members = cgutils.unpack_tuple(builder, value)
        borrowed = [
            _without_counter(context, builder, k, v) for k, v in zip(kind, members, strict=True)
        ]
        return context.make_tuple(builder, kind, borrowed)
    if isinstance(kind, types.Array | types.NumPyRandomGeneratorType):
        struct = context.make_helper(builder, kind, value=value)
        struct.meminfo = cgutils.get_null_value(struct.meminfo.type)
        return struct._getvalue()
    return value
