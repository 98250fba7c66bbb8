"""Random generators that return the numbers of a recorded run again, unchanged or shifted.

``Shifted`` returns the numbers to a run on other rewards, and shifts noise as an alignment says.
``Replay`` returns plain numbers, so that the run equals a run with an ordinary generator that draws
these numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ..numbers.draws import CHOICE, NOISE, UNIFORM, Draw, Noise
from ..numbers.streams import Stream

OTHER_DRAWS = "the run on the other rewards draws other random numbers"
ROUNDING = 1e-9  # relative tolerance: smaller differences are rounding errors
EPSILON = float(np.finfo(float).eps)  # the relative rounding error of a float


class Given(Stream):
    """A generator that returns the numbers of a recorded run.

    Attributes:
        before: the draws of the record.
        moved: the reason why the draws of a replay differ from the record in more than shifts, or
            None.
    """

    def __init__(self, before: Sequence[Draw]):
        super().__init__()
        self.before = before
        self.moved: str | None = None

    def next(self, kind, shape):
        i = len(self.draws)
        if i >= len(self.before) or self.before[i].kind != kind:
            self.moved = self.moved or OTHER_DRAWS
            return Draw(kind, 0.5 if kind == UNIFORM else 0.0, shape)
        before = self.before[i]
        if kind == CHOICE:
            return self.chosen_again(before, shape)
        if not _same(before.shape, shape):
            self.moved = self.moved or f"the law of a {kind} draw depends on the reward"
        return Draw(kind, before.z, before.shape, base=before.base)

    def chosen_again(self, before: Draw, law: tuple[float, ...]) -> Draw:
        """Return the recorded choice again, even if its probabilities have changed."""
        if before.z < len(law):
            return Draw(CHOICE, before.z, law)
        self.moved = self.moved or "a choice has other outcomes on the other rewards"
        return Draw(CHOICE, 0, law)


class Replay(Given):
    """A generator that returns the numbers of a run as plain numbers."""

    plain = True


class Shifted(Given):
    """A generator that returns the numbers of a recorded run, shifted.

    If the alignment declares a shift for a draw, the draw gets this shift. For all other draws of
    noise, the generator expects that the code adds the noise to statistics. When a statistic first
    differs by x from its value in the record, the noise that is added to it gets the shift -x. A
    uniform number is changed so that the results of its comparisons stay the same.

    Args:
        before: the draws of the record.
        declared: the declared shifts by the numbers of the draws, in the unit of the rewards.
    """

    def __init__(self, before: Sequence[Draw], declared):
        super().__init__(before)
        self.declared = declared
        # the numbers of the draws that are shifted because a statistic changed
        self.released: set[int] = set()
        # for each draw, how often a number was added to the draw alone
        self.plain_sums: dict[int, int] = {}
        self.bits = 0

    def next(self, kind, shape):
        i, draw = len(self.draws), super().next(kind, shape)
        if self.declared.get(i) and self.before[i].kind == kind:
            scale = self.before[i].scale
            draw.shift = self.declared[i] / scale if scale else math.inf
            draw.z += draw.shift
        return draw

    def added(self, noise, x):
        draw, i = noise.draw, noise.draw.number
        k = len(draw.added)
        if i in self.declared or i >= len(self.before) or k >= len(self.before[i].added):
            return super().added(noise, x)
        by, was = x - self.before[i].added[k], self.before[i].added[k]
        earlier = self.plain_sums.get(i, 0)
        if noise.pure and (x or was):
            self.plain_sums[i] = earlier + 1
        if abs(by) > ROUNDING * max(abs(x), abs(by), abs(float(noise))) and not draw.shift:
            self.released.add(i)
            draw.entered = len(self.reads)
            if noise.pure and earlier:
                why = f"draw {i + 1} hides several numbers, one of them changed"
                self.moved = self.moved or why
            draw.shift = -by / noise.factor if noise.factor else math.inf
            draw.z = self.before[i].z + draw.shift
        total = super().added(noise, x)
        wanted = self.before[i].sums[k]
        value = float(total)
        if value == wanted or abs(value - wanted) <= ROUNDING * max(1.0, abs(x), abs(wanted)):
            # the recorded sum, since the difference is only a rounding error
            return Noise(wanted, self, draw, noise.factor, False)
        self.moved = self.moved or f"draw {i + 1} hides two different changes"
        return total

    def chosen_again(self, before, law):
        draw = super().chosen_again(before, law)
        if not _same(before.shape, law):
            self.bits += 1
            draw.entered = len(self.reads)
            for p, q in zip_longest(before.shape, law, fillvalue=0.0):
                self.charge(draw, p, q)
        return draw

    def compared(self, draw, chance):
        i, k = draw.number, len(draw.chances)
        if i >= len(self.before) or k >= len(self.before[i].chances):
            return super().compared(draw, chance)
        record = self.before[i]
        was, below = record.chances[k]
        changed = abs(was - chance) > ROUNDING * abs(chance)
        p, q = record.share(was, below, k), draw.share(chance, below)
        if changed or draw.entered is not None:
            self.bits += changed
            draw.entered = len(self.reads) if draw.entered is None else draw.entered
            draw.cost = draw.worst
            self.charge(draw, record.share(was, not below, k), draw.share(chance, not below))
            draw.worst = draw.cost
            self.charge(draw, p, q)
        draw.compare(chance, below)
        if changed and min(p, q) > 0.0:
            draw.z = draw.interval()[0] + (record.z - record.interval(k + 1)[0]) * q / p
        return below

    def charge(self, draw: Draw, p: float, q: float) -> None:
        """Raise the cost of a draw to |ln(p/q)|, the cost of an outcome with these two
        probabilities.
        """
        cost = _ratio(p, q)
        if cost > draw.cost:
            draw.cost = cost
            draw.rounding = 2.0 * EPSILON / min(p, q) if min(p, q) > 0.0 else 0.0


class Branch(Given):
    """A generator that returns the numbers of a recorded run, with other choices in one round.

    A round begins after one reward and ends with the next reward. In this round, choices and
    comparisons of uniform numbers get the outcomes in ``path``, one after the other. If the path is
    too short, further choices and comparisons get their first possible outcome.

    Args:
        before: the draws of the record.
        own: how many rewards have been read when the choices of this round are made.
        path: the outcomes of the choices, in turn.

    Attributes:
        taken: the outcome of each choice of the round, with the probabilities of all outcomes.
    """

    def __init__(self, before: Sequence[Draw], own: int, path: Sequence[int]):
        super().__init__(before)
        self.own, self.path = own, path
        self.taken: list[tuple[int, tuple[float, ...]]] = []
        self.later = iter([draw for draw in before if draw.place > own])

    @property
    def chosen_alone(self) -> bool:
        """Whether all draws of the round are choices, or uniform numbers that are only compared."""
        others = [d for d in self.draws if d.place == self.own and d.kind != CHOICE]
        return all(d.kind == UNIFORM and d.chances and not d.used for d in others)

    @property
    def laws(self) -> str:
        """The laws of all later draws as text, each with the first number other than 0 that is
        added to the draw.
        """
        found = [
            (d.kind, d.shape, d.scale, [x for x in d.added if x][:1], [p for p, _ in d.chances])
            for d in self.draws
            if d.place > self.own
        ]
        return str(_rounded(found))

    def next(self, kind, shape):
        reads = len(self.reads)
        if reads < self.own:
            return super().next(kind, shape)
        if reads == self.own and kind == CHOICE:
            return Draw(kind, self._taken(shape), shape)
        before = next(self.later, None) if reads > self.own else None
        if before is not None and before.kind == kind:
            if kind == CHOICE:
                return self.chosen_again(before, shape)
            return Draw(kind, before.z, shape, base=before.base)
        if kind in (*NOISE, UNIFORM, CHOICE):
            return Draw(kind, 0.5 if kind == UNIFORM else 0, shape)
        given, named = shape
        return Draw(kind, getattr(_ANY, kind)(*given, **named), shape)

    def compared(self, draw, chance):
        low, high = draw.interval()
        if draw.place != self.own or low == high:
            return super().compared(draw, chance)
        p = min(max((chance - low) / (high - low), 0.0), 1.0)
        return draw.compare(chance, self._taken((p, 1.0 - p)) == 0)

    def _taken(self, law):
        i = len(self.taken)
        possible = next(k for k, p in enumerate(law) if p > 0.0)
        outcome = self.path[i] if i < len(self.path) else possible
        self.taken.append((outcome, law))
        return outcome


# Made before a policy plays: while a policy plays, the generators of NumPy are redirected
_ANY = np.random.default_rng(0)


def _rounded(x: Any) -> Any:
    """Return a copy of a collection with its numbers rounded to six digits."""
    if isinstance(x, float):
        return float(f"{x:.6g}")
    if isinstance(x, dict):
        return {k: _rounded(v) for k, v in x.items()}
    if isinstance(x, np.ndarray | list | tuple):
        return [_rounded(y) for y in (x.tolist() if isinstance(x, np.ndarray) else x)]
    return x


def _ratio(p: float, q: float) -> float:
    """Compute |ln(p/q)| of two probabilities: infinity if one of them is 0, and 0 if both are."""
    return abs(math.log(p / q)) if min(p, q) > 0.0 else math.inf if max(p, q) > 0.0 else 0.0


def _same(first, second) -> bool:
    """Return whether two numbers, or two collections of arguments, are equal up to rounding."""
    if isinstance(first, (int, float)) and first == second:
        return True  # this is the usual case, and NumPy's test takes long
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_same(first[k], second[k]) for k in first)
    try:
        return bool(np.allclose(first, second, rtol=1e-6, atol=1e-9))
    except (TypeError, ValueError):
        return bool(first == second)
