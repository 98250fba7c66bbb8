"""Rewards that note which of them are read, and where they are truncated."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .draws import TracedFloat


class Reward(TracedFloat):
    """A reward that notes at what level it is truncated around what center."""

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
    """The absolute value of a reward."""

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
    """A table of rewards that notes which are read.

    Attributes:
        reads: round and arm of each reward read, in turn.
        truncated: center and level of the truncation of watched rewards.
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
    """The uniform numbers by which rewards are rounded: those of a round and an arm are the same in
    all replays, whatever is read before.
    """

    def __init__(self, reads: Places):
        self.reads = reads

    def random(self) -> float:
        return float(np.random.default_rng(self.reads[-1]).random())
