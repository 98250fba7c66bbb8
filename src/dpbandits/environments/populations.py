"""Populations of users with privacy levels, and expectations over these levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import BadInput, inside, plain
from ..validation import as_number, call, number_where, numbers, path_in, read_csv
from .data import check_column
from .reward_laws.arm import positive
from .reward_laws.points import shares_of_one
from .users import Users, half_coth, half_tanh

LARGEST_LEVEL = 1e6


@dataclass(frozen=True)
class Population:
    """The distribution of the users' privacy levels."""

    levels: np.ndarray  # float64 array (n,), the levels of a discrete population
    shares: np.ndarray  # float64 array (n,), the share of users with each level
    # mean, standard deviation, smallest and largest level of a clipped normal population; None for
    # a discrete population
    normal: tuple[float, float, float, float] | None = None

    def users(self) -> Users:
        """Return the population as kernels receive it, a copy that kernels may modify."""
        level = self.levels.copy()
        return Users(
            level=level,
            tanh=np.array([half_tanh(eps) for eps in level]),
            coth=np.array([half_coth(eps) for eps in level]),
            share=np.cumsum(self.shares),
            normal=np.array(self.normal or (0.0, 0.0, 0.0, 0.0)),
        )

    @property
    def largest(self) -> float:
        """The privacy level of the least private user."""
        return self.normal[3] if self.normal else float(self.levels[self.shares > 0].max())

    def mass(self, eps_min: float) -> float:
        """Return the share of users whose level is at least ``eps_min`` (p_0, Ren et al. 2020)."""
        return self.total(lambda eps: 1.0, eps_min)

    def total(self, f: Callable[[float], float], eps_min: float) -> float:
        """Return the expectation of f(eps) 1{eps >= eps_min} over the levels, for eps_min > 0."""
        if self.normal is None:
            kept = (self.levels >= eps_min) & (self.shares > 0)
            pairs = zip(self.levels[kept], self.shares[kept], strict=True)
            return math.fsum(share * f(eps) for eps, share in pairs)
        # slow: the import of scipy takes longer than all other steps before a run
        from scipy.integrate import quad

        mean, sd, low, high = self.normal
        at_high = math.erfc((high - mean) / sd / math.sqrt(2)) / 2 * f(high) * (eps_min <= high)
        at_low = math.erfc((mean - low) / sd / math.sqrt(2)) / 2 * f(low) if eps_min <= low else 0.0
        start, stop = max(low, eps_min, mean - 12 * sd), min(high, mean + 12 * sd)
        if start >= stop:
            return at_low + at_high

        def density(eps):
            return f(eps) * math.exp(-(((eps - mean) / sd) ** 2) / 2)

        # f may grow as eps^-2, so each piece of the integral has at most a factor of 10 in eps
        decades = start * 10.0 ** np.arange(1, max(math.log10(stop / start), 1.0))
        inner = {mean, *(eps for eps in decades.tolist() if eps < stop)}
        ends = [start, *sorted(eps for eps in inner if start < eps < stop), stop]
        parts = [
            quad(density, *piece, epsabs=0, epsrel=1e-10, limit=200)[0] for piece in pairwise(ends)
        ]
        return at_low + at_high + math.fsum(parts) / (sd * math.sqrt(2 * math.pi))

    def candidates(self) -> list[float]:
        """Return candidates for eps_min: each level above 0, or a grid for a normal population."""
        if self.normal is None:
            found = self.levels[(self.levels > 0) & (self.shares > 0)]
            return [float(eps) for eps in np.unique(found)]
        mean, sd, low, high = self.normal
        start, stop = max(low, 0.05 * sd), min(high, mean + 3 * sd)
        return [float(f"{eps:.4g}") for eps in np.linspace(start, max(stop, start), 60)]


def homogeneous(eps: float) -> Population:
    """Return the population in which every user has the level ``eps``."""
    return Population(np.array([eps]), np.ones(1))


def levels(levels: Any, shares: Any) -> Population:
    """Return the population with the given levels and shares of users; None means equal shares."""
    values = [level("levels", x) for x in numbers("levels", levels)]
    parts = [1 / len(values)] * len(values)
    if shares is not None:
        parts = numbers("shares", shares)
        shares_of_one("shares", parts, len(values))
    return Population(np.array(values), np.array(parts))


def clipped_normal(mean: Any, sd: Any, low: Any, high: Any) -> Population:
    """Return the population whose levels are normal numbers clipped to [low, high]."""
    mu, sigma = as_number("mean", mean), positive("sd", sd)
    least, most = level("low", low), level("high", high)
    if least >= most:
        raise BadInput(f"low={plain(low)}: a level below population.high={plain(high)} is needed")
    return Population(np.zeros(1), np.ones(1), (mu, sigma, least, most))


def file(path: Any, column: Any) -> Population:
    """Return the population of the levels in a column of a CSV file with one row per user."""
    where = f"path={plain(path_in(path))}"
    table = read_csv(where, path)
    check_column("column", plain(column), table.columns, path_in(path))
    found = [level(f"column={plain(column)}: level", x) for x in table[plain(column)].tolist()]
    if not found:
        raise BadInput(f"{where}: the file has no rows")
    values, counts = np.unique(found, return_counts=True)
    return Population(values, counts / counts.sum())


KINDS: dict[str, Callable[..., Population]] = {
    f.__name__: f for f in (levels, clipped_normal, file)
}


def build_population(spec: Mapping[str, Any]) -> Population:
    """Build the population of a configuration, which has the name ``kind`` and the parameters of
    this kind.

    Raises:
        BadInput: a kind or parameter is unknown, or a value is out of range.
    """
    with inside("population"):
        found: Population = call(KINDS, spec, "kind")
    return found


def level(key: str, value: Any) -> float:
    """Check a privacy level: a number from 0 to LARGEST_LEVEL."""
    needed = f"a privacy level from 0 to {LARGEST_LEVEL:g} is needed"
    return number_where(key, value, lambda x: 0 <= x <= LARGEST_LEVEL, needed)
