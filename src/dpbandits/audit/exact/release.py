"""The exact privacy loss of a release that is linear in Laplace or Gaussian noise, or tosses one
coin.

The loss is computed from the code itself: the release is run with a generator whose draws are
chosen here.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from ..subjects.publishing import Release
from ..subjects.releases import MECHANISMS
from ..subjects.subject import Subject

Output = Callable[[np.random.Generator, np.ndarray, np.ndarray], None]  # (rng, x, out)
TOLERANCE = 1e-9
SIZES = (1.0, 30.0, 1e3, 1e6)  # of the noise with which linearity is tested


class _Given:
    """A generator of given variables; others are 0."""

    def __init__(self, z: dict[int, float]):
        self.z, self.drawn = z, 0


class _Laplace(_Given):
    """Laplace variables, as differences of two exponentials."""

    draws = 2  # for a variable

    def standard_exponential(self) -> float:
        self.drawn += 1
        z = self.z.get((self.drawn - 1) // 2, 0.0)
        return max(z, 0.0) if self.drawn % 2 else max(-z, 0.0)


class _Normal(_Given):
    """Standard normal variables."""

    draws = 1

    def standard_normal(self) -> float:
        self.drawn += 1
        return self.z.get(self.drawn - 1, 0.0)


class _Coin:
    """A generator of one uniform number, itself, that is only compared, with a given result."""

    def __init__(self, below: bool):
        self.below = below
        self.chances: list[float] = []

    def random(self) -> _Coin:
        return self

    def __lt__(self, chance: float) -> bool:
        self.chances.append(min(max(float(chance), 0.0), 1.0))
        return self.below


def release_loss(subject: Subject) -> float | None:
    """The exact loss, eps or mu, of a release or a response; of what plays games, that of the
    release that its guarantee names. None if it is not known.
    """
    if isinstance(subject, Release):
        exact_loss = exact_mu if subject.gaussian else exact_epsilon
        losses = []
        for x, y in subject.neighbours():
            loss = exact_loss(subject.output, x, y, len(subject.columns(x)))
            if loss is None:
                return None
            losses.append(loss)
        return max(losses)
    guarantee, gaussian = subject.source.guarantee, subject.gaussian
    if guarantee is None or guarantee.mechanism is None:
        return None
    budget = gaussian.rho(subject.parameters) if gaussian else subject.budget
    return release_loss(Release(MECHANISMS[guarantee.mechanism], budget))


def exact_epsilon(release: Output, x: np.ndarray, y: np.ndarray, d: int) -> float | None:
    """The largest log-likelihood ratio of a release of d numbers between two data sets, or None.

    If the release is ``f(x) + N z`` with z independent Laplace variables of scale 1, N of full rank
    and the same for both, it is the sum of |z_i| over the z that solve ``N z = f(x) - f(y)``; it is
    infinite if none does. If the release tosses one coin, the probabilities of its outputs give it.
    """
    with suppress(AttributeError, TypeError):  # other draws, and other uses of a draw
        return _linear(release, x, y, d, _Laplace, 1)
    with suppress(AttributeError, TypeError):
        return _coin(release, x, y, d)
    return None


def exact_mu(release: Output, x: np.ndarray, y: np.ndarray, d: int) -> float | None:
    """The mu of Gaussian DP of a release of d numbers between two data sets, or None.

    If the release is ``f(x) + N z`` with z independent standard normal variables, as in
    ``exact_epsilon``, it is the length of the z that solves ``N z = f(x) - f(y)``.
    """
    with suppress(AttributeError, TypeError):
        return _linear(release, x, y, d, _Normal, 2)
    return None


def _linear(release, x, y, d, noise, norm):
    def run(data, z):
        rng, out = noise(z), np.zeros(d)
        release(rng, data, out)
        if rng.drawn % noise.draws:
            raise TypeError("a single exponential variable is not Laplace noise")
        return out, rng.drawn // noise.draws

    (f, n), (g, other) = run(x, {}), run(y, {})
    if n == 0:
        return 0.0 if np.array_equal(f, g) else math.inf
    N = np.stack([run(x, {i: 1.0})[0] - f for i in range(n)], axis=1)
    rng = np.random.default_rng(0)
    trials = [size * rng.normal(size=n) for size in SIZES for _ in range(4)]
    linear = all(
        _close(run(data, dict(enumerate(z)))[0], h + N @ z)
        for z in trials
        for data, h in ((x, f), (y, g))
    )
    if n != other or not linear:
        return None
    N = N[:, np.abs(N).max(axis=0) > 0]
    z, _, rank, _ = np.linalg.lstsq(N, f - g, rcond=None)
    if not _close(N @ z, f - g):
        return math.inf
    return float(np.linalg.norm(z, norm)) if rank == N.shape[1] else None


def _close(a, b):
    """Whether two vectors are equal except for rounding."""
    return np.abs(a - b).max() <= TOLERANCE * (1.0 + np.abs(b).max())


def _coin(release, x, y, d):
    outputs: dict[bytes, list[float]] = defaultdict(lambda: [0.0, 0.0])  # probabilities under x, y
    for i, data in enumerate((x, y)):
        for below in (True, False):
            rng, out = _Coin(below), np.zeros(d)
            release(rng, data, out)
            if len(rng.chances) != 1:
                return None
            outputs[out.tobytes()][i] += rng.chances[0] if below else 1.0 - rng.chances[0]
    losses = [
        math.inf if min(p, q) == 0.0 else abs(math.log(p) - math.log(q))
        for p, q in outputs.values()
        if p != q
    ]
    return max(losses, default=0.0)
