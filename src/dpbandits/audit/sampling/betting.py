"""Tests by betting: lower bounds on a privacy loss that are valid at any stopping time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm

# The tested losses as multiples of the promised loss. Up to 2, the multiples have a distance of
# 0.005, so 1 is one of them: the promised loss itself
FACTORS = np.append(np.arange(401) / 200.0, np.geomspace(2.02, 1000.0, 200))
PROMISED = 200  # the index of the multiple 1
ITSELF = slice(PROMISED, PROMISED + 1)
# Each bet has the best stake for a certain number of runs, given here as a fraction of all runs
STAKES = 4.0 ** -np.arange(5)
# Upper bound on a stake, as a share of the largest stake with which no bet can lose everything
MAX_STAKE_SHARE = 0.99
Line = Callable[[np.ndarray, float], tuple[np.ndarray, np.ndarray]]


def pure_line(eps: np.ndarray, q: float, delta: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and offset of the promise of (eps, delta)-DP, which is P <= e^eps Q + delta.

    P and Q are the probabilities of an event for two neighbours.
    """
    return np.exp(np.minimum(eps, 60.0)), np.full_like(eps, delta)


def gaussian_line(mu: np.ndarray, q: float) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and offset of a bound P <= slope Q + offset that follows from mu-GDP.

    Under mu-GDP, P <= Phi(Phi^-1(Q) + mu) for every event (Dong, Roth & Su 2022). The right side is
    concave in Q, so its tangent at Q = q is a linear upper bound.
    """
    z = norm.ppf(q)
    slope = np.exp(np.minimum(-mu * z - mu**2 / 2.0, 60.0))
    return slope, np.maximum(norm.cdf(z + mu) - slope * q, 0.0)


@dataclass(frozen=True)
class Bets:
    """Bets against the promises P(S) <= slope Q(S) + offset of many privacy losses.

    A pair of runs, one on each neighbour, gives the outputs X and Y. With each pair, the wealth of
    a bet with stake l is multiplied by ``1 + l (1_S(X) - slope 1_S(Y) - offset)`` (Gonzalez et al.
    2025). If the promise holds, the expected wealth does not grow, even if the wealth is averaged
    over several stakes. So the wealth ever reaches 1/level with probability at most ``level``
    (Ville's inequality). The stakes must not depend on the runs.

    Attributes:
        promised: the loss that is promised.
        line: ``pure_line`` or ``gaussian_line``.
        p: an estimate of the probability of the event for the first neighbour. An error in ``p`` or
            ``q`` only reduces the power of the test.
        q: an estimate of the probability of the event for the second neighbour.
        runs: the largest number of pairs of runs.
        level: probability that a bound is too large.
    """

    promised: float
    line: Line
    p: float
    q: float
    runs: int
    level: float

    @property
    def losses(self) -> np.ndarray:
        """The losses that are tested, increasing."""
        return self.promised * FACTORS

    @cached_property
    def gains(self) -> np.ndarray:
        """The growth of the logarithm of the wealth, float array (2, 4, bets, losses).

        The first axis is for bets against and for a promise. The second axis is for the kinds of
        pairs of runs: the event in both runs, only in the first, only in the second, in none.
        """
        slope, offset = self.line(self.losses, self.q)
        outcomes = np.stack([1.0 - slope, np.ones_like(slope), -slope, 0.0 * slope]) - offset
        variance = self.p * (1.0 - self.p) + slope**2 * self.q * (1.0 - self.q)
        needed = 2.0 * np.log(1.0 / self.level) / (self.runs * STAKES[:, None])
        stakes = np.minimum(np.sqrt(needed / variance), MAX_STAKE_SHARE / (slope + offset))
        return np.log1p(np.stack([1.0, -1.0])[:, None, None, None] * stakes * outcomes[:, None])

    def log_wealth(self, counts: np.ndarray, at: slice = slice(None)) -> np.ndarray:
        """Compute ln(mean wealth times level), float array (..., 2, losses).

        The axis of length 2 is for bets against and for the promise. If the first entry is at least
        0, the promise is refuted. If the second entry is at least 0, this event cannot refute the
        promise.

        Args:
            counts: the numbers of pairs of runs with the event in both, only in the first, only in
                the second, and in none, array (..., 4).
            at: the indices in ``losses`` of the losses to compute; all by default.
        """
        grown = np.einsum("...o,sobl->...sbl", counts, self.gains[..., at])
        wealth = logsumexp(grown, axis=-2) - np.log(len(STAKES)) + np.log(self.level)
        return np.asarray(wealth)

    def bound(self, best: np.ndarray) -> float:
        """Return the lower bound: the largest tested loss such that this loss and all smaller
        losses are refuted.

        ``best`` is the largest ``log_wealth`` so far against each tested loss. If not even the
        smallest loss is refuted, the bound is 0.
        """
        refuted = int(np.argmin(np.append(best, -np.inf) >= 0.0))
        return float(self.losses[refuted - 1]) if refuted else 0.0

    def detectable(self, q: float) -> float:
        """Compute the smallest loss at which samples would refute the promise on average.

        The loss is given as a multiple of the promised loss. If no tested loss is large enough, the
        result is infinite. The event has the probability ``q`` for the second neighbour.
        """
        slope, offset = self.line(self.losses, self.q)
        p = np.minimum(slope * q + offset, 1.0)
        counts = self.runs * np.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], axis=-1)
        seen = self.log_wealth(counts, ITSELF)[:, 0, 0] >= 0.0
        return float(FACTORS[seen].min(initial=np.inf))


def pairs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the counts of pairs of runs for ``log_wealth``, int array (4,).

    ``first`` and ``second``, bool arrays (runs,), say whether the event happens in each run on the
    first and on the second neighbour.
    """
    outcomes = (first & second, first & ~second, ~first & second, ~first & ~second)
    return np.array([outcome.sum() for outcome in outcomes])
