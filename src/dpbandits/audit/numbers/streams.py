"""Generators whose numbers note what is done to them, and the one that records a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import draws
from .draws import LAPLACE, NORMAL, SKELLAM, UNIFORM, Draw, Half, Noise, Uniform

REFUSED = ("spawn", "bit_generator")  # they give other generators


class Stream:
    """What the generators of a replay have in common: methods of ``numpy.random.Generator``.

    Attributes:
        plain: whether the numbers are plain ones, which note nothing.
        draws: the numbers drawn so far.
        reads: the rewards read so far.
        halves: of Laplace noise of each shape the draw of which one variable was given.
        moved: what has made the numbers of a replay differ in another way than by shifts.
    """

    plain = False

    def __init__(self, reads: Sequence[Any]):
        self.draws: list[Draw] = []
        self.reads = reads
        self.moved: str | None = None
        self.halves: dict[Any, Draw] = {}

    def draw(self, kind: str, shape: Any = 1, *call: Any) -> Draw:
        """The next number."""
        drawn = self.next(kind, shape, *call)
        drawn.number, drawn.place = len(self.draws), len(self.reads)
        self.draws.append(drawn)
        return drawn

    def next(self, kind: str, shape: Any, *call: Any) -> Draw:
        """The draw that ``draw`` adds to the others."""
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

    def _noise(self, kind, shape=1):
        draw = self.draw(kind, shape)
        return draw.z if self.plain else Noise(draw.z, self, draw, 1.0, True)

    def _located(self, kind, loc, scale, size):
        def one():
            noise = scale * self._noise(kind)
            return noise + loc if loc else noise

        return self._many(size, one)

    def _halves(self, shape):
        first = shape not in self.halves
        draw = self.draw(LAPLACE, shape) if first else self.halves.pop(shape)
        if first:
            self.halves[shape] = draw
        value = max(draw.z, 0.0) if first else max(-draw.z, 0.0)
        return value if self.plain else Half(value, self, draw, first, 1.0)

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
        return self._many(size, lambda: self._noise(NORMAL))

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self._located(NORMAL, loc, scale, size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return self._located(LAPLACE, loc, scale, size)

    def discrete_laplace(self, scale):
        """Discrete Laplace noise: the probability of k is proportional to e^(-|k|/scale)."""
        return self._noise(draws.DISCRETE, float(scale))

    def skellam(self, scale):
        """The difference of two Poisson variables, of variance scale^2."""
        return self._noise(SKELLAM, float(scale))

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
        if kind == UNIFORM:
            return Draw(kind, self._uniform(), shape)
        if kind in draws.NOISE:
            z = self.size * self._noise_of(kind, shape)
            return Draw(kind, float(np.rint(z)) if kind in draws.INTEGERS else z, shape)
        given, named = plain_call(call)
        return Draw(kind, getattr(self.rng, kind)(*given, **named), (given, named))

    def _noise_of(self, kind, shape):
        """A fresh draw of noise: at scale 1, integers at theirs."""
        if kind == NORMAL:
            return self.rng.standard_normal()
        if kind == LAPLACE and shape == 1:
            return self.rng.laplace()
        if kind == LAPLACE:
            return self.rng.standard_gamma(shape) - self.rng.standard_gamma(shape)
        if kind == SKELLAM:
            one, two = self.rng.poisson(shape * shape / 2.0, 2)
        else:
            one, two = np.floor(shape * self.rng.standard_exponential(2))
        return one - two

    def _uniform(self):
        """Any number in (0, 1), often close to one end: rare events happen."""
        u, where = self.rng.random(), self.rng.random()
        if where < 0.6:
            return u
        near = 10.0 ** (-4.0 * u) / 2.0
        return near if where < 0.8 else 1.0 - near


def plain_call(call):
    """The arguments of a method as plain numbers."""
    given, named = call
    plain = lambda x: float(x) if isinstance(x, float) else x  # noqa: E731
    return tuple(map(plain, given)), {k: plain(v) for k, v in named.items()}
