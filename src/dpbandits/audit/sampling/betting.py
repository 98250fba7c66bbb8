"""Tests by betting: a lower bound on a privacy loss that holds whenever the runs are stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm

# of a promised loss: the losses that are tested. Those up to twice the promise are half a
# hundredth of it apart, and 1, the promise itself, is one of them
FACTORS = np.append(np.arange(401) / 200.0, np.geomspace(2.02, 1000.0, 200))
PROMISED = 200  # the place of 1
ITSELF = slice(PROMISED, PROMISED + 1)
STAKES = 4.0 ** -np.arange(5)  # runs for which the bets are made, as fractions of all
MAX_STAKE_SHARE = 0.99  # of the largest stake with which no bet can lose everything
Line = Callable[[np.ndarray, float], tuple[np.ndarray, np.ndarray]]


def pure_line(eps: np.ndarray, q: float, delta: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Slope and offset of what (eps, delta)-DP promises of every event: P <= e^eps Q + delta."""
    return np.exp(np.minimum(eps, 60.0)), np.full_like(eps, delta)


def gaussian_line(mu: np.ndarray, q: float) -> tuple[np.ndarray, np.ndarray]:
    """Slope and offset of a bound P <= slope Q + offset on every event of what is mu-GDP (Dong,
    Roth & Su 2022): the tangent at Q = q of P <= Phi(Phi^-1(Q) + mu), which is concave.
    """
    z = norm.ppf(q)
    slope = np.exp(np.minimum(-mu * z - mu**2 / 2.0, 60.0))
    return slope, np.maximum(norm.cdf(z + mu) - slope * q, 0.0)


@dataclass(frozen=True)
class Bets:
    """Bets against the promises P(S) <= slope Q(S) + offset of many privacy losses.

    The wealth of a bet is multiplied by ``1 + l (1_S(X) - slope 1_S(Y) - offset)`` in each pair of
    runs, one under either of two neighbours (Gonzalez et al. 2025). While the promise holds its
    mean does not grow, and neither does that of several l, so that it ever reaches 1/level has at
    most the probability ``level`` (Ville's inequality). The bets must not depend on the runs.

    Attributes:
        promised: the loss that is promised.
        line: ``pure_line`` or ``gaussian_line``.
        p: about the probability of the event under the first neighbour; only power depends on it.
        q: the same under the second.
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
        """Growth of the logarithm of the wealth, float array (2, 4, bets, losses): against and for
        a promise; in pairs of runs with the event in both, in the first, in the second, in none.
        """
        slope, offset = self.line(self.losses, self.q)
        outcomes = np.stack([1.0 - slope, np.ones_like(slope), -slope, 0.0 * slope]) - offset
        variance = self.p * (1.0 - self.p) + slope**2 * self.q * (1.0 - self.q)
        needed = 2.0 * np.log(1.0 / self.level) / (self.runs * STAKES[:, None])
        stakes = np.minimum(np.sqrt(needed / variance), MAX_STAKE_SHARE / (slope + offset))
        return np.log1p(np.stack([1.0, -1.0])[:, None, None, None] * stakes * outcomes[:, None])

    def log_wealth(self, counts: np.ndarray, at: slice = slice(None)) -> np.ndarray:
        """The logarithm of the mean wealth over the level, float array (..., 2, losses): at 0 and
        above, a promise is refuted, or that this event can refute it is.

        Args:
            counts: of pairs with the event in both, in the first, in the second and in none, as a
                number array (..., 4).
            at: the places in ``losses`` of those that are bet against; all by default.
        """
        grown = np.einsum("...o,sobl->...sbl", counts, self.gains[..., at])
        wealth = logsumexp(grown, axis=-2) - np.log(len(STAKES)) + np.log(self.level)
        return np.asarray(wealth)

    def bound(self, best: np.ndarray) -> float:
        """The lower bound on the loss: the largest tested loss up to which all are refuted by
        ``best``, the largest ``log_wealth`` against each loss so far.
        """
        refuted = int(np.argmin(np.append(best, -np.inf) >= 0.0))
        return float(self.losses[refuted - 1]) if refuted else 0.0

    def detectable(self, q: float) -> float:
        """The least loss, as a multiple of the promised one, that the runs refute on average, if
        an event of probability ``q`` under the second neighbour shows it; infinite if none.
        """
        slope, offset = self.line(self.losses, self.q)
        p = np.minimum(slope * q + offset, 1.0)
        counts = self.runs * np.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], axis=-1)
        seen = self.log_wealth(counts, ITSELF)[:, 0, 0] >= 0.0
        return float(FACTORS[seen].min(initial=np.inf))


def pairs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The counts that ``log_wealth`` takes, int array (4,), of whether the event happens in each
    run under the first and under the second neighbour, bool arrays (runs,).
    """
    outcomes = (first & second, first & ~second, ~first & second, ~first & ~second)
    return np.array([outcome.sum() for outcome in outcomes])
