"""Compile functions of real numbers that kernels call by address, such as a user's reward law."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .kernels import declare
from .operations import MAX_QUANTILE_PARAMETERS

_COMPILED: list[Any] = []  # machine code that a kernel may call must not be removed


def compiled_at(function: Callable[..., float]) -> tuple[Callable[..., float], int]:
    """Compile a function of a number u and up to MAX_QUANTILE_PARAMETERS parameters.

    Returns:
        The compiled function, for calls from Python (which raise the errors of the function), and
            the address of the function, for ``call_at``.

    Raises:
        numba.core.errors.NumbaError: the function cannot be compiled.
    """
    import numba

    declare()
    inner = numba.njit(error_model="numpy")(function)
    count = len(inspect.signature(function).parameters) - 1
    outer = (
        lambda u, x, y, z: float(inner(u)),
        lambda u, x, y, z: float(inner(u, x)),
        lambda u, x, y, z: float(inner(u, x, y)),
        lambda u, x, y, z: float(inner(u, x, y, z)),
    )[count]
    kind = numba.float64(*[numba.float64] * (MAX_QUANTILE_PARAMETERS + 1))
    called = numba.cfunc(kind, error_model="numpy")(outer)
    _COMPILED.append(called)
    return inner, int(called.address)
