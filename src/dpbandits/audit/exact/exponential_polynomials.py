"""Piecewise exponential polynomials with rational breakpoints and coefficients in interval
arithmetic.

They contain the density of Laplace noise and are closed under products, shifts and integration.
The coefficients are the balls of python-flint's ``arb``: a computed ball contains the exact number.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache
from typing import Any

Number = Any  # python-flint has no types: fmpq, exact, for places, and arb, a ball, for values
Terms = dict[tuple[int, int], Number]  # {(k, d): c} is the sum of c x^d e^(k rate x)


class Rate:
    """The unit of all exponents, a positive rational number, and the powers of e^rate."""

    def __init__(self, rate: Number):
        from flint import arb

        self.rate = rate
        self.ball = arb(rate)
        self.one = arb(1)
        self.power = cache(lambda k, x: (self.ball * arb(x * k)).exp())

    def laplace(self, k: int, center: Number) -> Piecewise:
        """The density of ``center + Lap(1/(k rate))``."""
        half = self.ball * k / 2
        rising = {(k, 0): half * self.power(-k, center)}
        falling = {(-k, 0): half * self.power(k, center)}
        return Piecewise(self, [center], [rising, falling])


class Piecewise:
    """A function on the real line.

    Attributes:
        unit: the unit of the exponents.
        places: the breakpoints, n increasing fmpq.
        pieces: the terms on each of the n + 1 intervals between them.
    """

    def __init__(self, unit: Rate, places: list[Number], pieces: list[Terms]):
        self.unit, self.places, self.pieces = unit, places, pieces

    def __mul__(self, other: Piecewise) -> Piecewise:
        return self._merged(other, _product)

    def __sub__(self, other: Piecewise) -> Piecewise:
        return self._merged(other, _difference)

    def _merged(self, other, combine):
        places = sorted({*self.places, *other.places})
        pieces, i, j = [], 0, 0
        for x in [*places, None]:
            pieces.append(combine(self.pieces[i], other.pieces[j]))
            i += i < len(self.places) and self.places[i] == x
            j += j < len(other.places) and other.places[j] == x
        return Piecewise(self.unit, places, pieces)

    def shifted(self, u: Number) -> Piecewise:
        """The function x -> f(x + u)."""
        from flint import arb

        pieces = []
        powers = [arb(1)]
        for terms in self.pieces:
            moved: Terms = {}
            for (k, d), c in terms.items():
                scaled = c * self.unit.power(k, u) if k else c
                while len(powers) <= d:
                    powers.append(powers[-1] * arb(u))
                for j in range(d + 1):
                    part = scaled * powers[d - j] * math.comb(d, j) if d > j else scaled
                    _add(moved, (k, j), part)
            pieces.append(moved)
        return Piecewise(self.unit, [x - u for x in self.places], pieces)

    def integral(self) -> Piecewise:
        """The function x -> the integral of f from minus infinity to x.

        Each term of the leftmost piece must vanish at minus infinity.
        """
        pieces: list[Terms] = []
        for i, terms in enumerate(self.pieces):
            found = self._antiderivative(terms)
            if i:
                x = self.places[i - 1]
                _add(found, (0, 0), self._value(pieces[-1], x) - self._value(found, x))
            pieces.append(found)
        return Piecewise(self.unit, self.places, pieces)

    def total(self) -> Number:
        """The integral over the real line.

        Each term of the outer pieces must vanish at its end of the line.
        """
        return self.integral().pieces[-1][0, 0]

    def _antiderivative(self, terms):
        found: Terms = {}
        for (k, d), c in terms.items():
            if k == 0:
                _add(found, (0, d + 1), c / (d + 1))
                continue
            slope = self.unit.ball * k
            part = c / slope
            for j in range(d, -1, -1):  # integration by parts
                _add(found, (k, j), part)
                part = -part * j / slope
        return found

    def _value(self, terms, x):
        from flint import arb

        total = arb(0)
        for (k, d), c in terms.items():
            value = c * self.unit.power(k, x) if k else c
            total += value * arb(x) ** d if d else value
        return total

    def at(self, x: Number) -> Number:
        """The value at a place, fmpq; at a breakpoint that of the piece to its left."""
        return self._value(self.pieces[bisect_left(self.places, x)], x)


def _add(terms: Terms, key: tuple[int, int], c: Number) -> None:
    terms[key] = terms[key] + c if key in terms else c


def _product(one: Terms, two: Terms) -> Terms:
    found: Terms = {}
    for (k, d), c in one.items():
        for (l, e), b in two.items():
            _add(found, (k + l, d + e), c * b)
    return found


def _difference(one: Terms, two: Terms) -> Terms:
    found = dict(one)
    for key, c in two.items():
        _add(found, key, -c)
    return found
