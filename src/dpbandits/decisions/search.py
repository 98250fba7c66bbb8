"""Search for the smallest budget that reaches a goal: bisection that adds runs where they are
needed.

At each budget a test decides whether the mean regret is above the goal or at most the goal. The
code calls such a test a look. If a test does not decide, more runs are played at this budget. With
probability 95 %, all decisions of a search are right. Regret is continuous in the budget. Therefore
the answer lies between a budget at which the regret is above the goal and a budget that reaches the
goal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import Literal

import numpy as np

from ..comparison.pairs import Located, located
from ..contracts.parameters import RANGE
from ..errors import BadInput
from ..validation import argument, as_integer, number_where

ERROR = 0.05  # the largest probability that any statement of a search is wrong
LOOKS = 100  # most looks (tests) of a search; each is wrong with probability at most ERROR / LOOKS
FIRST_LOOK_RUNS, LOOK_GROWTH = 32, 2  # runs of the first look at a budget; their growth per look
MAX_NARROWING_RUNS = 256  # at a budget, while the interval is narrowed for the first time
SETTLED = 512  # runs of a look from which on its estimate of the needed runs is used
HOPELESS = 4.0  # no run is added if more than HOPELESS times the largest number would be needed
A_DECADE = 2  # number of scanned budgets per factor of 10
ASIDE = 2.0  # the factor between an end of the bracket and the budget that is tried outside it
ROUNDED_PRECISION = 1.01  # tolerated multiple of the requested precision, as budgets are rounded

# ``measure(budget, n)`` returns the regret, or its ratio to the regret of the baseline, with
# limits, from the first n runs at a budget
Measure = Callable[[float, int], Located]
Kind = Literal["between", "always", "never", "open"]


@dataclass(frozen=True)
class Look:
    """The result of a test at one budget: the mean regret (or its ratio to the baseline's regret),
    its limits, and the decision.
    """

    budget: float
    runs: int
    mean: float
    low: float
    high: float
    side: int  # 1: above the goal, -1: at most the goal, 0: not decided


@dataclass(frozen=True)
class Found:
    """The answer of a search: a budget between ``low`` and ``high``.

    The answer has one of these kinds:

    * ``between``: the regret is above the goal at ``low``, and at most the goal at ``high``;
    * ``always``: the smallest budget reaches the goal;
    * ``never``: regret is above the goal at every budget that was tried;
    * ``open``: the runs do not decide which budget is the smallest that reaches the goal, or
      whether any budget reaches it.
    """

    kind: Kind
    budget: float
    low: float
    high: float
    again: tuple[float, ...]  # budgets above the answer at which regret is above the goal again
    looks: tuple[Look, ...]  # the last look at each budget, in the order of budgets

    @property
    def unknown(self) -> list[Look]:
        """The tests (looks) that did not decide."""
        return [look for look in self.looks if look.side == 0]

    @property
    def last(self) -> Look:
        """The test at the largest budget. But if no answer was found and some budgets are
        undecided, the result is the test at the largest undecided budget.
        """
        return ((self.unknown if np.isnan(self.budget) else ()) or self.looks)[-1]


@dataclass
class Search:
    """A search for the smallest budget at which the mean regret, or its ratio to a baseline's mean
    regret, is at most ``goal``.
    """

    measure: Measure
    goal: float
    least: float
    most: float
    precision: float  # the requested upper bound on the ratio of ``high`` to ``low``
    runs: int  # the largest number of runs at one budget
    _seen: dict[float, Look] = field(default_factory=dict)
    _looks: int = 0

    def answer(self) -> Found:
        """Scan the range of budgets. After the scan, narrow the interval that contains the smallest
        budget that reaches the goal.
        """
        count = max(2, round(A_DECADE * np.log10(self.most / self.least)) + 1)
        inner = np.geomspace(self.least, self.most, count)[1:-1]
        grid = [self.least, *map(short, inner), self.most]
        for budget in grid:
            self._look(budget, FIRST_LOOK_RUNS)
        for end in (self.least, self.most):
            self.decide(end, self.runs)
        reached = any(look.side < 0 for look in self._seen.values())
        if not (reached or any(self.decide(budget, self.runs) < 0 for budget in grid)):
            above = list(takewhile(lambda budget: self._seen[budget].side > 0, grid))
            kind: Kind = "never" if above == grid else "open"
            return self._found(kind, np.nan, max(above, default=0.0), np.inf)
        low, high = self._bracket()
        for budget in sorted((x for x in self._seen if low < x < high), reverse=True):
            if low > 0.0 or self.decide(budget, self.runs) >= 0:
                break  # smaller budgets are not examined
        low, high = self._bracket()
        if low == 0.0:
            return self._found("always" if high == self.least else "open", high, low, high)
        self._narrow()
        if self._look_aside():
            self._narrow()  # around the smaller budget that reaches the goal
        low, high = self._bracket()
        return self._found("between", self._crossing(), low, high)

    def _look_aside(self) -> bool:
        """Examine one budget on each side of the bracket: half its lower end, and twice its upper
        end.

        Return whether the interval that contains the answer has changed.
        """
        before = low, high = self._bracket()
        for budget in (low / ASIDE, high * ASIDE):
            self.decide(within(self.least, budget, self.most), min(MAX_NARROWING_RUNS, self.runs))
        return self._bracket() != before

    def _bracket(self) -> tuple[float, float]:
        """Return the lower and the upper end of the interval of budgets that contains the answer
        (the bracket).

        The upper end is the smallest examined budget that reaches the goal. The lower end is the
        largest examined budget, below the upper end, with a regret above the goal; or 0 if there is
        no such budget.
        """
        high = min(look.budget for look in self._seen.values() if look.side < 0)
        above = (look.budget for look in self._seen.values() if look.side > 0)
        return max((x for x in above if x < high), default=0.0), high

    def _narrow(self) -> None:
        """Narrow the bracket.

        First bisect with few runs at each budget, until the test does not decide at the middle of
        the interval. Then move both ends towards this middle. Finally move both ends, at most twice
        and with many runs, towards the budget at which the mean crosses the goal.
        """
        few = min(MAX_NARROWING_RUNS, self.runs)
        while not self._is_narrow():
            middle = short(np.sqrt(np.prod(self._bracket())))
            if self.decide(middle, few) == 0:
                self._towards(middle, few)
                break
        for _ in range(2):
            if not self._is_narrow():
                self._towards(self._crossing(), self.runs)

    def _is_narrow(self) -> bool:
        low, high = self._bracket()
        return high / low <= ROUNDED_PRECISION * self.precision or self._looks >= LOOKS

    def _towards(self, middle: float, runs: int) -> None:
        """Move both ends of the interval that contains the answer towards a budget.

        On each side, first try the budget at the requested distance from ``middle``. As long as the
        test does not decide, try the middle between the last budget and the end of the interval.
        """
        for outward in (1, -1):
            near, far = (
                short(middle * self.precision ** (outward / 2)),
                self._bracket()[outward > 0],
            )
            while outward * (far - near) > 0.0 and self._looks < LOOKS:
                if self.decide(near, runs) != 0:
                    break
                between = short(np.sqrt(near * far))
                is_far = (far / near) ** outward > self.precision and between != near
                near = between if is_far else far

    def decide(self, budget: float, most: int) -> int:
        """Add runs at a budget until the test decides, or too many runs would be needed. Return the
        ``side`` of the goal, see ``Look``.
        """
        look = self._seen.get(budget) or self._look(budget, FIRST_LOOK_RUNS)
        while look.side == 0 and look.runs < most and self._looks < LOOKS:
            if look.runs >= SETTLED and look.runs * _excess(look, self.goal) > HOPELESS * most:
                break
            look = self._look(budget, min(LOOK_GROWTH * look.runs, most))
        return look.side

    def _look(self, budget: float, n: int) -> Look:
        """Test the first n runs at a budget against the goal."""
        self._looks += 1
        n = min(n, self.runs)
        found = self.measure(budget, n)
        side = 1 if found.low > self.goal else -1 if found.high <= self.goal else 0
        look = Look(budget, n, float(found.value), float(found.low), float(found.high), side)
        self._seen[budget] = look
        return look

    def _found(self, kind: Kind, budget: float, low: float, high: float) -> Found:
        looks = tuple(self._seen[x] for x in sorted(self._seen))
        again = tuple(x.budget for x in looks if x.side > 0 and x.budget > high)
        return Found(kind, budget, low, high, again, looks)

    def _crossing(self) -> float:
        """Return the budget at which the mean crosses the goal, interpolated on log scales."""
        low, high = self._bracket()
        inside = [self._seen[x] for x in sorted(self._seen) if low <= x <= high]
        for a, b in pairwise(inside):
            x, y = (np.log(max(look.mean, 1e-300) / self.goal) for look in (a, b))
            if y <= 0.0 < x:
                return within(low, a.budget * (b.budget / a.budget) ** (x / (x - y)), high)
        return within(low, np.sqrt(low * high), high)


def check_search(
    least: float, most: float, precision: float, runs: int
) -> tuple[float, float, float, int]:
    """Check the range of budgets of a search, its precision, and the runs at one budget."""
    least, most = (argument(k, x, RANGE, np.nan) for k, x in (("least", least), ("most", most)))
    if not float(f"{least:g}") < float(f"{most:g}"):  # as they are printed
        raise BadInput(f"most={most:g}: above least={least:g} is needed")
    precision = number_where(
        "precision", precision, lambda x: x >= 1.01, "a number of at least 1.01 is needed"
    )
    return least, most, precision, as_integer("runs", runs, at_least=32, at_most=10_000_000)


def goal_of(
    typed: str, goal: float | None, ratio: float | None, what: str, more: str = ""
) -> float:
    """Check that exactly one of the goal and the ratio is given, and return its value.

    Args:
        typed: the key of the goal as a user types it, such as ``regret=R``.
        goal: the value of the goal, None if it is not given.
        ratio: the value of ``ratio``, None if it is not given.
        what: the quantity that is compared with the goal.
        more: the end of the error message if neither is given.
    """
    key = typed.partition("=")[0]
    if goal is not None and ratio is not None:
        raise BadInput(f"{key} and ratio: give only one of the two")
    if goal is None and ratio is None:
        needed = f"either {typed} or ratio=R is needed"
        raise BadInput(
            f"{needed}: the largest {what}, or its ratio to the {what} without privacy{more}"
        )
    name, value = ("ratio", ratio) if goal is None else (key, goal)
    return number_where(name, value, lambda x: 0 < x < np.inf, "a number above 0 is needed")


def limits(regrets: np.ndarray, largest: float) -> Located:
    """Return the mean of some regrets, with limits that hold simultaneously for all tests of a
    search.
    """
    return located([regrets], "mean", ERROR / LOOKS, largest).of(0)


def _excess(look: Look, goal: float) -> float:
    """Estimate by which factor the number of runs must grow until the test decides."""
    with np.errstate(divide="ignore"):
        low, mean, high, aim = np.log([look.low, look.mean, look.high, goal])
    width = mean - low if mean > aim else high - mean
    return float((width / max(abs(mean - aim), 1e-9)) ** 2)


def short(budget: float) -> float:
    """Round a budget to three digits."""
    return float(f"{budget:.3g}")


def within(low: float, budget: float, high: float) -> float:
    """Round a budget to three digits, but keep it between ``low`` and ``high``."""
    return min(max(short(budget), low), high)
