"""The exact privacy loss of a release, where its noise enters linearly or it is one coin.

Both are read off the code itself: a release is run with a generator that returns what we choose.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Told = Callable[[np.random.Generator, np.ndarray, np.ndarray], None]  # (rng, x, out)
TOLERANCE = 1e-9


class _Given:
    """A generator whose Laplace variables, differences of two exponentials, are given."""

    def __init__(self, z: dict[int, float]):
        self.z, self.drawn = z, 0

    def standard_exponential(self) -> float:
        self.drawn += 1
        return 0.0 if self.drawn % 2 == 0 else self.z.get(self.drawn // 2, 0.0)


class _Chance(float):
    """A uniform number that remembers what it was compared with."""

    chance = math.nan

    def __lt__(self, other):
        self.chance = min(max(float(other), 0.0), 1.0)
        return True


class _Coin:
    """A generator of a single uniform number."""

    def __init__(self):
        self.draws: list[_Chance] = []

    def random(self) -> _Chance:
        self.draws.append(_Chance(0.0))
        return self.draws[-1]


def exact_epsilon(release: Told, x: np.ndarray, y: np.ndarray, d: int) -> float | None:
    """The largest log-likelihood ratio of a release of d numbers between two data sets, or None.

    If the release is ``f(x) + N z`` with z independent Laplace variables of scale 1, N invertible
    and the same for both, it is the sum of |z_i| over the z that solve ``N z = f(x) - f(y)``; it is
    infinite if none does. If it is one coin, it is that of its two chances.
    """
    for method in (_linear, _coin):
        try:
            return method(release, x, y, d)
        except AttributeError:  # it draws something else
            continue
    return None


def _linear(release, x, y, d):
    def run(data, z):
        rng, out = _Given(z), np.zeros(d)
        release(rng, data, out)
        return out, rng.drawn // 2

    (f, n), (g, other) = run(x, {}), run(y, {})
    if n == 0:
        return 0.0 if np.array_equal(f, g) else math.inf
    N = np.stack([run(x, {i: 1.0})[0] - f for i in range(n)], axis=1)
    z = np.linspace(-2.0, 3.0, n)
    linear = all(close(run(data, dict(enumerate(z)))[0], h + N @ z) for data, h in ((x, f), (y, g)))
    if n != other or not linear:
        return None
    N = N[:, np.abs(N).max(axis=0) > 0]
    z, _, rank, _ = np.linalg.lstsq(N, f - g, rcond=None)
    if not close(N @ z, f - g):
        return math.inf
    return float(np.abs(z).sum()) if rank == N.shape[1] else None


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two vectors are equal but for rounding."""
    return bool(np.abs(a - b).max() <= TOLERANCE * (1.0 + np.abs(b).max()))


def _coin(release, x, y, d):
    chances = []
    for data in (x, y):
        rng, out = _Coin(), np.zeros(d)
        release(rng, data, out)
        if len(rng.draws) != 1 or math.isnan(rng.draws[0].chance):
            return None
        chances.append(rng.draws[0].chance)
    p, q = chances
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(np.log([p, 1 - p]) - np.log([q, 1 - q]))
    return float(np.nanmax(ratios)) if p != q else 0.0
