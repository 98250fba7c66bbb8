"""Draws of random numbers, and kinds of float that record the operations on a draw."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import get_annotations
from typing import Any, ClassVar

import numpy as np

LAPLACE, NORMAL, UNIFORM = "Laplace", "normal", "uniform"
# Laws on the integers; such noise is drawn at its scale
DISCRETE, SKELLAM = "discrete Laplace", "Skellam"
COINS = "coins"  # the number of heads among fair coins; the scale is the number of coins
CHOICE = "choice"  # the choice of one of several outcomes with given probabilities
INTEGERS = (DISCRETE, SKELLAM, COINS)
NOISE = (LAPLACE, NORMAL, *INTEGERS)


@dataclass
class Draw:
    """A random number of a run.

    Attributes:
        kind: LAPLACE, NORMAL, DISCRETE, SKELLAM, COINS, UNIFORM, CHOICE, or the name of another
            method of the generator.
        z: the number. Laplace and normal noise have scale 1, and Laplace noise may be the sum of
            ``shape`` draws. Integer noise has its own scale. For a choice, ``z`` is the index of
            the outcome.
        shape: the number of summed draws of Laplace noise, the scale of integer noise, the
            probabilities of a choice, or the arguments of another method.
        number: the index of the draw among the draws of its run.
        place: the number of rewards read before the draw.
        scale: the factor by which noise is multiplied before any number is added to it; None if
            noise is not multiplied.
        added: the numbers that are added to noise, in order.
        sums: the results of these additions.
        chances: the comparisons of a uniform number, in order: pairs of a probability, and whether
            the number is below this probability.
        used: whether a uniform number is also used other than in comparisons.
        entered: how many rewards had been read when a changed number was first added to the draw.
        shift: ``z`` minus the ``z`` of the recorded draw, at scale 1.
        base: Laplace noise is the difference of two exponential variables; ``base`` is the smaller
            of the two.
        cost: the cost of a choice or of comparisons, in nats, for the worst outcome.
        worst: the cost of the worst outcome that the comparisons have excluded.
        rounding: the possible error of ``cost`` due to the rounding of probabilities.
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
    used: bool = False
    entered: int | None = None
    shift: float = 0.0
    base: float = 0.0
    cost: float = 0.0
    worst: float = 0.0
    rounding: float = 0.0

    @property
    def is_noise(self) -> bool:
        return self.kind in NOISE

    def interval(self, k: int | None = None) -> tuple[float, float]:
        """Return the interval in which a uniform number lies, given the results of its first k
        comparisons (or of all).
        """
        seen = self.chances[:k]
        low = max([0.0, *(chance for chance, below in seen if not below)])
        return low, min([1.0, *(chance for chance, below in seen if below)])

    def share(self, chance: float, below: bool, k: int | None = None) -> float:
        """Return the length of the part of this interval that lies below (or above) a
        probability.
        """
        low, high = self.interval(k)
        return max(min(high, chance) - low if below else high - max(low, chance), 0.0)

    def compare(self, chance: float, below: bool) -> bool:
        """Record the result of a comparison, and return it."""
        self.chances.append((chance, below))
        return below


Draws = Sequence[Draw]


class TracedFloat(float):
    """A number that carries notes about its origin. Notes are attributes, which the class
    annotates.
    """

    notes: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls):
        cls.notes = (*cls.notes, *get_annotations(cls))

    def __new__(cls, value, *notes):
        number = super().__new__(cls, value)
        number.__dict__.update(zip(cls.notes, notes, strict=True))
        return number

    def __array_ufunc__(self, function, method, *numbers, **named):
        return applied(function, method, numbers, named)

    def __deepcopy__(self, memo):
        return self


class TracedArray(np.ndarray):
    """An object array of numbers with notes. NumPy's operations on the array keep the notes."""

    def __array_ufunc__(self, function, method, *numbers, **named):  # type: ignore[override]
        return applied(function, method, numbers, named)


OPERATIONS = {  # functions of NumPy, with the operators that numbers with notes define
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.divide: operator.truediv, np.negative: operator.neg, np.positive: operator.pos,
    np.absolute: operator.abs, np.less: operator.lt, np.less_equal: operator.le,
    np.greater: operator.gt, np.greater_equal: operator.ge,
}  # fmt: skip


def applied(function: Any, method: str, numbers: Any, named: dict[str, Any]) -> Any:
    """Apply a function of NumPy to numbers that carry notes.

    A function in ``OPERATIONS`` is replaced by Python's operator, which is applied to each element
    and keeps the notes. Functions that are not in ``OPERATIONS`` are applied to plain numbers.
    """
    out = named.pop("out", (None,))[0]
    operation: Any = OPERATIONS.get(function) if method == "__call__" and not named else None
    if operation is None:
        found = getattr(function, method)(*map(plain_number, numbers), **named)
    elif any(np.ndim(x) for x in numbers):
        each: Any = np.frompyfunc(operation, int(function.nin), 1)  # type: ignore[call-overload]
        found = in_array(each(*(np.asarray(x, object).view(np.ndarray) for x in numbers)))
    else:
        found = operation(*(x.item() if isinstance(x, np.generic | np.ndarray) else x
                            for x in numbers))  # fmt: skip
    if out is None:
        return found
    out[...] = found if out.dtype == object else plain_number(found)
    return out


