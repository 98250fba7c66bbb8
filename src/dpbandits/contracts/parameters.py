"""The domains of parameters: the values that an algorithm accepts. Annotations in the signature of
an algorithm declare the domains.

The annotation of a number is an ``Interval``, as in ``eps: Budget``. The annotation of a parameter
that is one of several names is ``Literal``, as in ``variant: Literal["printed", "coded"]``. For
such a parameter a kernel receives the position of the chosen name in this list, counted from 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin

from ..errors import either

MIN_DIVISOR = 1e-100  # dividing by smaller numbers could overflow


@dataclass(frozen=True)
class Interval:
    """The real numbers between two ends.

    If the low end is 0 and does not belong to the interval, the smallest number is MIN_DIVISOR.

    Attributes:
        low, high: the ends; an infinite end is allowed if the bracket at this end is closed.
        ends: the brackets of the interval, ``(`` or ``[`` and ``)`` or ``]``.
        also: a text that a user may write instead of a number, such as ``1/horizon``.
        counts: whether only whole numbers are allowed, in a setting at most the horizon.
    """

    low: float = -math.inf
    high: float = math.inf
    ends: str = "()"
    also: str = ""
    counts: bool = False

    def contains(self, x: float) -> bool:
        """Return whether a number lies in the interval."""
        closed, low, high = self.ends[0] == "[", self.low, self.high
        if low == 0.0 and not closed:
            closed, low = True, MIN_DIVISOR
        above = x >= low if closed else x > low
        within = above and (x <= high if self.ends[1] == "]" else x < high)
        return within and not (self.counts and x != int(x))

    @property
    def allowed(self) -> str:
        """The allowed numbers in words, for messages."""
        if self.counts:
            return f"a whole number from {self.low:g} to the horizon"
        finite = "" if self.ends[1] == "]" else "finite "
        if math.isfinite(self.high):
            words = f"a number in {self.ends[0]}{self.low:g}, {self.high:g}{self.ends[1]}"
        elif math.isfinite(self.low):
            side = "above" if self.ends[0] == "(" else "of at least"
            words = f"a {finite}number {side} {self.low:g}"
        else:
            words = "a number"
        return words + (f", or {self.also}" if self.also else "")


@dataclass(frozen=True)
class Named:
    """The domain of a parameter that is a name or, if ``others`` is given, a number.

    Attributes:
        names: the number that each name denotes.
        others: the numbers that are allowed in addition to the names, or None.
    """

    names: Mapping[str, float]
    others: Interval | None = None

    @property
    def allowed(self) -> str:
        """The allowed names and numbers in words."""
        return either([*self.names, *([self.others.allowed] if self.others else [])])


Domain = Interval | Named

# Names of privacy budgets: every parameter with one of these names is a budget
BUDGETS = ("eps", "rho")
NUMBER = "a number"  # stands for any number, which replaces a name where an option is not used
AUTO = "auto"  # the value is computed from the environment
PER_HORIZON = "/horizon"
INVERSE_HORIZON = f"1{PER_HORIZON}"

ANY = Interval(-math.inf, math.inf, "[]")
BUDGET = Interval(0.0, math.inf, "(]", also="inf (no noise)")
POSITIVE = Interval(0.0)
CONFIDENCE = Interval(0.0, 1.0, also=INVERSE_HORIZON)
PROBABILITY = Interval(0.0, 1.0, "(]", also=INVERSE_HORIZON)
FRACTION = Interval(0.0, 1.0)
ABOVE_ONE = Interval(1.0)
NOT_NEGATIVE = Interval(0.0, ends="[)")
RANGE = Interval(0.0, 1e100, "(]")
COUNT = Interval(1.0, ends="[)", counts=True)

Budget = Annotated[float, BUDGET]
Positive = Annotated[float, POSITIVE]
Probability = Annotated[float, PROBABILITY]
Confidence = Annotated[float, CONFIDENCE]
Fraction = Annotated[float, FRACTION]
AboveOne = Annotated[float, ABOVE_ONE]
NotNegative = Annotated[float, NOT_NEGATIVE]
Range = Annotated[float, RANGE]
Count = Annotated[float, COUNT]
Order = Annotated[float, Interval(0.0, 1.0, "(]")]
# For the name "minimax", kernels receive 0, and compute the value with the smallest worst-case
# regret
PositiveOrMinimax = Annotated[float, Named({"minimax": 0.0}, POSITIVE)]
ShareOrMinimax = Annotated[float, Named({"minimax": 0.0}, Interval(0.0, 1.0, "(]"))]
MomentBound = Annotated[float, Interval(0.0, also=AUTO)]
MomentOrder = Annotated[float, Interval(2.0, ends="[)")]


def below(limit: float) -> Interval:
    """Return the domain of a probability of outliers below ``limit``, the breakdown point of an
    estimator.
    """
    return Interval(0.0, limit, "[)", also=AUTO)


def domain_of(hint: Any, name: str = "") -> Domain:
    """Return the domain of a parameter.

    If the parameter has an annotation, the annotation decides. Without an annotation, the name
    decides whether the parameter is a privacy budget or a privacy level. Any other parameter may be
    any number.
    """
    if get_origin(hint) is Literal:
        return Named({name: float(i) for i, name in enumerate(get_args(hint))})
    for note in getattr(hint, "__metadata__", ()):
        if isinstance(note, Domain):
            return note
    return {**dict.fromkeys(BUDGETS, BUDGET), "eps_min": POSITIVE}.get(name, ANY)
