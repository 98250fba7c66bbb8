"""The exact privacy loss of a release, where its noise enters linearly or it is one coin.

Both are read off the code itself: a release is run with a generator that returns what we choose.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Told = Callable[[np.random.Generator, np.ndarray, np.ndarray], None]  # (rng, x, out)
TOLERANCE = 1e-9
SIZES = (1.0, 30.0, 1e3, 1e6)  # of the noise with which linearity is tried


class _Unknown(Exception):
    """The release draws something else."""


class _Generator:
    """A generator from which only what its subclasses define can be drawn."""

    def __getattr__(self, name):
        raise _Unknown(name)


class _Given(_Generator):
    """Its Laplace variables, differences of two exponentials, are given; the others are 0."""

    def __init__(self, z: dict[int, float]):
        self.z, self.drawn = z, 0

    def standard_exponential(self) -> float:
        self.drawn += 1
        z = self.z.get((self.drawn - 1) // 2, 0.0)
        return max(z, 0.0) if self.drawn % 2 else max(-z, 0.0)


class _Coin(_Generator):
    """Its one uniform number is only compared; how it compares is given, with what is kept."""

    def __init__(self, below: bool):
        self.below, self.chances = below, []  # type: ignore[var-annotated]

    def random(self) -> _Uniform:
        return _Uniform(self)


class _Uniform:
    def __init__(self, coin: _Coin):
        self.coin = coin

    def __lt__(self, chance: float) -> bool:
        self.coin.chances.append(min(max(float(chance), 0.0), 1.0))
        return self.coin.below


def exact_epsilon(release: Told, x: np.ndarray, y: np.ndarray, d: int) -> float | None:
    """The largest log-likelihood ratio of a release of d numbers between two data sets, or None.

    If the release is ``f(x) + N z`` with z independent Laplace variables of scale 1, N of full rank
    and the same for both, it is the sum of |z_i| over the z that solve ``N z = f(x) - f(y)``; it is
    infinite if none does. If it is one coin, it is that of the chances of what is told.
    """
    for method in (_linear, _coin):
        try:
            return method(release, x, y, d)
        except (_Unknown, TypeError):  # a uniform number can be compared, nothing else
            continue
    return None


def _linear(release, x, y, d):
    def run(data, z):
        rng, out = _Given(z), np.zeros(d)
        release(rng, data, out)
        if rng.drawn % 2:
            raise _Unknown
        return out, rng.drawn // 2

    (f, n), (g, other) = run(x, {}), run(y, {})
    if n == 0:
        return 0.0 if np.array_equal(f, g) else math.inf
    N = np.stack([run(x, {i: 1.0})[0] - f for i in range(n)], axis=1)
    rng = np.random.default_rng(0)
    trials = [size * rng.normal(size=n) for size in SIZES for _ in range(4)]
    linear = all(
        close(run(data, dict(enumerate(z)))[0], h + N @ z)
        for z in trials
        for data, h in ((x, f), (y, g))
    )
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
    told = []
    for data in (x, y):
        masses: dict[bytes, float] = {}
        for below in (True, False):
            rng, out = _Coin(below), np.zeros(d)
            release(rng, data, out)
            if len(rng.chances) != 1:
                return None
            chance = rng.chances[0] if below else 1.0 - rng.chances[0]
            masses[out.tobytes()] = masses.get(out.tobytes(), 0.0) + chance
        told.append(masses)
    losses = []
    for seen in {*told[0], *told[1]}:
        p, q = (masses.get(seen, 0.0) for masses in told)
        if p != q:
            losses.append(math.inf if min(p, q) == 0.0 else abs(math.log(p) - math.log(q)))
    return max(losses, default=0.0)
