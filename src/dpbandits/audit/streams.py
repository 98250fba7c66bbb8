"""Random numbers that are recorded in one run and replayed, shifted, in another.

``Recorder`` draws the numbers of a run, with the scale at which each is used and with what is added
to it. ``Shifted`` gives them to a run on other rewards, shifted as an alignment says. ``Replay``
gives plain numbers, so that a run with it is the run of any generator that happens to draw them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

CLOSE = 1e-9  # relative; differences below are rounding
EPSILON = float(np.finfo(float).eps)  # of rounding
LAPLACE, NORMAL, UNIFORM = "Laplace", "normal", "uniform"
DISCRETE, SKELLAM = "discrete Laplace", "Skellam"  # integers, drawn at their scale
INTEGERS = (DISCRETE, SKELLAM)
REFUSED = ("spawn", "bit_generator")  # they give other generators


@dataclass
class Draw:
    """A random number of a run.

    Attributes:
        kind: LAPLACE, NORMAL, DISCRETE, SKELLAM, UNIFORM, or the generator's method.
        z: the number; noise has scale 1, but integers theirs, and Laplace noise may be the sum of
            ``shape`` draws.
        shape: see ``z``; the scale of integers; the arguments of another method.
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
        return self.kind in (LAPLACE, NORMAL, *INTEGERS)


class Noise(float):
    """``factor`` times a draw of noise, plus what has been added to it."""

    __array_ufunc__ = None  # NumPy's numbers leave arithmetic to it

    stream: Stream
    draw: Draw
    factor: float
    pure: bool  # whether nothing has been added
    at: float  # the shift that it contains

    def __new__(cls, value, stream, draw, factor, pure):
        number = super().__new__(cls, value)
        number.stream, number.draw, number.factor, number.pure = stream, draw, factor, pure
        number.at = draw.shift
        return number

    def now(self) -> float:
        """Its value with the shift that the draw has got by now."""
        return float(self) + self.factor * (self.draw.shift - self.at)

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
        if isinstance(c, Noise):
            return self.now() * c.now()
        c = float(c)
        if self.pure:
            self.draw.scale = abs(self.factor * c)
        return Noise(self.now() * c, self.stream, self.draw, self.factor * c, self.pure)

    __rmul__ = __mul__

    def __truediv__(self, c):
        if isinstance(c, np.ndarray | Noise):
            return self * (1.0 / c)
        c = float(c)
        if self.pure:
            self.draw.scale = abs(self.factor / c)
        return Noise(self.now() / c, self.stream, self.draw, self.factor / c, self.pure)

    def __rtruediv__(self, c):
        return c / self.now()

    def __neg__(self):
        return Noise(-self.now(), self.stream, self.draw, -self.factor, self.pure)

    def __pos__(self):
        return self

    def __lt__(self, x):
        return self.now() < float(x)

    def __le__(self, x):
        return self.now() <= float(x)

    def __gt__(self, x):
        return self.now() > float(x)

    def __ge__(self, x):
        return self.now() >= float(x)

    __hash__ = float.__hash__


class Half(float):
    """``factor`` times one of two variables whose difference is Laplace noise."""

    __array_ufunc__ = None

    stream: Stream
    draw: Draw
    first: bool
    factor: float

    def __new__(cls, value, stream, draw, first, factor=1.0):
        number = super().__new__(cls, value)
        number.stream, number.draw, number.first, number.factor = stream, draw, first, factor
        return number

    def __sub__(self, other):
        if isinstance(other, Half) and other.draw is self.draw and self.first != other.first:
            sign = 1.0 if self.first else -1.0
            noise = Noise(sign * self.draw.z, self.stream, self.draw, sign, True)
            if self.factor == other.factor:
                return noise if self.factor == 1.0 else self.factor * noise
        return float(self) - float(other)

    def __mul__(self, c):
        c = float(c)
        return Half(float(self) * c, self.stream, self.draw, self.first, self.factor * c)

    __rmul__ = __mul__


