"""Domains of the parameters of algorithms: the annotations of their signatures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True)
class Interval:
    """A set of real numbers, in words and as a predicate."""

    allowed: str
    contains: Callable[[float], bool]


@dataclass(frozen=True)
class Choice:
    """One of several names; kernels receive its position in the list."""

    options: tuple[str, ...]

    @property
    def allowed(self) -> str:
        return " or ".join(self.options)


@dataclass(frozen=True)
class Named:
    """A number, or a name that denotes a number."""

    names: Mapping[str, float]
    others: Interval

    @property
    def allowed(self) -> str:
        return f"{' or '.join(self.names)} or {self.others.allowed}"


BUDGETS = ("eps", "rho")  # names of privacy budgets: a parameter of such a name is one

ANY = Interval("a number", lambda x: not math.isnan(x))
SMALLEST = 1e-100  # dividing by smaller numbers could overflow
BUDGET = Interval("a number above 0 (inf adds no noise)", lambda x: x >= SMALLEST)
POSITIVE = Interval("a finite number above 0", lambda x: SMALLEST <= x < math.inf)
CONFIDENCE = Interval("a number in (0, 1), or 1/horizon", lambda x: SMALLEST <= x < 1)
PROBABILITY = Interval("a number in (0, 1], or 1/horizon", lambda x: SMALLEST <= x <= 1)
FRACTION = Interval("a number in (0, 1)", lambda x: SMALLEST <= x < 1)
ABOVE_ONE = Interval("a finite number above 1", lambda x: 1 < x < math.inf)
NOT_NEGATIVE = Interval("a finite number of at least 0", lambda x: 0 <= x < math.inf)
RANGE = Interval("a number above 0, at most 1e100", lambda x: SMALLEST <= x <= 1e100)

Budget = Annotated[float, BUDGET]
Positive = Annotated[float, POSITIVE]
Probability = Annotated[float, PROBABILITY]
Confidence = Annotated[float, CONFIDENCE]
Fraction = Annotated[float, FRACTION]
AboveOne = Annotated[float, ABOVE_ONE]
NotNegative = Annotated[float, NOT_NEGATIVE]
Range = Annotated[float, RANGE]

AUTO = "auto"  # the value is computed from the environment
Order = Annotated[float, Interval("a number in (0, 1]", lambda x: SMALLEST <= x <= 1)]
MomentBound = Annotated[float, Interval(f"{POSITIVE.allowed}, or {AUTO}", POSITIVE.contains)]
MomentOrder = Annotated[
    float, Interval("a finite number of at least 2", lambda x: 2 <= x < math.inf)
]
RenyiOrder = Annotated[float, Interval("a finite number above 1", lambda x: 1 < x < math.inf)]
Constants = Annotated[float, Choice(("unit", "explicit"))]
Forced = Annotated[float, Choice(("batch", "round"))]
Logarithm = Annotated[float, Choice(("natural", "base2"))]
Batches = Annotated[float, Choice(("doubled", "quadrupled"))]
Tree = Annotated[float, Choice(("binary", "honaker", "kary"))]
Variant = Annotated[float, Choice(("printed", "coded"))]
Threshold = Annotated[float, Choice(("usual", "proved", "empirical"))]
Bonus = Annotated[float, Choice(("literal", "calibrated"))]
NoisePlace = Annotated[float, Choice(("middle", "sums"))]
LinearBonus = Annotated[float, Choice(("printed", "eigenvalue"))]
MatrixNoise = Annotated[float, Choice(("gaussian", "wishart"))]
Calibration = Annotated[float, Choice(("printed", "exact"))]


def below(limit: float) -> Interval:
    """The domain of a contamination below the breakdown point of an estimator."""
    return Interval(f"a number from 0 to below {limit:g}, or {AUTO}", lambda x: 0 <= x < limit)
