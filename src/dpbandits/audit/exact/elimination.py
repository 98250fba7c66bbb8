"""The exact privacy loss of the actions of DP-SE and DPR-SE with two arms, at any horizon.

The epochs are independent, and each ends in one of three ways: an arm is removed, the other one is,
or neither. A changed reward lies in one epoch, so the loss is that of the worst epoch. In each the
worst neighbours are at the largest difference of the two sums (docs/exact_loss.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .episodic import exactly, whole
from .exponential_polynomials import Number


class Ending(NamedTuple):
    """An end of an epoch of R pulls of each arm, under the neighbours that it tells apart best.

    Attributes:
        removes: whether an arm is removed.
        sums: the differences of the two arms' sums under the neighbours, in units of the largest
            change of a reward.
        probabilities: those of this end.
    """

    removes: bool
    sums: tuple[int, int]
    probabilities: tuple[Number, Number]


def endings(R: int, width: float, rate: float, change: float = 1.0) -> Iterator[Ending]:
    """The ends of an epoch that releases two means with noise ``Lap(change/(rate R))`` each.

    Args:
        R: pulls of each arm.
        width: an arm is removed if its mean is more than this below the other's.
        rate: the budget, unless the noise is wrong.
        change: the largest change of a reward.
    """
    unit, border = exactly(rate), exactly(width) * R / exactly(change)

    def removed(d: int) -> Number:  # d, the difference of the sums, with noise, exceeds the border
        return tail(unit * (border - d))

    def kept(d: int) -> Number:
        return tail(unit * (d - border)) - tail(unit * (d + border))

    for removes, probability, sums in ((True, removed, (-R, 1 - R)), (False, kept, (R, R - 1))):
        first, second = map(probability, sums)
        yield Ending(removes, sums, (first, second))


def tail(x: Number) -> Number:
    """P(Z > x) for the sum Z of two independent Laplace variables of scale 1, x rational."""
    from flint import arb

    if x < whole(0):
        return 1 - tail(-x)
    return (arb(x) + 2) * arb(-x).exp() / 4
