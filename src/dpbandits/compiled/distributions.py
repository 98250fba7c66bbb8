"""Random numbers in kernels: calls of the C functions behind ``numpy.random.Generator``.

Numba compiles its own copies of these functions into every kernel, a second for the binomial
distribution alone; the numbers are the same.
"""

from __future__ import annotations

import math

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import lower_builtin, overload
from numba.np.random._constants import (
    fe_double,
    fi_double,
    ke_double,
    ki_double,
    we_double,
    wi_double,
    ziggurat_exp_r,
    ziggurat_nor_inv_r,
    ziggurat_nor_r,
)

from .routines import OPTIONS, borrowing_routine

llvm.load_library_permanently(np.random._generator.__file__)
WORD, REAL = ir.IntType(64), ir.DoubleType()
SFC64_WORDS = 5  # of its C structure; the last one is half a number that may be left over
BINOMIAL_WORDS = 17  # of the C structure binomial_t, whose first word says whether it is filled


def random(rng: np.random.Generator) -> float:
    """Uniform on [0, 1)."""
    return rng.random()


def exponential(rng: np.random.Generator) -> float:
    """Exponential of mean 1."""
    return rng.standard_exponential()


def normal(rng: np.random.Generator) -> float:
    """Standard normal."""
    return rng.standard_normal()


def gamma(rng: np.random.Generator, shape: float) -> float:
    """Gamma of scale 1."""
    return rng.standard_gamma(shape)


def beta(rng: np.random.Generator, a: float, b: float) -> float:
    """Beta(a, b)."""
    return rng.beta(a, b)


def student(rng: np.random.Generator, df: float) -> float:
    """Student's t."""
    return rng.standard_t(df)


def binomial(rng: np.random.Generator, n: int, p: float) -> int:
    """Number of successes in ``n`` trials of probability ``p``."""
    return rng.binomial(n, p)


def poisson(rng: np.random.Generator, mean: float) -> int:
    """Poisson."""
    return rng.poisson(mean)


def reseed(rng: np.random.Generator, words: np.ndarray) -> None:
    """Give an SFC64 the state uint64 array (4,), as after seeding."""
    state = {"bit_generator": "SFC64", "state": {"state": words}, "has_uint32": 0, "uinteger": 0}
    rng.bit_generator.state = state


def _next_uint64(rng):
    """64 random bits."""


def _c_exponential(rng):
    """``exponential`` as a C function."""


def _c_normal(rng):
    """``normal`` as a C function."""


def _bit_generator(context, builder, kind, value):
    """The structure that Numba makes of a generator's bit generator."""
    rng = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    member = context.data_model_manager[kind].get_member_fe_type("bit_generator")
    return cgutils.create_struct_proxy(member)(context, builder, value=rng.bit_generator)


def _bitgen(context, builder, kind, value):
    """Pointer to the C structure bitgen_t of a generator."""
    bits = _bit_generator(context, builder, kind, value)
    members = bits.state, bits.fnptr_next_uint64, bits.fnptr_next_uint32, bits.fnptr_next_double
    bitgen = cgutils.alloca_once(builder, WORD, size=len(members) + 1)
    for i, member in enumerate((*members, bits.fnptr_next_uint64)):  # the last is next_raw
        builder.store(member, builder.gep(bitgen, [WORD(i)]))
    return bitgen


def _declare(function, returned, *arguments):
    """Tell Numba the types of a function; other numbers are converted."""

    @infer_global(function)
    class Template(ConcreteTemplate):
        cases = (signature(returned, types.npy_rng, *arguments),)


def _calls(function, symbol, *arguments):
    """Compile calls of a function of real numbers as calls of a C function."""
    _declare(function, types.float64, *arguments)

    @lower_builtin(function, types.NumPyRandomGeneratorType, *arguments)
    def lower(context, builder, sig, args):
        kind = ir.FunctionType(REAL, [WORD.as_pointer()] + [REAL] * len(arguments))
        called = cgutils.get_or_insert_function(builder.module, kind, symbol)
        return builder.call(called, [_bitgen(context, builder, sig.args[0], args[0]), *args[1:]])


_calls(gamma, "random_standard_gamma", types.float64)
_calls(beta, "random_beta", types.float64, types.float64)
_calls(student, "random_standard_t", types.float64)
_calls(_c_exponential, "random_standard_exponential")
_calls(_c_normal, "random_standard_normal")
_declare(random, types.float64)
_declare(_next_uint64, types.uint64)
_declare(reseed, types.none, types.Array(types.uint64, 1, "C"))
_declare(binomial, types.int64, types.int64, types.float64)
_declare(poisson, types.int64, types.float64)


