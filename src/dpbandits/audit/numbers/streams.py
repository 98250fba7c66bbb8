"""Random generators whose numbers record all operations on them. ``Recorder`` records a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import binom

from .draws import (
    CHOICE,
    COINS,
    DISCRETE,
    INTEGERS,
    LAPLACE,
    NOISE,
    NORMAL,
    SKELLAM,
    UNIFORM,
    Draw,
    ExponentialPart,
    Noise,
    Uniform,
    in_array,
    plain_number,
)

# The largest number of outcomes whose probabilities are recorded
MAX_NOTED_OUTCOMES = 64


class Stream:
    """The base class of the generators of a replay, with methods of ``numpy.random.Generator``.

    Attributes:
        plain: whether the numbers are plain numbers, which record nothing.
        of_package: whether an algorithm of the package draws the numbers (see ``ApproxDistance``).
        draws: the numbers drawn so far.
        reads: the rewards read so far; a game adds each reward that it reads to this list.
        halves: draws of Laplace noise, which is the difference of two variables, of which only the
            first variable has been returned so far. The keys are the shape and the position in an
            array.
    """

    plain = False
    of_package = True

    def __init__(self) -> None:
        self.draws: list[Draw] = []
        self.reads: Sequence[Any] = []
        self.halves: dict[Any, Draw] = {}

    def draw(self, kind: str, shape: Any = 1) -> Draw:
        """Make the next draw, and add it to ``draws``."""
        drawn = self.next(kind, shape)
        drawn.number, drawn.place = len(self.draws), len(self.reads)
        self.draws.append(drawn)
        return drawn

    def next(self, kind: str, shape: Any) -> Draw:
        """Return the next draw, which ``draw`` adds to ``draws``."""
        raise NotImplementedError

    def added(self, noise: Noise, x: float) -> Noise:
        """Record the addition of a number to noise, and return the sum."""
        value = noise.now() + x
        noise.draw.added.append(x)
        noise.draw.sums.append(value)
        return Noise(value, self, noise.draw, noise.factor, False)

    def compared(self, draw: Draw, chance: float) -> bool:
        """Record whether a uniform number is below a probability, and return the result."""
        return draw.compare(chance, bool(draw.z < chance))

    def chosen(self, law: Any) -> int:
        """Draw a number below ``len(law)``, with the probabilities ``law``."""
        return int(self.draw(CHOICE, tuple(map(float, law))).z)

    def _noise(self, kind, shape=1):
        draw = self.draw(kind, shape)
        return draw.z if self.plain else Noise(draw.z, self, draw, 1.0, True)

    def _located(self, kind, loc, scale, size):
        """Draw noise, and record the addition of its location even if the location is 0, since the
        location may be a statistic that is 0. If the location is 0, the policy may still add a
        statistic to the noise later.
        """

        def one(_, x, s):
            noise = s * self._noise(kind)
            total = noise + x
            if self.plain or x != 0:
                return total
            return Noise(float(total), self, noise.draw, noise.factor, True)

        return self._many(size, one, loc, scale)

    def _halves(self, shape, place=None):
        draw, sign = self.halves.pop((shape, place), None), -1.0
        if draw is None:
            draw, sign = self.draw(LAPLACE, shape), 1.0
            self.halves[shape, place] = draw
        value = draw.base + max(sign * draw.z, 0.0)
        return value if self.plain else ExponentialPart(value, self, draw, sign, 1.0)

    def _many(self, size, one, *parameters):
        """Draw one number, or an array if ``size`` is given or a parameter is an array.

        ``one(place, *parameters)`` draws a number; ``place`` is the index of the number in the
        array, or None if there is no array.
        """
        if size is None and not any(np.ndim(x) for x in parameters):
            return one(None, *parameters)
        whole = np.empty(() if size is None else size, bool)
        each = np.broadcast(whole, *(np.asarray(x, object) for x in parameters))
        values = np.empty(each.shape, object)
        for place, (_, *given) in enumerate(each):
            values.flat[place] = one(place, *given)
        return in_array(values)

    def standard_exponential(self, size=None):
        return self._many(size, lambda i: self._halves(1, i))

    def exponential(self, scale=1.0, size=None):
        return self._many(size, lambda i, s: s * self._halves(1, i), scale)

    def standard_gamma(self, shape, size=None):
        return self._many(size, lambda i, k: self._halves(float(k), i), shape)

    def standard_normal(self, size=None):
        return self._many(size, lambda _: self._noise(NORMAL))

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self._located(NORMAL, loc, scale, size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return self._located(LAPLACE, loc, scale, size)

    def discrete_laplace(self, scale):
        """Draw discrete Laplace noise: the probability of k is proportional to e^(-|k|/scale)."""
        return self._noise(DISCRETE, float(scale))

    def skellam(self, scale):
        """Draw Skellam noise, the difference of two Poisson variables, of variance scale^2."""
        return self._noise(SKELLAM, float(scale))

    def coins(self, n):
        """Draw the number of heads of n fair coins."""
        return self._noise(COINS, float(n))

    def random(self, size=None):
        return self.uniform(size=size)

    def uniform(self, low=0.0, high=1.0, size=None):
        def one(_, low, high):
            draw = self.draw(UNIFORM)
            value = low + (high - low) * draw.z
            return value if self.plain else Uniform(value, self, draw, low, high - low)

        return self._many(size, one, low, high)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        values = range(int(a)) if np.ndim(a) == 0 else a
        if axis != 0 or not (replace or size is None):
            given = {"axis": axis, "shuffle": shuffle, "p": p if p is None else plain_number(p)}
            return self._other("choice", a, size, replace, **given)
        law = np.full(len(values), 1.0 / len(values)) if p is None else np.asarray(plain_number(p))
        if len(law) != len(values) or not (law.min() >= 0.0 and abs(law.sum() - 1.0) < 1e-6):
            raise ValueError("probabilities are no law of the outcomes")
        return self._many(size, lambda _: values[self.chosen(law)])

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        if np.ndim(low) == 0 and np.ndim(high) == 0:
            start, stop = (0, int(low)) if high is None else (int(low), int(high))
            n = stop + endpoint - start
            if 0 < n <= MAX_NOTED_OUTCOMES:
                law = np.full(n, 1.0 / n)
                return self._many(size, lambda _: start + self.chosen(law))
        return self._other("integers", low, high, size, dtype, endpoint)

    def binomial(self, n, p, size=None):
        if np.max(n) > MAX_NOTED_OUTCOMES:
            return self._other("binomial", n, p, size)

        def one(_, n, p):
            return self.chosen(binom.pmf(np.arange(int(n) + 1), int(n), float(p)))

        return self._many(size, one, n, p)

    def multinomial(self, n, pvals, size=None):
        if n != 1 or size is not None:
            return self._other("multinomial", n, pvals, size)
        found = np.zeros(len(pvals), np.int64)
        found[self.chosen(plain_number(np.asarray(pvals)))] = 1
        return found

    def shuffle(self, x, axis=0):
        shuffle(self, x)

    def spawn(self, n_children):
        return [self] * n_children

    def __deepcopy__(self, memo):
        raise AttributeError("an alignment cannot follow a copy of rng")

    def _other(self, name, *given, **named):
        """Draw numbers of another law; the replays are valid only if this law is the same in all of
        them.
        """
        plain = {key: plain_number(x) for key, x in named.items()}
        return self.draw(name, (tuple(map(plain_number, given)), plain)).z

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return any other method of a generator; its numbers must have the same law in all
        replays.
        """
        if name.startswith("_") or name == "bit_generator":
            # a bit generator can make other generators
            raise AttributeError(f"an alignment cannot follow rng.{name}")
        return lambda *given, **named: self._other(name, *given, **named)


