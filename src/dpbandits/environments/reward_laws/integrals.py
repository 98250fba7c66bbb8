"""Integrals for the absolute moments E|X - c|^q of reward laws."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

import numpy as np

# An integrand is neglected where it is below e^-FALL times its largest value, or farther than REACH
# standard deviations from its peak
FALL = 45.0
REACH = 13.0
ERROR = 1e-8

# SPLITS bisections of cells bracket a monotone integrand. A cell contains a jump if each of the
# last HALVINGS bisections left more than the share KEPT of the integrand's rise in one half
SPLITS = 2000
KEPT, HALVINGS = 0.75, 6
NARROW = 2.0**-53


def integral(f: Callable[[float], float], start: float, stop: float, *points: float) -> float:
    """Compute the integral of a positive function f, whose kinks and peaks are at ``points``.

    Raises:
        ArithmeticError: the relative error may exceed ERROR.
    """
    # slow: the import of scipy takes longer than all other steps before a run
    from scipy.integrate import quad

    breaks = [start, stop]
    for x in points:
        # quad fails on an empty interval
        if start < x < stop and min(abs(x - y) for y in breaks) > 1e-12 * (stop - start):
            breaks.append(x)
    with np.errstate(over="ignore", invalid="ignore"):
        whole, error = quad(
            f, start, stop, points=breaks[2:], epsabs=0, epsrel=1e-12, full_output=1,
            limit=400 + len(points),
        )[:2]  # fmt: skip
    if not error <= ERROR * whole:
        raise ArithmeticError(f"the integral of a moment is {whole:g} +- {error:g}")
    return float(whole)


def monotone(f: Callable[[float], float], start: float, stop: float) -> float:
    """Compute the integral of a positive and monotone f, which may jump.

    The values at the ends of a cell give a lower and an upper bound on the integral over this cell.
    The cell with the widest bounds is bisected again and again. Therefore no jump that matters is
    missed, even very close to an end of the interval.

    Raises:
        ArithmeticError: the relative error may exceed ERROR, or the result is outside the bounds.
    """
    cells: list[tuple[float, float, float, float, float, int]] = []
    narrow = []  # cells that are not bisected further

    def add(a: float, b: float, at_a: float, at_b: float, kept: int) -> None:
        cell = (-abs(at_b - at_a) * (b - a), a, b, at_a, at_b, kept)
        if b - a > NARROW:
            heappush(cells, cell)
        else:
            narrow.append(cell)

    if start < stop:
        add(start, stop, f(start), f(stop), 0)
    for _ in range(SPLITS):
        if not cells or not cells[0][0]:
            break
        _, a, b, at_a, at_b, kept = heappop(cells)
        middle = (a + b) / 2
        at_middle, least = f(middle), KEPT * abs(at_b - at_a)
        for cell in ((a, middle, at_a, at_middle), (middle, b, at_middle, at_b)):
            add(*cell, kept + 1 if abs(cell[3] - cell[2]) > least else 0)
    cells += narrow
    jumps = [_jump(f, *cell[1:5]) for cell in cells if cell[5] >= HALVINGS]
    whole = integral(f, start, stop, *jumps)
    low = sum(min(at_a, at_b) * (b - a) for _, a, b, at_a, at_b, _ in cells)
    high = low - sum(cell[0] for cell in cells)
    if not low * (1 - ERROR) <= whole <= high * (1 + ERROR):
        raise ArithmeticError(f"the integral is between {low:g} and {high:g}, not {whole:g}")
    return whole


def _jump(f: Callable[[float], float], a: float, b: float, at_a: float, at_b: float) -> float:
    """Find, by bisection, the place between a and b at which a monotone f jumps."""
    while a < (middle := (a + b) / 2) < b and b - a > NARROW / 2:
        at_middle = f(middle)
        if abs(at_middle - at_a) > abs(at_b - at_middle):
            b, at_b = middle, at_middle
        else:
            a, at_a = middle, at_middle
    return b


def of_quantile(quantile: Callable[[float], float], q: float, c: float) -> float:
    """Return E|X - c|^q for a quantile function Q: the integral of |Q(u) - c|^q over (0, 1)."""

    def f(u: float) -> float:
        return abs(quantile(u) - c) ** q

    kink = _crossing(quantile, c)
    return monotone(f, 0.0, kink) + monotone(f, kink, 1.0)


def mean_of_quantile(quantile: Callable[[float], float]) -> float:
    """Return the mean of the law with quantile function Q: the integral of Q(u) over (0, 1). The
    positive and the negative part of Q are integrated separately.
    """
    kink = _crossing(quantile, 0.0)
    above = monotone(lambda u: max(quantile(u), 0.0), kink, 1.0)
    return above - monotone(lambda u: max(-quantile(u), 0.0), 0.0, kink)


def _crossing(quantile: Callable[[float], float], c: float) -> float:
    """Return the u in [0, 1] at which a quantile function passes ``c``, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if quantile(middle) > c else (middle, high)
    return low