class Uniform(float):
    """A uniform number in [0, 1) that notes what it is compared with."""

    __array_ufunc__ = None

    stream: Stream
    draw: Draw

    def __new__(cls, value, stream, draw):
        number = super().__new__(cls, value)
        number.stream, number.draw = stream, draw
        return number

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

    It is below any tolerance, so that the probability itself is computed and compared. ``Replay``
    gives the distance itself: an algorithm for which this matters differs from its replay.
    """

    def __abs__(self):
        return Near(0.0)


class Stream:
    """What the three generators have in common: the methods of ``numpy.random.Generator``.

    Attributes:
        draws: the numbers drawn so far.
        reads: the rewards read so far.
        moved: what has made the numbers of a replay differ in another way than by shifts.
    """

    plain = False

    def __init__(self, reads: Sequence[Any]):
        self.draws: list[Draw] = []
        self.reads = reads
        self.moved: str | None = None
        self._half: dict[Any, Draw] = {}

    def draw(self, kind: str, shape: Any = 1, *call: Any) -> Draw:
        """The next number."""
        drawn = self.next(kind, shape, *call)
        drawn.place = len(self.reads)
        self.draws.append(drawn)
        return drawn

    def next(self, kind: str, shape: Any, *call: Any) -> Draw:
        raise NotImplementedError

    def added(self, noise: Noise, x: float) -> Noise:
        """The sum of noise and a number."""
        value = noise.now() + x
        noise.draw.added.append(x)
        noise.draw.sums.append(value)
        return Noise(value, self, noise.draw, noise.factor, False)

    def compared(self, draw: Draw, chance: float) -> bool:
        """Whether a uniform number is below a probability."""
        below = bool(draw.z < chance)
        draw.chances.append((chance, below))
        return below

    def _noise(self, draw):
        return draw.z if self.plain else Noise(draw.z, self, draw, 1.0, True)

    def _halves(self, shape):
        first = shape not in self._half
        draw = self.draw(LAPLACE, shape) if first else self._half.pop(shape)
        if first:
            self._half[shape] = draw
        value = max(draw.z, 0.0) if first else max(-draw.z, 0.0)
        return value if self.plain else Half(value, self, draw, first)

    def _many(self, size, one):
        if size is None:
            return one()
        values = [one() for _ in range(int(np.prod(size)))]
        return np.array(values, float if self.plain else object).reshape(size)

    def standard_exponential(self, size=None):
        return self._many(size, lambda: self._halves(1))

    def exponential(self, scale=1.0, size=None):
        return self._many(size, lambda: scale * self._halves(1))

    def standard_gamma(self, shape, size=None):
        return self._many(size, lambda: self._halves(float(shape)))

    def standard_normal(self, size=None):
        return self._many(size, lambda: self._noise(self.draw(NORMAL)))

    def normal(self, loc=0.0, scale=1.0, size=None):
        def one():
            noise = scale * self._noise(self.draw(NORMAL))
            return noise + loc if loc else noise

        return self._many(size, one)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        def one():
            noise = scale * self._noise(self.draw(LAPLACE))
            return noise + loc if loc else noise

        return self._many(size, one)

    def discrete_laplace(self, scale):
        """Discrete Laplace noise: the probability of k is proportional to e^(-|k|/scale)."""
        return self._noise(self.draw(DISCRETE, float(scale)))

    def skellam(self, scale):
        """The difference of two Poisson variables, of variance scale^2."""
        return self._noise(self.draw(SKELLAM, float(scale)))

    def random(self, size=None):
        def one():
            draw = self.draw(UNIFORM)
            return draw.z if self.plain else Uniform(draw.z, self, draw)

        return self._many(size, one)

    def uniform(self, low=0.0, high=1.0, size=None):
        return self._many(size, lambda: low + (high - low) * self.random())

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Any other method: its numbers must have the same law in all replays."""
        if name.startswith("_") or name in REFUSED:
            raise AttributeError(f"an alignment cannot follow rng.{name}")
        return lambda *given, **named: self.draw(name, 1, given, named).z


