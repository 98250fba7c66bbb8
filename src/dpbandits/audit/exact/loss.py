"""Compute an interval that is proved to contain the largest |ln(P/P')| over several events."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...errors import BadInput
from .exponential_polynomials import Number

WIDTH = 1e-6  # largest width of the interval; if the budget is below 1, as a share of the budget
BITS = (192, 384, 768, 1536, 3072)  # the precisions that are tried


class OutOfReach(BadInput):
    """The error if no exact loss can be computed. The message has the reason, and a request that
    would work.
    """


@dataclass(frozen=True)
class ActionLoss:
    """The exact privacy loss of actions, with the event and the two neighbours that have this loss.

    Attributes:
        low: lower end of the interval, in nats.
        high: upper end.
        event: the actions, in words.
        rewards: the rewards of the played arms for each of the two neighbours, in words.
    """

    low: float
    high: float
    event: str
    rewards: tuple[str, str]


class Candidate(NamedTuple):
    """The probabilities of one event for two neighbouring tables of rewards.

    ``event`` and ``rewards`` are as in ``ActionLoss``.
    """

    first: Number
    second: Number
    event: str
    rewards: tuple[str, str]


def certified(candidates: Callable[[], Iterator[Candidate]], width: float) -> ActionLoss:
    """Compute an interval, at most ``width`` wide, that contains the largest |ln(P/P')| of the
    candidates.

    Raises:
        OutOfReach: even with the highest precision, the interval is wider.
    """
    from flint import ctx

    before = ctx.prec
    try:
        for bits in BITS:
            ctx.prec = bits
            found = _largest(candidates())
            if found.high - found.low <= width:
                return found
    finally:
        ctx.prec = before
    raise OutOfReach(f"rounding errors are too large, even with {BITS[-1]} bits")


def _largest(candidates: Iterator[Candidate]) -> ActionLoss:
    low, high, at = 0.0, 0.0, None
    for found in candidates:
        loss = (found.first / found.second).log()
        least, most = _ends(loss if loss > 0 else -loss)
        if not most < math.inf:  # the precision is too low to tell a probability from 0
            return ActionLoss(0.0, math.inf, "", ("", ""))
        if least > low or at is None:
            low, at = max(least, low), found
        high = max(high, most)
    assert at is not None
    return ActionLoss(low, high, at.event, at.rewards)


def _ends(ball: Number) -> tuple[float, float]:
    """Return two floating-point numbers, one below and one above all numbers of a ball."""
    if not ball.is_finite():
        return 0.0, math.inf
    least, most = float(ball.lower()), float(ball.upper())
    return math.nextafter(least, -math.inf), math.nextafter(most, math.inf)
