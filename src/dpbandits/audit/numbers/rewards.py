"""Tables of rewards that record which rewards are read, and where they are truncated."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .draws import TracedFloat


class Reward(TracedFloat):
    """A reward that records the level and the center of its truncation."""

    noted: list[float]
    center: float

    def __add__(self, x):
        return float(self) + x

    def __mul__(self, x):
        return float(self) * x

    def __sub__(self, center):
        return Reward(float(self) - float(center), self.noted, self.center + float(center))

    def __abs__(self):
        return Size(abs(float(self)), self.noted, self.center)


class Size(Reward):
    """The absolute value of a reward minus a center, which records a comparison with a level."""

    def __le__(self, level):
        self.noted[:] = [self.center, float(level)]
        return float(self) <= float(level)

    __lt__ = __le__

    def __gt__(self, level):
        return not self <= level

    __ge__ = __gt__
    __hash__ = float.__hash__


Places = Sequence[tuple[int, int]]  # rounds and arms


class Rewards:
    """A table of rewards that notes which rewards an algorithm reads.

    Attributes:
        reads: the round and the arm of each reward that was read, in turn.
        truncated: the center and the level of the truncation of each watched reward.
    """

    def __init__(self, table: np.ndarray, watched: Places = ()):
        self.table, self.shape = table, table.shape
        self.reads: list[tuple[int, int]] = []
        self.truncated: dict[tuple[int, int], list[float]] = {w: [0.0, math.inf] for w in watched}

    def __getitem__(self, place):
        place = int(place[0]), int(place[1])
        self.reads.append(place)
        x = self.table[place]
        noted = self.truncated.get(place)
        return x if noted is None else Reward(x, noted, 0.0)


class RoundingUniforms:
    """The uniform numbers that decide how rewards are rounded.

    The number for a round and an arm is the same in all replays, even if the replays read other
    rewards before.
    """

    def __init__(self, reads: Places):
        self.reads = reads

    def random(self) -> float:
        return float(np.random.default_rng(self.reads[-1]).random())
