"""Draws of random numbers, and numbers that note what an algorithm does with a draw."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import get_annotations
from typing import Any, ClassVar

import numpy as np

LAPLACE, NORMAL, UNIFORM = "Laplace", "normal", "uniform"
DISCRETE, SKELLAM = "discrete Laplace", "Skellam"  # integers, drawn at their scale
INTEGERS = (DISCRETE, SKELLAM)
NOISE = (LAPLACE, NORMAL, *INTEGERS)


@dataclass
class Draw:
    """A random number of a run.

    Attributes:
        kind: LAPLACE, NORMAL, DISCRETE, SKELLAM, UNIFORM, or the generator's method.
        z: the number; noise has scale 1, but integers theirs, and Laplace noise may be the sum of
            ``shape`` draws.
        shape: see ``z``; the scale of integers; the arguments of another method.
        number: its place among the draws of its run.
        place: the number of rewards read before it.
        scale: by what noise is multiplied before anything is added to it; None if never.
        added: what is added to noise, in turn.
        sums: the sums.
        chances: what a uniform number is compared with, in turn.
        shift: by how much ``z`` exceeds that of the recorded draw, at scale 1.
        cost: of the shift, in nats.
        rounding: how far ``cost`` may be off, since probabilities are rounded.
    """

    kind: str
    z: Any
    shape: Any = 1
    number: int = 0
    place: int = 0
    scale: float | None = None
    added: list[float] = field(default_factory=list)
    sums: list[float] = field(default_factory=list)
    chances: list[tuple[float, bool]] = field(default_factory=list)
    shift: float = 0.0
    cost: float = 0.0
    rounding: float = 0.0

    @property
    def is_noise(self) -> bool:
        return self.kind in NOISE


class Noted(float):
    """A number with notes: the attributes that its class annotates, in their order."""

    __array_ufunc__ = None  # NumPy's numbers leave arithmetic to it
    notes: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls):
        cls.notes = (*cls.notes, *get_annotations(cls))

    def __new__(cls, value, *notes):
        number = super().__new__(cls, value)
        number.__dict__.update(zip(cls.notes, notes, strict=True))
        return number


def _compared(holds: Callable[[float, float], bool]) -> Callable[[Noise, Any], bool]:
    return lambda noise, x: holds(noise.now(), float(x))


class Noise(Noted):
    """``factor`` times a draw of noise, plus what has been added to it."""

    stream: Any
    draw: Draw
    factor: float
    pure: bool  # whether nothing has been added
    at: float  # the shift that it contains

    def __new__(cls, value, stream, draw, factor, pure):
        return super().__new__(cls, value, stream, draw, factor, pure, draw.shift)

    def now(self) -> float:
        """Its value with the shift that the draw has got by now."""
        return float(self) + self.factor * (self.draw.shift - self.at)

    def _scaled(self, by, c):
        """The product or the quotient with a number."""
        c, factor = float(c), by(self.factor, float(c))
        if self.pure:
            self.draw.scale = abs(factor)
        return Noise(by(self.now(), c), self.stream, self.draw, factor, self.pure)

    def __add__(self, x):
        if isinstance(x, np.ndarray):
            return np.array([float(self + y) for y in x.flat]).reshape(x.shape)
        if isinstance(x, Noise):
            return self.now() + x.now()
        return self.stream.added(self, float(x))

    __radd__ = __add__

    def __sub__(self, x):
        return self + (-x)

    def __rsub__(self, x):
        return (-self) + x

    def __mul__(self, c):
        if isinstance(c, np.ndarray):
            return np.array([self * y for y in c.flat], object).reshape(c.shape)
        return self.now() * c.now() if isinstance(c, Noise) else self._scaled(operator.mul, c)

    __rmul__ = __mul__

    def __truediv__(self, c):
        if isinstance(c, np.ndarray | Noise):
            return self * (1.0 / c)
        return self._scaled(operator.truediv, c)

    def __rtruediv__(self, c):
        return c / self.now()

    def __neg__(self):
        return Noise(-self.now(), self.stream, self.draw, -self.factor, self.pure)

    def __pos__(self):
        return self

    __lt__, __le__ = _compared(operator.lt), _compared(operator.le)
    __gt__, __ge__ = _compared(operator.gt), _compared(operator.ge)
    __hash__ = float.__hash__


class Half(Noted):
    """``factor`` times one of two variables whose difference is Laplace noise."""

    stream: Any
    draw: Draw
    first: bool
    factor: float

    def __sub__(self, other):
        if (
            isinstance(other, Half)
            and other.draw is self.draw
            and other.factor == self.factor
            and self.first != other.first
        ):
            sign = 1.0 if self.first else -1.0
            noise = Noise(sign * self.draw.z, self.stream, self.draw, sign, True)
            return noise if self.factor == 1.0 else noise * self.factor
        return float(self) - float(other)

    def __mul__(self, c):
        c = float(c)
        return Half(float(self) * c, self.stream, self.draw, self.first, self.factor * c)

    __rmul__ = __mul__


class Uniform(Noted):
    """A uniform number in [0, 1) that notes what it is compared with."""

    stream: Any
    draw: Draw

    def __lt__(self, chance):
        return self.stream.compared(self.draw, float(chance))

    __le__ = __lt__

    def __ge__(self, chance):
        return not self < chance

    __gt__ = __ge__
    __hash__ = float.__hash__

    def __sub__(self, x):
        return Near(float(self) - float(x))

    def __rsub__(self, x):
        return Near(float(x) - float(self))


class Near(float):
    """The distance of a uniform number to an approximation of a probability.

    It is below any tolerance, so that the probability itself is computed and compared. A replay
    gives the distance itself: an algorithm for which this matters differs from its replay.
    """

    def __abs__(self):
        return Near(0.0)