class Recorder(Stream):
    """A generator that records a run. The generator first returns given numbers and then fresh
    numbers.

    Args:
        rng: generator of fresh numbers, or its seed.
        size: factor by which fresh noise is multiplied, since an alignment must hold for noise of
            every size.
        given: draws of an earlier run, which are returned first.
    """

    def __init__(self, rng: np.random.Generator | int, size: float, given: Sequence[Draw] = ()):
        super().__init__()
        self.rng, self.size, self.given = np.random.default_rng(rng), size, given

    def next(self, kind, shape):
        if len(self.draws) < len(self.given):
            before = self.given[len(self.draws)]
            if before.kind == kind and (kind != CHOICE or before.z < len(shape)):
                return Draw(kind, before.z, shape if kind == CHOICE else before.shape)
        if kind == UNIFORM:
            return Draw(kind, self._uniform(), shape)
        if kind == CHOICE:
            law = np.divide(shape, math.fsum(shape))
            return Draw(kind, int(self.rng.choice(len(law), p=law)), shape)
        if kind in NOISE:
            one, two = self._noise_of(kind, shape)
            z = self.size * (one - two)
            z = float(np.rint(z)) if kind in INTEGERS else z
            return Draw(kind, z, shape, base=self.size * min(one, two))
        given, named = shape
        return Draw(kind, getattr(self.rng, kind)(*given, **named), shape)

    def _noise_of(self, kind, shape):
        """Draw two variables whose difference is noise. Continuous noise has scale 1, integer noise
        its own scale.
        """
        if kind == NORMAL:
            return self.rng.standard_normal(), 0.0
        if kind == LAPLACE:
            return self.rng.standard_gamma(shape, 2)
        if kind == COINS:
            return self.rng.binomial(int(shape), 0.5), 0.0
        if kind == SKELLAM:
            return self.rng.poisson(shape * shape / 2.0, 2)
        return np.floor(shape * self.rng.standard_exponential(2))

    def _uniform(self):
        """Draw a number in (0, 1), often close to 0 or 1, so that rare events happen."""
        u, where = self.rng.random(), self.rng.random()
        if where < 0.6:
            return u
        near = 10.0 ** (-4.0 * u) / 2.0
        return near if where < 0.8 else 1.0 - near


def shuffle(rng: Any, x: Any) -> None:
    """Shuffle an array or a list; a generator draws the permutation."""
    order = [int(i) for i in rng.permutation(len(x))]
    x[:] = x[order] if isinstance(x, np.ndarray) else [x[i] for i in order]
