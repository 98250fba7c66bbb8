"""Rewards that are uniform on an interval."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from ...errors import BadInput, plain
from ...validation import as_number
from .. import laws
from .arm import Arm


def uniform(low: Any, high: Any) -> Arm:
    """Return an arm with rewards that are uniform on [low, high]."""
    x, y = as_number("low", low), as_number("high", high)
    if x >= y:
        raise BadInput(f"low={plain(low)}, high={plain(high)}: low must lie below high")
    return Arm(laws.UNIFORM, (x, y), (x + y) / 2, x, y, partial(uniform_moment, x, y))


def uniform_moment(low: float, high: float, q: float, c: float) -> float:
    """Return E|X - c|^q for the uniform law on [low, high], by the distances of c to both ends."""
    width = high - low
    near, far = sorted((abs(low - c), abs(high - c)))
    if far <= width:
        return float((near ** (q + 1) + far ** (q + 1)) / ((q + 1) * width))
    # the difference of the two powers would cancel for a distant c
    gap = -math.expm1((q + 1) * math.log1p(-width / far))
    return float(far**q * (far / width) * gap / (q + 1))