def in_array(values: np.ndarray) -> np.ndarray:
    """Convert an object array to a ``TracedArray`` if it has notes, else to a plain array."""
    if any(isinstance(x, TracedFloat) for x in values.flat):
        return values.view(TracedArray)
    return np.array(values.tolist()).reshape(values.shape)


def array_of(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a version of ``np.array`` or ``np.asarray`` that keeps the notes of list elements."""

    def made(values: Any, dtype: Any = None, **named: Any) -> Any:
        if isinstance(values, list | tuple) and dtype in (None, float, np.float64):
            found = make(values, object)
            if any(isinstance(x, TracedFloat) for x in found.flat):
                return in_array(found)
        return make(values, dtype, **named)

    return made


def plain_number(x: Any) -> Any:
    """Return a number, or an array of numbers, without notes.

    If the number is uniform, its draw is marked as used.
    """
    if isinstance(x, Noise):
        return x.now()
    if isinstance(x, Uniform):
        x.draw.used = True
    if isinstance(x, float):
        return float.__float__(x)
    if isinstance(x, np.ndarray) and x.dtype == object:
        return np.array([plain_number(y) for y in x.flat]).reshape(x.shape)
    return x


def _compared(holds: Callable[[float, float], bool]) -> Callable[[Noise, Any], bool]:
    return lambda noise, x: holds(noise.now(), float(x))


class Noise(TracedFloat):
    """The number ``factor`` times a draw of noise, plus everything that was added to the draw."""

    stream: Any
    draw: Draw
    factor: float
    pure: bool  # whether nothing has been added to the draw
    at: float  # the shift of the draw that is part of the value

    def __new__(cls, value, stream, draw, factor, pure):
        return super().__new__(cls, value, stream, draw, factor, pure, draw.shift)

    def now(self) -> float:
        """Return the value at the current shift of the draw."""
        return float(self) + self.factor * (self.draw.shift - self.at)

    def _scaled(self, by, c):
        """Return the product or the quotient of this noise and a number."""
        c, factor = float(c), by(self.factor, float(c))
        if self.pure:
            self.draw.scale = abs(factor)
        return Noise(by(self.now(), c), self.stream, self.draw, factor, self.pure)

    def __add__(self, x):
        if isinstance(x, np.ndarray):
            return applied(np.add, "__call__", (self, x), {})
        if isinstance(x, Noise) and (
            any(self.draw.added) or any(x.draw.added) or self.draw is x.draw
        ):
            return self.now() + x.now()
        return self.stream.added(self, x.now() if isinstance(x, Noise) else float(x))

    __radd__ = __add__

    def __sub__(self, x):
        return self + (-x)

    def __rsub__(self, x):
        return (-self) + x

    def __mul__(self, c):
        if isinstance(c, np.ndarray):
            return applied(np.multiply, "__call__", (self, c), {})
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


class ExponentialPart(TracedFloat):
    """``factor`` times one of the two variables whose difference is a draw of Laplace noise.

    ``sign`` is the sign of this variable in the difference.
    """

    stream: Any
    draw: Draw
    sign: float
    factor: float

    def __sub__(self, other):
        of_draw = isinstance(other, ExponentialPart) and other.draw is self.draw
        if of_draw and other.factor == self.factor and other.sign != self.sign:
            noise = Noise(self.sign * self.draw.z, self.stream, self.draw, self.sign, True)
            return noise if self.factor == 1.0 else noise * self.factor
        return float(self) - float(other)

    def __mul__(self, c):
        c = float(c)
        return ExponentialPart(float(self) * c, self.stream, self.draw, self.sign, self.factor * c)

    __rmul__ = __mul__


class Uniform(TracedFloat):
    """``low`` plus ``width`` times a uniform number in [0, 1).

    The number records its comparisons, and whether the code uses it other than in comparisons.
    """

    stream: Any
    draw: Draw
    low: float
    width: float

    def __lt__(self, chance):
        if isinstance(chance, np.ndarray):
            return applied(np.less, "__call__", (self, chance), {})
        return self.stream.compared(self.draw, (float(chance) - self.low) / self.width)

    def __ge__(self, chance):
        if isinstance(chance, np.ndarray):
            return applied(np.greater_equal, "__call__", (self, chance), {})
        return not self < chance

    __le__, __gt__ = __lt__, __ge__
    __hash__ = float.__hash__

    def __sub__(self, x):
        distance = plain_number(self) - x
        return ApproxDistance(distance) if self.stream.of_package else distance

    def __rsub__(self, x):
        return -(self - x)


def _used(name: str) -> Callable[..., Any]:
    """Return an operator for uniform numbers whose result is a plain number."""
    return lambda number, *others: getattr(plain_number(number), name)(*others)


for _name in ("add", "radd", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "floordiv",
              "mod", "neg", "abs", "int", "float", "round", "trunc"):  # fmt: skip
    setattr(Uniform, f"__{_name}__", _used(f"__{_name}__"))


class ApproxDistance(float):
    """The distance of a uniform number to an approximation of a probability.

    An algorithm of the package computes the exact probability only if this distance is below a
    tolerance. In a recorded run the absolute distance is 0, so the algorithm always compares the
    number with the exact probability. A replay with plain numbers has the true distance. If the
    true distance changes the result of the algorithm, the recorded run and the replay differ.
    """

    def __abs__(self):
        return ApproxDistance(0.0)
