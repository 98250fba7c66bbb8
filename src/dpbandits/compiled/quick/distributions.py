"""Random numbers in kernels: they call the C functions of ``numpy.random.Generator``.

Without these calls, Numba would compile its own version of each function into every kernel. For the
binomial alone, this takes a second.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from ..choice import compiler
from ..random_numbers import beta, binomial, gamma, poisson, student

WORD = ir.IntType(64)
BITGEN = "state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double"
# Size in words of the C structure binomial_t, whose first word says whether it is filled
BINOMIAL_WORDS = 17

# For each distribution: the C function, the type of its result and the types of its arguments
C_FUNCTIONS: dict[Callable, tuple[Any, ...]] = {
    gamma: ("random_standard_gamma", types.float64, types.float64),
    beta: ("random_beta", types.float64, types.float64, types.float64),
    student: ("random_standard_t", types.float64, types.float64),
    binomial: ("random_binomial", types.int64, types.int64, types.float64),
    poisson: ("random_poisson", types.int64, types.float64),
}
llvm.load_library_permanently(np.random._generator.__file__)


def draw_in_c(function: Callable, symbol: str, returned: Any, *arguments: Any) -> None:
    """Let kernels that call a function of ``random_numbers`` call NumPy's C function instead.

    Args:
        function: the function of ``random_numbers``.
        symbol: the name of the C function.
        returned: the Numba type of its result.
        arguments: the Numba types of its arguments after the generator.
    """

    @type_callable(function)
    def type_call(context):
        def typer(rng, *given):
            return returned(rng, *arguments) if compiler() == "quick" else None

        typer.pysig = inspect.signature(function)  # type: ignore[attr-defined]
        return typer

    @lower_builtin(function, types.NumPyRandomGeneratorType, *arguments)
    def lower(context, builder, sig, args):
        given = [_bitgen(context, builder, sig.args[0], args[0]), *args[1:]]
        if symbol == "random_binomial":
            rng, n, p = given
            prepared = _reserve(builder, BINOMIAL_WORDS)
            builder.store(WORD(0), prepared)
            given = [rng, p, n, prepared]
        kind = ir.FunctionType(context.get_value_type(returned), [x.type for x in given])
        return builder.call(declared(builder, kind, symbol), given)


def declared(builder, kind, symbol):
    """Return the declaration, in this module, of a function that is linked by its symbol."""
    return builder.module.globals.get(symbol) or ir.Function(builder.module, kind, symbol)


def _bitgen(context, builder, kind, value):
    """Return a pointer to a C structure ``bitgen_t`` filled from a generator."""
    models = context.data_model_manager
    bits = models[kind].get(builder, value, "bit_generator")
    model = models[models[kind].get_member_fe_type("bit_generator")]
    members = [model.get(builder, bits, name) for name in BITGEN]
    bitgen = _reserve(builder, len(members) + 1)
    for i, member in enumerate((*members, members[1])):  # the last member stands for next_raw
        builder.store(member, builder.gep(bitgen, [WORD(i)]))
    return bitgen


def _reserve(builder, words):
    """Reserve 64-bit words on the stack, once in each function, and return the pointer."""
    with builder.goto_entry_block():
        return builder.alloca(WORD, words)


for _function, _description in C_FUNCTIONS.items():
    draw_in_c(_function, *_description)