@lower_builtin(random, types.NumPyRandomGeneratorType)
def _lower_random(context, builder, sig, args):
    bits = _bit_generator(context, builder, sig.args[0], args[0])
    kind = ir.FunctionType(REAL, [WORD]).as_pointer()
    return builder.call(builder.inttoptr(bits.fnptr_next_double, kind), [bits.state])


@lower_builtin(_next_uint64, types.NumPyRandomGeneratorType)
def _lower_next_uint64(context, builder, sig, args):
    bits = _bit_generator(context, builder, sig.args[0], args[0])
    kind = ir.FunctionType(WORD, [WORD]).as_pointer()
    return builder.call(builder.inttoptr(bits.fnptr_next_uint64, kind), [bits.state])


@lower_builtin(reseed, types.NumPyRandomGeneratorType, types.Array)
def _lower_reseed(context, builder, sig, args):
    words = context.make_array(sig.args[1])(context, builder, args[1]).data
    bits = _bit_generator(context, builder, sig.args[0], args[0])
    state = builder.inttoptr(bits.state, WORD.as_pointer())
    for i in range(SFC64_WORDS):
        place = builder.gep(words, [WORD(i)])
        word = builder.load(place) if i < SFC64_WORDS - 1 else WORD(0)
        builder.store(word, builder.gep(state, [WORD(i)]))
    return context.get_dummy_value()


@lower_builtin(binomial, types.NumPyRandomGeneratorType, types.int64, types.float64)
def _lower_binomial(context, builder, sig, args):
    pointer = WORD.as_pointer()
    kind = ir.FunctionType(WORD, [pointer, REAL, WORD, pointer])
    called = cgutils.get_or_insert_function(builder.module, kind, "random_binomial")
    prepared = cgutils.alloca_once(builder, WORD, size=BINOMIAL_WORDS)
    builder.store(WORD(0), prepared)
    bitgen = _bitgen(context, builder, sig.args[0], args[0])
    return builder.call(called, [bitgen, args[2], args[1], prepared])


@lower_builtin(poisson, types.NumPyRandomGeneratorType, types.float64)
def _lower_poisson(context, builder, sig, args):
    kind = ir.FunctionType(WORD, [WORD.as_pointer(), REAL])
    called = cgutils.get_or_insert_function(builder.module, kind, "random_poisson")
    return builder.call(called, [_bitgen(context, builder, sig.args[0], args[0]), args[1]])


# The ziggurat method (Marsaglia & Tsang 2000) as in NumPy: 98 or 99 in 100 numbers are decided by
# one comparison, which is inlined; a call would take longer than the rest of a round.

_SHORT, _BYTE, _52 = np.uint64(8), np.uint64(0xFF), np.uint64(2**52 - 1)
_ONE, _THREE = np.uint64(1), np.uint64(3)


@overload(exponential, jit_options=OPTIONS | {"forceinline": True, "_nrt": False})
def _overload_exponential(rng):
    def draw(rng):
        bits = _next_uint64(rng) >> _THREE
        i, bits = bits & _BYTE, bits >> _SHORT
        x = bits * we_double[i]
        return x if bits < ke_double[i] else _unlikely_exponential(rng, i, x)

    return draw


@borrowing_routine
def _unlikely_exponential(rng, i, x):
    if i == 0:
        return ziggurat_exp_r - math.log1p(-random(rng))
    if (fe_double[i - 1] - fe_double[i]) * random(rng) + fe_double[i] < math.exp(-x):
        return x
    return _c_exponential(rng)


@overload(normal, jit_options=OPTIONS | {"forceinline": True, "_nrt": False})
def _overload_normal(rng):
    def draw(rng):
        bits = _next_uint64(rng)
        i, bits = bits & _BYTE, bits >> _SHORT
        size = (bits >> _ONE) & _52
        x = size * wi_double[i]
        x = -x if bits & _ONE else x
        return x if size < ki_double[i] else _unlikely_normal(rng, i, x, size)

    return draw


@borrowing_routine
def _unlikely_normal(rng, i, x, size):
    if i > 0:
        u = (fi_double[i - 1] - fi_double[i]) * random(rng) + fi_double[i]
        return x if u < math.exp(-0.5 * x * x) else _c_normal(rng)
    while True:
        far = -ziggurat_nor_inv_r * math.log1p(-random(rng))
        y = -math.log1p(-random(rng))
        if y + y > far * far:
            return -(ziggurat_nor_r + far) if (size >> 8) & 1 else ziggurat_nor_r + far
