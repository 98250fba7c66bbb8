"""What values an algorithm's parameters may take: the annotations of its signature."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True)
class Interval:
    """Real numbers with a property, in words and as a test."""

    allowed: str
    contains: Callable[[float], bool]


@dataclass(frozen=True)
class Choice:
    """A name out of several; kernels see its position in the list."""

    options: tuple[str, ...]

    @property
    def allowed(self) -> str:
        return " or ".join(self.options)


@dataclass(frozen=True)
class Named:
    """A number, or one of the names that stand for numbers."""

    names: Mapping[str, float]
    others: Interval

    @property
    def allowed(self) -> str:
        return f"{' or '.join(self.names)} or {self.others.allowed}"


ANY = Interval("a number", lambda x: not math.isnan(x))
SMALLEST = 1e-100  # smaller positive numbers would overflow when they divide
BUDGET = Interval("a number above 0 (inf adds no noise)", lambda x: x >= SMALLEST)
POSITIVE = Interval("a finite number above 0", lambda x: SMALLEST <= x < math.inf)
CONFIDENCE = Interval("a number in (0, 1), or 1/horizon", lambda x: SMALLEST <= x < 1)
PROBABILITY = Interval("a number in (0, 1], or 1/horizon", lambda x: SMALLEST <= x <= 1)
FRACTION = Interval("a number in (0, 1)", lambda x: SMALLEST <= x < 1)
RANGE = Interval("a number above 0, at most 1e100", lambda x: SMALLEST <= x <= 1e100)

Budget = Annotated[float, BUDGET]
Positive = Annotated[float, POSITIVE]
Probability = Annotated[float, PROBABILITY]
Confidence = Annotated[float, CONFIDENCE]
Fraction = Annotated[float, FRACTION]
Range = Annotated[float, RANGE]

AUTO = "auto"  # a parameter that is taken from the environment
Order = Annotated[float, Interval("a number in (0, 1]", lambda x: SMALLEST <= x <= 1)]
MomentBound = Annotated[float, Interval(f"{POSITIVE.allowed}, or {AUTO}", POSITIVE.contains)]
MomentOrder = Annotated[
    float, Interval("a finite number of at least 2", lambda x: 2 <= x < math.inf)
]
Constants = Annotated[float, Choice(("unit", "explicit"))]
Forced = Annotated[float, Choice(("batch", "round"))]


def below(limit: float) -> Interval:
    """A contamination that a robust mean bears."""
    return Interval(f"a number from 0 to below {limit:g}, or {AUTO}", lambda x: 0 <= x < limit)
