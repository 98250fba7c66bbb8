"""The exact privacy loss of the actions of DP-SE and DPR-SE with two arms, at any horizon.

The epochs are independent, and each ends in one of three ways: the first arm is removed, the second
arm is removed, or neither. A changed reward belongs to one epoch, so the loss of the algorithm is
the loss of its worst epoch. In each epoch, the worst neighbours have the largest possible
difference of the two sums (docs/exact_loss.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from .episodic import exactly
from .exponential_polynomials import Number
from .loss import Candidate, OutOfReach


def elimination_candidates(
    epoch: Callable[[int], tuple[float, float, float]], eps: float, T: int
) -> Iterator[Candidate]:
    """Yield the candidates for the largest loss in all epochs before the horizon T.

    ``epoch(e)`` returns the number of pulls of each arm in epoch e, the gap of the means above
    which an arm is removed, and the largest change of a reward.
    """
    left = T
    for e in count(1):
        R, width, change = epoch(e)
        if left // 2 < R and e == 1:
            first = f"the first epoch has 2 x {R:.6g} rounds"
            raise OutOfReach(f"no epoch ends before the horizon; {first}")
        if left // 2 < R:
            return
        for found in endings(int(R), width, eps, change):
            yield found._replace(event=f"epoch {e} of 2 x {int(R)} rounds {found.event}")
        left -= 2 * int(R)


def endings(R: int, width: float, rate: float, change: float = 1.0) -> Iterator[Candidate]:
    """Yield the possible ends of an epoch, each with the neighbours for which the probabilities of
    this end have the largest ratio.

    The epoch releases two means with noise ``Lap(change/(rate R))`` each.

    Args:
        R: pulls of each arm.
        width: an arm is removed if its mean is below the other arm's mean by more than ``width``.
        rate: the noise has the scale change/(rate R). With the right scale, rate is the budget.
        change: the largest change of a reward.
    """
    unit, border = exactly(rate), exactly(width) * R / exactly(change)
    in_units = "" if change == 1.0 else f" in units of {change:.6g}"

    # d is the difference of the two sums; an arm is removed if d plus noise exceeds the border
    def removed(d: int) -> Number:
        return tail(unit * (border - d))

    def kept(d: int) -> Number:
        return tail(unit * (d - border)) - tail(unit * (d + border))

    for arm, probability, sums in (("arm 1", removed, (-R, 1 - R)), ("no arm", kept, (R, R - 1))):
        p, q = map(probability, sums)
        first, second = (f"sum 0 - sum 1 = {d}{in_units}" for d in sums)
        yield Candidate(p, q, f"removes {arm}", (first, second))


def tail(x: Number) -> Number:
    """Compute P(Z > x) for the sum Z of two independent Laplace variables of scale 1.

    ``x`` is a rational number.
    """
    from flint import arb

    if x < 0:
        return 1 - tail(-x)
    return (arb(x) + 2) * arb(-x).exp() / 4
