"""Operations that kernels call and Numba lacks; ``plain.primitives`` has their machine code."""

from __future__ import annotations

from typing import Any

import numpy as np


def unlikely(condition: bool) -> bool:
    """The condition of a branch that is rarely taken, which compiled code keeps out of the way of
    all others: what they use then stays in registers.
    """
    return condition


def whole(x: float) -> int:
    """The integer part of a number; the smallest or the largest of int64 if it is not in int64."""
    return int(x) if abs(x) < 2.0**63 else -(2**63)


def answer_of(returned: Any) -> float:
    """Convert the return value of an algorithm to a number; None becomes NaN."""
    return np.nan if returned is None else float(returned)
