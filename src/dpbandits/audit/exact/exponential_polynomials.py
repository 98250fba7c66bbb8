"""Piecewise exponential polynomials with rational breakpoints and coefficients in interval
arithmetic.

They contain the density of Laplace noise and are closed under products, shifts and integration.
The coefficients are those of python-flint's ``arb_poly``, balls: a computed ball contains the exact
number.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from itertools import product
from typing import Any

Number = Any  # python-flint has no types: fmpq, exact, for places, and arb, a ball, for values
Terms = dict[int, Any]  # {k: p} is the sum of p(x) e^(k rate x) for polynomials p, arb_poly


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
        rising, falling = (constant(half * self.power(-side, center)) for side in (k, -k))
        return Piecewise(self, [center], [{k: rising}, {-k: falling}])

    def value(self, terms: Terms, x: Number) -> Number:
        """The value of terms at a place, fmpq."""
        place = self.one * x
        return sum(p(place) * self.power(k, x) for k, p in terms.items())

    def antiderivative(self, terms: Terms) -> Terms:
        """Terms whose derivative these are."""
        found: Terms = {}
        for k, p in terms.items():
            if k == 0:
                found[0] = p.integral()
                continue
            inverse = 1 / (self.ball * k)
            part = found[k] = p * inverse
            while part.degree() > 0:  # integration by parts
                part = part.derivative() * -inverse
                found[k] += part
        return found


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
        from flint import arb_poly

        moved = arb_poly([u, 1])
        pieces = [
            {k: p(moved) * self.unit.power(k, u) for k, p in terms.items()} for terms in self.pieces
        ]
        return Piecewise(self.unit, [x - u for x in self.places], pieces)

    def integral(self) -> Piecewise:
        """The function x -> the integral of f from minus infinity to x.

        Each term of the leftmost piece must vanish at minus infinity.
        """
        value = self.unit.value
        pieces = [self.unit.antiderivative(terms) for terms in self.pieces]
        for x, left, right in zip(self.places, pieces, pieces[1:], strict=False):
            right[0] = right.get(0, 0) + constant(value(left, x) - value(right, x))
        return Piecewise(self.unit, self.places, pieces)

    def total(self) -> Number:
        """The integral over the real line.

        Each term of the outer pieces must vanish at its end of the line.
        """
        return self.integral().pieces[-1][0][0]

    def at(self, x: Number) -> Number:
        """The value at a place, fmpq; at a breakpoint that of the piece to its left."""
        return self.unit.value(self.pieces[bisect_left(self.places, x)], x)


def constant(c: Number) -> Any:
    """A number as a polynomial."""
    from flint import arb_poly

    return arb_poly([c])


def _product(one: Terms, two: Terms) -> Terms:
    found: Terms = {}
    for (k, p), (l, q) in product(one.items(), two.items()):
        found[k + l] = found.get(k + l, 0) + p * q
    return found


def _difference(one: Terms, two: Terms) -> Terms:
    return {k: one.get(k, 0) - two.get(k, 0) for k in one | two}
