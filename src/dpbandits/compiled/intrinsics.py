"""Two instructions to the compiler: no reference counting, and no inlining."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def borrow(x: Any) -> Any:
    """The same arrays, generator or named tuple of them, without reference counting.

    Verbs borrow their arguments first: the caller keeps them alive, and counting references would
    cost ten times the rest of a round.
    """
    return x


@overload(borrow)
def _overload_borrow(x):
    return lambda x: _borrow(x)


def stand_apart() -> None:
    """Keep the routine that calls this out of line in the kernels that use it.

    The compiler hoists what does not change out of a loop. Inlined into one, a routine for several
    laws would compute roots and quotients of laws that the game does not have.
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
