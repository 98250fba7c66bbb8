"""The arm of the largest draw from Beta posteriors, in most rounds without drawing from these
posteriors.

In most rounds the leader's draw is above a level x, and all other draws are below x. Suppose that
an arm's draw is on the wrong side of x with probability at most q. The code first draws an event of
probability q. Without the event, the draw is on the right side. With the event, a rejection step
decides on which side the draw is, so that the probability of the wrong side is exact. The chosen
arms thus have the law of an argmax over draws of all arms (proof: docs/fast_rounds.md).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import inlined, random, shared
from ..indices.radii import bernoulli_kl, logarithm
from .posteriors import draw_mean

NEAR, FAR = 2.5, 6.0  # the level is so many standard deviations below the leader's mean
SLACK = 0.25  # the leader's mean may fall by this fraction of its distance from the level
OFTEN = 0.25  # bounds are not used if there are more events per arm and round, on average
WINDOW = 2.0**-6  # length of a window as a fraction of t; the bounds are renewed at its end
LEAST = 64  # minimum length of a window in rounds
APART = 1.57  # if n kl(mu, x) is at least APART, the density beyond x decreases with n


class Race(NamedTuple):
    """The posteriors of all arms, and bounds on draws from them.

    A draw from the posterior of an arm in round t is ``draw_mean(rng, mean + width log t, n)``.
    """

    mean: np.ndarray  # float64 array (K,)
    width: np.ndarray  # float64 array (K,), not negative
    n: np.ndarray  # float64 array (K,), never decreasing
    # int64 array (2,): the leader, or -1 if no arm is far ahead; the last other arm that was drawn
    arms: np.ndarray
    # float64 arrays (1,)
    clock: np.ndarray  # an exponential variable minus all rates since it was drawn
    total_rate: np.ndarray  # the sum of the rates
    last: np.ndarray  # the last round of the bounds
    end: np.ndarray  # the last round of the window
    log: np.ndarray  # the logarithm of the first round of the window
    least_mean: np.ndarray  # the bounds hold while the leader's mean is at least this
    least_n: np.ndarray  # the bounds hold while the leader's n is at least this
    level: np.ndarray  # the level x
    # float64 arrays (K,) for the draw y of each arm, and 1 - y of the leader, beyond the level
    rate: np.ndarray  # -ln(1 - q), infinite if no bound is known
    top: np.ndarray  # at a distance from the level, the density is at most e^(top - slope distance)
    slope: np.ndarray


@shared
def new_race(mean: np.ndarray, width: np.ndarray, n: np.ndarray) -> Race:
    """Return a race that has no bounds yet, and that holds the given arrays; callers change these
    arrays in place.
    """
    K = len(n)
    return Race(
        mean, width, n, np.zeros(2, np.int64),
        np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1),
        np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1),
        np.zeros(K), np.zeros(K), np.zeros(K),
    )  # fmt: skip


@inlined
def largest_draw(rng: np.random.Generator, race: Race, t: int, base2: float) -> int:
    """Return the arm of the largest draw in round ``t``; t must increase from call to call.

    Between two calls, only the posterior of the arm that the first call returned may change.
    """
    if not (t <= race.last[0] and holds(race)):
        renew(rng, race, t, base2)
    if race.clock[0] >= race.total_rate[0]:
        race.clock[0] -= race.total_rate[0]
        return race.arms[0]
    return draw_all(rng, race, logarithm(float(t), base2))


@inlined
def holds(race: Race) -> bool:
    """Return whether the leader's posterior is still within its bounds."""
    a = race.arms[0]
    return (
        race.n[a] >= race.least_n[0]
        and race.mean[a] + race.width[a] * race.log[0] >= race.least_mean[0]
    )


@shared
def renew(rng: np.random.Generator, race: Race, t: int, base2: float) -> None:
    """Compute the bounds at round ``t``.

    If only the leader and one other arm, the arm drawn last, have changed, only the bounds of this
    other arm are computed.
    """
    mean, width, n, a = race.mean, race.width, race.n, race.arms[0]
    if t <= race.end[0] and holds(race):
        j = race.arms[1]
        bound(race, j, mean[j] + width[j] * logarithm(race.end[0], base2))
        race.last[0] = race.end[0]
        if are_rare(race):
            return
    race.last[0] = race.end[0] = t + max(LEAST, math.floor(t * WINDOW))
    race.log[0], end = logarithm(float(t), base2), logarithm(race.end[0], base2)
    best, deviation, z = -1.0, 0.0, FAR
    for j in range(len(n)):
        m, s = moments(mean[j] + width[j] * race.log[0], n[j])
        if m > best:
            best, deviation, a = m, s, j
    for j in range(len(n)):
        m, s = moments(mean[j] + width[j] * end, n[j])
        z = min(z, (best - m) / (deviation + s)) if j != a else z
    z = max(z, NEAR)
    race.arms[0], race.least_n[0], race.level[0] = a, n[a], best - z * deviation
    race.least_mean[0] = clipped(mean[a] + width[a] * race.log[0]) - SLACK * z * deviation
    for j in range(len(n)):
        bound(race, j, race.least_mean[0] if j == a else mean[j] + width[j] * end)
    if are_rare(race):
        race.clock[0] = waiting(rng)
    else:
        race.arms[0], race.least_n[0], race.least_mean[0], race.total_rate[0] = (
            -1,
            0.0,
            -math.inf,
            math.inf,
        )


