"""Operations that kernels call and that Numba lacks; ``plain.primitives`` has the machine code."""

from __future__ import annotations

from typing import Any

import numpy as np


def unlikely(condition: bool) -> bool:
    """Return a condition, and tell the compiler that it is rarely true.

    Compiled code then keeps the branch apart, so that variables of the common branch stay in
    registers.
    """
    return condition


def whole(x: float) -> int:
    """Return the integer part of a number.

    Beyond the range of int64 the result is the smallest or the largest int64.
    """
    return int(x) if abs(x) < 2.0**63 else -(2**63)


def answer_of(returned: Any) -> float:
    """Convert the return value of an algorithm to a number; None becomes NaN."""
    return np.nan if returned is None else float(returned)