class Recorder(Stream):
    """The numbers of a run: given ones first, then fresh ones.

    Args:
        reads: the rewards read so far.
        rng: generator of fresh numbers.
        size: fresh noise is multiplied by this; an alignment must hold for noise of every size.
        given: draws of an earlier run.
    """

    def __init__(self, reads, rng: np.random.Generator, size: float, given: Sequence[Draw] = ()):
        super().__init__(reads)
        self.rng, self.size, self.given = rng, size, given

    def next(self, kind, shape, *call):
        if len(self.draws) < len(self.given):
            before = self.given[len(self.draws)]
            if before.kind == kind:
                return Draw(kind, before.z, before.shape)
        if kind == LAPLACE:
            if shape == 1:
                return Draw(kind, self.size * self.rng.laplace(), shape)
            z = self.rng.standard_gamma(shape) - self.rng.standard_gamma(shape)
            return Draw(kind, self.size * z, shape)
        if kind == NORMAL:
            return Draw(kind, self.size * self.rng.standard_normal(), shape)
        if kind == UNIFORM:
            return Draw(kind, self._uniform(), shape)
        if kind in INTEGERS:
            one, two = self._counts(kind, shape)
            return Draw(kind, float(np.rint(self.size * (one - two))), shape)
        given, named = _numbers(call)
        return Draw(kind, getattr(self.rng, kind)(*given, **named), (given, named))

    def _counts(self, kind, scale):
        """The two counts whose difference is integer noise."""
        if kind == SKELLAM:
            return self.rng.poisson(scale * scale / 2.0, 2)
        return np.floor(scale * self.rng.standard_exponential(2))

    def _uniform(self):
        """Any number in (0, 1), often close to one end: rare events happen."""
        u, where = self.rng.random(), self.rng.random()
        if where < 0.6:
            return u
        near = 10.0 ** (-4.0 * u) / 2.0
        return near if where < 0.8 else 1.0 - near


class Shifted(Stream):
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
        super().__init__(reads)
        self.before, self.declared = before, declared
        self.released: set[int] = set()  # of draws whose shift is that of a statistic
        self.bits = 0
        self._number: dict[int, int] = {}

    def next(self, kind, shape, *call):
        i = len(self.draws)
        if i >= len(self.before) or self.before[i].kind != kind:
            self.moved = self.moved or "the draws are others"
            zero = 0.5 if kind == UNIFORM else 0.0
            drawn = Draw(kind, zero, shape)
        else:
            before = self.before[i]
            if not _same(before.shape, _numbers(call) if call else shape):
                self.moved = self.moved or f"the law of a {kind} draw depends on the reward"
            shift = 0.0
            if self.declared.get(i):
                shift = self.declared[i] / before.scale if before.scale else math.inf
            z = before.z + shift if shift else before.z
            drawn = Draw(kind, z, before.shape, shift=shift)
        self._number[id(drawn)] = i
        return drawn

    def added(self, noise, x):
        draw, i = noise.draw, self._number[id(noise.draw)]
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
        i, k = self._number[id(draw)], len(draw.chances)
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


class Replay(Stream):
    """The numbers of a run as plain numbers."""

    plain = True

    def __init__(self, reads, before: Sequence[Draw]):
        super().__init__(reads)
        self.before = before

    def next(self, kind, shape, *call):
        i = len(self.draws)
        if i >= len(self.before) or self.before[i].kind != kind:
            self.moved = self.moved or "the draws are others"
            return Draw(kind, 0.5, shape)
        before = self.before[i]
        if call and not _same(before.shape, _numbers(call)):
            self.moved = self.moved or f"the law of a {kind} draw depends on the reward"
        return Draw(kind, before.z, before.shape)


def _numbers(call):
    """The arguments of a method as plain numbers."""
    given, named = call
    plain = lambda x: float(x) if isinstance(x, float) else x  # noqa: E731
    return tuple(map(plain, given)), {k: plain(v) for k, v in named.items()}


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