@inlined
def moments(mean: float, n: float) -> tuple[float, float]:
    """Compute the mean and the standard deviation of a posterior."""
    m = (clipped(mean) * n + 1.0) / (n + 2.0)
    return m, math.sqrt(m * (1.0 - m) / (n + 3.0))


@inlined
def clipped(mean: float) -> float:
    """Clip a mean to [0, 1], as ``draw_mean`` does."""
    return min(max(mean, 0.0), 1.0)


@inlined
def waiting(rng: np.random.Generator) -> float:
    """Draw an exponential number of mean 1 for a waiting time; this number is not part of any
    noise.
    """
    return -math.log1p(-random(rng))


@inlined
def are_rare(race: Race) -> bool:
    """Store the sum of the rates, and return whether events are rare enough for the bounds."""
    total, often = 0.0, 0.0
    for rate in race.rate:
        total += rate
        often += min(rate, 1.0)
    race.total_rate[0] = total
    return often <= OFTEN * len(race.rate)


@inlined
def bound(race: Race, j: int, mean: float) -> None:
    """Bound the draws of arm ``j`` on the wrong side of the level.

    The bounds hold for all means up to ``mean``; the bounds of the leader hold for all means from
    ``mean`` on.
    """
    mu, x = clipped(mean), race.level[0]
    if j == race.arms[0]:
        mu, x = 1.0 - mu, 1.0 - x
    race.rate[j], race.top[j], race.slope[j] = tail(mu, race.n[j], x)


@inlined
def tail(mu: float, n: float, x: float) -> tuple[float, float, float]:
    """Compute the rate, top and slope above ``x`` that hold for a set of posteriors.

    This set contains the posteriors with any mean up to ``mu`` and any number of rewards from ``n``
    on. Above ``x``, the posterior of ``mu`` and ``n`` has the largest density, and the tangent of
    its logarithm is an upper bound.
    """
    a, b = mu * n, (1.0 - mu) * n
    far = mu < x < 1.0 and x * (b + 0.5) > (1.0 - x) * (a + 0.57)
    if not far or n * bernoulli_kl(mu, x) < APART:
        return math.inf, 0.0, 0.0
    top, slope = log_density(mu, n, x), b / (1.0 - x) - a / x
    q = math.exp(top) / slope
    return -math.log1p(-q) if q < 1.0 else math.inf, top, slope


@inlined
def log_density(mu: float, n: float, y: float) -> float:
    """Compute the logarithm of the density of a posterior at ``y`` in (0, 1)."""
    a, b = mu * n, (1.0 - mu) * n
    whole = math.lgamma(n + 2.0) - math.lgamma(a + 1.0) - math.lgamma(b + 1.0)
    return whole + a * math.log(y) + b * math.log1p(-y)


@shared
def draw_all(rng: np.random.Generator, race: Race, l: float) -> int:
    """Return the arm of the largest draw in a round with an event or without a leader.

    ``l`` is log t.
    """
    mean, width, leader, x = race.mean, race.width, race.arms[0], race.level[0]
    best, first, below = -1.0, leader, -1.0
    if leader >= 0:
        for j in range(len(mean)):
            theta = draw_beyond(rng, race, j, mean[j] + width[j] * l)
            if j == leader:
                below = theta
            elif theta > best:
                best, first = theta, j
        if below < 0.0 and best >= 0.0:
            theta = draw_within(rng, race, leader, mean[leader] + width[leader] * l, x, 1.0)
            first = leader if theta > best else first
    if leader < 0 or below >= 0.0 > best:  # all draws are below the level
        best, first = below, leader
        for j in range(len(mean)):
            if j != leader:
                high = x if leader >= 0 else 1.0
                theta = draw_within(rng, race, j, mean[j] + width[j] * l, 0.0, high)
                if theta > best:
                    best, first = theta, j
    if leader >= 0 and first != leader:
        race.arms[1], race.last[0] = first, 0.0
    return first


@inlined
def draw_beyond(rng: np.random.Generator, race: Race, j: int, mean: float) -> float:
    """Return the draw of arm ``j`` if it is on the wrong side of the level, else -1."""
    n, mu, x = race.n[j], clipped(mean), race.level[0]
    leads = j == race.arms[0]
    if race.rate[j] == math.inf:
        y = draw_mean(rng, mean, n)
        return y if (y < x if leads else y > x) else -1.0
    if race.clock[0] >= race.rate[j]:
        race.clock[0] -= race.rate[j]
        return -1.0
    race.clock[0], step = waiting(rng), waiting(rng)
    if leads:
        mu, x = 1.0 - mu, 1.0 - x
    y = x + step / race.slope[j]
    if y >= 1.0 or waiting(rng) < race.top[j] - step - log_density(mu, n, y):
        return -1.0
    return 1.0 - y if leads else y


@inlined
def draw_within(
    rng: np.random.Generator, race: Race, j: int, mean: float, low: float, high: float
) -> float:
    """Draw from the posterior of arm ``j``, given that the draw is between ``low`` and ``high``."""
    theta = draw_mean(rng, mean, race.n[j])
    while not low <= theta <= high:
        theta = draw_mean(rng, mean, race.n[j])
    return theta
