"""The exact privacy loss of a release.

The loss can be computed for three kinds of releases: a linear function of Laplace or Gaussian
noise, the result of one coin, and a count of bits plus the number of heads of fair coins. The loss
is computed from the code itself: this module runs the release with a random generator whose draws
it chooses.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from ...parts.noise.shuffled_coins import eps_of_coins
from ..numbers.draws import COINS, LAPLACE, NORMAL, Draw
from ..numbers.streams import Stream
from ..targets.publishing import ReleaseTarget
from ..targets.releases import MECHANISMS
from ..targets.target import AuditTarget
from .one_bit import ScriptedUniforms

Output = Callable[[np.random.Generator, np.ndarray, np.ndarray], None]  # (rng, x, out)
TOLERANCE = 1e-9
SIZES = (1.0, 30.0, 1e3, 1e6)  # the scales of the noise with which linearity is tested


class _Chosen(Stream):
    """A random generator with chosen draws: coins, or noise of one kind at scale 1.

    ``z`` maps the numbers of some draws to their values; all other draws are 0.
    """

    plain = True

    def __init__(self, kind: str, z: dict[int, float]):
        super().__init__()
        self.kind, self.z = kind, z

    def next(self, kind, shape):
        if kind != self.kind or (shape != 1 and kind != COINS):
            raise TypeError(f"{kind} noise")
        return Draw(kind, self.z.get(len(self.draws), 0.0), shape)

    def binomial(self, n, p, size=None):
        if p != 0.5 or self.draws:
            raise TypeError("other coins, or several times")
        return self.coins(n)


def release_loss(target: AuditTarget) -> float | None:
    """Compute the exact privacy loss, eps or mu, of a release or a response; None if it is not
    known.

    For an algorithm or a stopping rule, the result is the loss of the release that the guarantee
    names.
    """
    if isinstance(target, ReleaseTarget):
        exact_loss = exact_mu if target.gaussian else exact_epsilon
        if target.delta:
            exact_loss = partial(loss_of_count, delta=target.delta)
        pairs = target.neighbours()
        losses = [exact_loss(target.output, x, y, len(target.columns(x))) for x, y in pairs]
        known = [loss for loss in losses if loss is not None]
        return max(known) if len(known) == len(losses) else None
    guarantee, gaussian = target.guarantee, target.gaussian
    if guarantee.mechanism is None:
        return None
    budget = gaussian.rho(target.numbers) if gaussian else target.promised
    release = MECHANISMS[guarantee.mechanism]
    if release.with_delta:
        function = release.with_delta(target.delta)
        release = replace(release, function=function, delta=target.delta)
    return release_loss(ReleaseTarget(release, budget))


def exact_epsilon(release: Output, x: np.ndarray, y: np.ndarray, d: int) -> float | None:
    """Compute the largest log-likelihood ratio of a release of d numbers between two data sets.

    Suppose that the release is ``f(x) + N z``, where z are independent Laplace variables of scale 1
    and N has full rank and is the same for both data sets. Then the ratio is the sum of |z_i| for
    the z that solves ``N z = f(x) - f(y)``, or infinity if there is no solution. If the release
    tosses one coin, the ratio follows from the probabilities of its outputs. For any other release,
    the function returns None.
    """
    with suppress(AttributeError, TypeError):
        # the release draws other noise, or does not only add its draws
        return _linear(release, x, y, d, LAPLACE, 1)
    with suppress(AttributeError, TypeError, IndexError):
        return _coin(release, x, y, d)
    return None


def exact_mu(release: Output, x: np.ndarray, y: np.ndarray, d: int) -> float | None:
    """Compute the mu of Gaussian DP of a release of d numbers between two data sets, or None.

    If the release is ``f(x) + N z`` as in ``exact_epsilon``, but with independent standard normal
    variables z, then mu is the length of the z that solves ``N z = f(x) - f(y)``.
    """
    with suppress(AttributeError, TypeError):
        return _linear(release, x, y, d, NORMAL, 2)
    return None


def loss_of_count(
    release: Output, x: np.ndarray, y: np.ndarray, d: int, delta: float
) -> float | None:
    """Compute the least eps for which a count is (eps, delta)-DP between two data sets, or None.

    The release must be one number (d = 1): a function of the data plus the number of heads of fair
    coins. For the two data sets, this function may differ by at most 1.
    """
    runs = [[(k, *_run(release, data, d, COINS, {0: k})) for k in (0, 1, 7)] for data in (x, y)]
    values = [{out[0] - k for k, out, _ in found} for found in runs]
    if any(len(found) > 1 for found in values):
        return None
    (f,), (g,) = values
    n, m = (draws[0].shape for (_, _, draws), *_ in runs)
    if n != m or abs(f - g) > 1.0:
        return None
    return eps_of_coins(n, delta) if f != g else 0.0


def _run(release, data, d, kind, z) -> tuple[np.ndarray, list[Draw]]:
    """Run a release with chosen draws, and return its output and the draws."""
    rng, out = _Chosen(kind, z), np.zeros(d)
    release(rng, data, out)
    if rng.halves:
        raise TypeError("a single exponential variable is not Laplace noise")
    return out, rng.draws


def _linear(release, x, y, d, kind, norm):
    def run(data, z):
        return _run(release, data, d, kind, z)[0]

    (f, first), (g, second) = (_run(release, data, d, kind, {}) for data in (x, y))
    n = len(first)
    if n == 0:
        return 0.0 if np.array_equal(f, g) else math.inf
    N = np.stack([run(x, {i: 1.0}) - f for i in range(n)], axis=1)
    rng = np.random.default_rng(0)
    trials = [size * rng.normal(size=n) for size in SIZES for _ in range(4)]
    linear = all(
        _close(run(data, dict(enumerate(z))), h + N @ z)
        for z in trials
        for data, h in ((x, f), (y, g))
    )
    if n != len(second) or not linear:
        return None
    N = N[:, np.abs(N).max(axis=0) > 0]
    z, _, rank, _ = np.linalg.lstsq(N, f - g, rcond=None)
    if not _close(N @ z, f - g):
        return math.inf
    return float(np.linalg.norm(z, norm)) if rank == N.shape[1] else None


def _close(a, b):
    """Return whether two vectors are equal except for rounding."""
    return np.abs(a - b).max() <= TOLERANCE * (1.0 + np.abs(b).max())


def _coin(release, x, y, d):
    # the probabilities of each output under x and y
    outputs: dict[bytes, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for i, data in enumerate((x, y)):
        for below in (True, False):
            rng, out = ScriptedUniforms((below,)), np.zeros(d)
            release(rng, data, out)
            chance = min(max(rng.chances[0], 0.0), 1.0)
            outputs[out.tobytes()][i] += chance if below else 1.0 - chance
    losses = [
        math.inf if min(p, q) == 0.0 else abs(math.log(p) - math.log(q))
        for p, q in outputs.values()
        if p != q
    ]
    return max(losses, default=0.0)
