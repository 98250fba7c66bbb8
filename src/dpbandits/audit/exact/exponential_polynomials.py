"""Piecewise exponential polynomials, with rational breakpoints and with coefficients as intervals.

An example of these functions is the density of Laplace noise. Products, shifts and integrals of
such functions are again such functions. The coefficients are balls of python-flint's ``arb``; a
computed ball always contains the exact number.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product
from typing import Any

Number = Any  # python-flint has no types: places are exact numbers (fmpq), values are balls (arb)
# {k: p} is the sum over k of p(x) e^(k rate x), where each p is a polynomial (arb_poly)
Terms = dict[int, Any]


class Rate:
    """The unit of all exponents, a positive rational number, and the powers of e^rate."""

    def __init__(self, rate: Number):
        from flint import arb

        self.ball = arb(rate)
        self.one = arb(1)
        self.power = cache(lambda k, x: (self.ball * arb(x * k)).exp())

    def laplace(self, k: int, center: Number) -> Piecewise:
        """Return the density of ``center + Lap(1/(k rate))``."""
        from flint import arb_poly

        half = self.ball * k / 2
        pieces = [{s: arb_poly([half * self.power(-s, center)])} for s in (k, -k)]
        return Piecewise(self, [center], pieces)


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
        """Return the function x -> f(x + u)."""
        from flint import arb_poly

        moved = arb_poly([u, 1])
        pieces = [
            {k: p(moved) * self.unit.power(k, u) for k, p in terms.items()} for terms in self.pieces
        ]
        return Piecewise(self.unit, [x - u for x in self.places], pieces)

    def integral(self) -> Piecewise:
        """Return the antiderivative, x -> the integral of f from minus infinity to x.

        Each term of the leftmost piece must vanish at minus infinity.
        """
        from flint import arb_poly

        pieces = [{k: self._antiderivative(k, p) for k, p in x.items()} for x in self.pieces]
        for x, (before, after) in zip(self.places, pairwise(pieces), strict=True):
            jump = self._value(before, x) - self._value(after, x)
            after[0] = after.get(0, arb_poly()) + jump
        return Piecewise(self.unit, self.places, pieces)

    def total(self) -> Number:
        """Compute the integral over the real line.

        Each term of an outer piece must vanish at the infinite end of this piece.
        """
        return self.integral().pieces[-1][0][0]

    def _antiderivative(self, k, p):
        """Return q such that p(x) e^(k rate x) is the derivative of q(x) e^(k rate x)."""
        if k == 0:
            return p.integral()
        step = 1 / (self.unit.ball * k)
        found = part = p * step
        while part:  # integration by parts
            part = part.derivative() * -step
            found += part
        return found

    def _value(self, terms, x):
        return sum(p(x) * self.unit.power(k, x) for k, p in terms.items())


def _product(one: Terms, two: Terms) -> Terms:
    found: Terms = {}
    for (k, p), (l, q) in product(one.items(), two.items()):
        found[k + l] = found.get(k + l, 0) + p * q
    return found


def _difference(one: Terms, two: Terms) -> Terms:
    return {k: one.get(k, 0) - two.get(k, 0) for k in {*one, *two}}
