"""Generators that give the numbers of a recorded run again, as they were or shifted.

``Shifted`` gives them to a run on other rewards, shifted as an alignment says. ``Replay`` gives
plain numbers, so that a run with it is the run of any generator that happens to draw them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..numbers.draws import UNIFORM, Draw, Noise
from ..numbers.streams import Stream, plain_call

CLOSE = 1e-9  # relative; differences below are rounding
EPSILON = float(np.finfo(float).eps)  # of rounding


class Given(Stream):
    """The numbers of a recorded run.

    Args:
        reads: the rewards read so far.
        before: the draws of the record.
    """

    def __init__(self, reads, before: Sequence[Draw]):
        super().__init__(reads)
        self.before = before

    def next(self, kind, shape, *call):
        i = len(self.draws)
        if i >= len(self.before) or self.before[i].kind != kind:
            self.moved = self.moved or "the draws are others"
            return Draw(kind, 0.5 if kind == UNIFORM else 0.0, shape)
        before = self.before[i]
        if not _same(before.shape, plain_call(call) if call else shape):
            self.moved = self.moved or f"the law of a {kind} draw depends on the reward"
        return self.again(i, before)

    def again(self, i: int, before: Draw) -> Draw:
        """Draw ``i`` of the record, once more."""
        return Draw(before.kind, before.z, before.shape)


class Replay(Given):
    """The numbers of a run as plain numbers."""

    plain = True


class Shifted(Given):
    """The numbers of a recorded run, shifted.

    A draw with a declared shift has this one. Other noise shifts by minus what it is added to has
    changed by since the record, at the first addition for which this is not 0; a uniform number
    keeps the results of its comparisons.

    Args:
        reads: the rewards read so far.
        before: the draws of the record.
        declared: shifts of some draws by number, in the unit of the rewards.
    """

    def __init__(self, reads, before: Sequence[Draw], declared):
        super().__init__(reads, before)
        self.declared = declared
        self.released: set[int] = set()  # of draws whose shift is that of a statistic
        self.bits = 0

    def again(self, i, before):
        shift = 0.0
        if self.declared.get(i):
            shift = self.declared[i] / before.scale if before.scale else math.inf
        z = before.z + shift if shift else before.z
        return Draw(before.kind, z, before.shape, shift=shift)

    def added(self, noise, x):
        draw, i = noise.draw, noise.draw.number
        k = len(draw.added)
        if i in self.declared or i >= len(self.before) or k >= len(self.before[i].added):
            return super().added(noise, x)
        by = x - self.before[i].added[k]
        if abs(by) > CLOSE * max(abs(x), abs(by), abs(float(noise))) and not draw.shift:
            self.released.add(i)
            draw.shift = -by / noise.factor if noise.factor else math.inf
            draw.z = self.before[i].z + draw.shift
        total = super().added(noise, x)
        wanted = self.before[i].sums[k]
        value = float(total)
        if value == wanted or abs(value - wanted) <= CLOSE * max(1.0, abs(x), abs(wanted)):
            return Noise(wanted, self, draw, noise.factor, False)  # as without rounding
        self.moved = self.moved or f"draw {i + 1} hides two different changes"
        return total

    def compared(self, draw, chance):
        i, k = draw.number, len(draw.chances)
        if i >= len(self.before) or k >= len(self.before[i].chances):
            return super().compared(draw, chance)
        was, below = self.before[i].chances[k]
        draw.chances.append((chance, below))
        if abs(was - chance) > CLOSE * abs(chance):
            self.bits += 1
            p, q = (min(max(c, 0.0), 1.0) for c in (was, chance))
            p, q = (p, q) if below else (1.0 - p, 1.0 - q)
            draw.cost += abs(math.log(p / q)) if min(p, q) > 0.0 else math.inf
            if min(p, q) > 0.0:
                draw.rounding += 2.0 * EPSILON / min(p, q)
                draw.z = draw.z * q / p if below else 1.0 - (1.0 - draw.z) * q / p
        return below


def _same(first, second) -> bool:
    """Whether two collections of arguments are equal except for rounding."""
    if isinstance(first, (int, float)) and first == second:
        return True  # as nearly always; NumPy's test takes long
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_same(first[k], second[k]) for k in first)
    try:
        return bool(np.allclose(first, second, rtol=1e-6, atol=1e-9))
    except (TypeError, ValueError):
        return bool(first == second)
