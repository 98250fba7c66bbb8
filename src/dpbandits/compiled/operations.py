"""Operations for kernels that Numba lacks. The machine code is in ``plain.primitives``.

One operation calls a function of real numbers by its address, such as a user's reward law.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

MAX_QUANTILE_PARAMETERS = 3  # the largest number of parameters of a law besides the number u
C_TYPE = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * (MAX_QUANTILE_PARAMETERS + 1))


def unlikely(condition: bool) -> bool:
    """Return a condition, and tell the compiler that it is rarely true.

    Compiled code then moves the rare branch away, so that variables of the common branch stay in
    registers.
    """
    return condition


def whole(x: float) -> int:
    """Return the integer part of a number.

    If the number is outside the range of int64, the result is the smallest or the largest int64.
    """
    return int(x) if abs(x) < 2.0**63 else -(2**63)


def answer_of(returned: Any) -> float:
    """Convert the return value of an algorithm to a number; None becomes NaN."""
    return np.nan if returned is None else float(returned)


def call_at(address: int, u: float, x: float, y: float, z: float) -> float:
    """Return the value at (u, x, y, z) of the function at an address.

    If the function has fewer parameters, it ignores the last arguments.
    """
    return float(C_TYPE(int(address))(u, x, y, z))
