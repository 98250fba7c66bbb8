"""Robust UCB: a non-private index algorithm for heavy-tailed rewards."""

import heapq
import math
from typing import NamedTuple

import numpy as np

from ..authoring import (
    NOT_PRIVATE,
    HeavyTails,
    MomentBound,
    Order,
    Powers,
    arms,
    kernel,
    new_powers,
    optimism,
    power_of_count,
    routine,
    verb,
)

NAME = "Robust UCB"
REWARDS = HeavyTails()
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


class Lives(NamedTuple):
    """The rewards that count, and for how long.

    Attributes:
        u: bound on the moment.
        v: the moment's order is 1 + v.
        log_T: ln T.
        immortal: float64 array (K,): rewards up to this absolute value never expire.
        renewed: float64 array (K,): N at which ``immortal`` is updated.
        mortal: heap of the rewards that expire: last round, arm, value.
        expires: float64 array (1,): last round of the first of them.
        widths: powers of N.
    """

    u: float
    v: float
    log_T: float
    immortal: np.ndarray
    renewed: np.ndarray
    mortal: list[tuple[float, int, float]]
    expires: np.ndarray
    widths: Powers


@verb
def observe(own, rng, pull, statistics):
    N, total, _ = statistics
    N += 1.0
    if abs(pull.x) <= own.immortal[pull.a]:
        return N, total + pull.x, 0.0
    life = own.u * N / (2.0 * abs(pull.x) ** (1.0 + own.v))
    if life < own.log_T:
        last = math.exp(life)
        if last < pull.t + 1:
            return N, total, 0.0
        remember(own.mortal, own.expires, last, pull.a, pull.x)
    return N, total + pull.x, 0.0


@routine
def remember(mortal, expires, last, a, x):
    """Add a reward to the heap."""
    heapq.heappush(mortal, (last, a, x))
    expires[0] = mortal[0][0]


@verb
def due(own, t):
    return own.expires[0] < t


@routine
def forget(own, t, N, total, more, level):
    """Subtract the rewards that have expired before round ``t``."""
    while own.expires[0] < t:
        _, b, x = heapq.heappop(own.mortal)
        total[b] -= x
        level[b] = total[b] / N[b]
        own.expires[0] = own.mortal[0][0]
    return -1


@verb
def index(own, a, statistics):
    N, total, _ = statistics
    power = own.v / (1.0 + own.v)
    if own.renewed[a] <= N:
        own.immortal[a] = (own.u * N / (2.0 * own.log_T)) ** (1.0 / (1.0 + own.v))
        own.renewed[a] = 1.1 * N
    wide = 4.0 * own.u ** (1.0 / (1.0 + own.v)) * 2.0**power
    return total / N, power_of_count(own.widths, a, N, wide, -power)


play = optimism(observe, index, due=due, review=forget)


@kernel
def robust_ucb(game, rng, u: MomentBound, v: Order):
    """Robust UCB with the truncated mean (Bubeck, Cesa-Bianchi & Lugosi 2013). Not private.
    Rewards with E|X|^(1+v) <= u.

    At round t the i-th reward x of an arm counts if |x|^(1+v) <= u i / ln t^2, that is until ln t
    exceeds u i / (2 |x|^(1+v)), its life. The few rewards that expire before the horizon are in a
    heap.

    Args:
        u: bound on the moment.
        v: the moment's order is 1 + v.
    """
    K, log_T = arms(game), math.log(max(game.horizon, 2))
    mortal, expires = [(math.inf, 0, 0.0)], np.zeros(1)
    expires[0] = math.inf
    own = Lives(u, v, log_T, np.zeros(K), np.zeros(K), mortal, expires, new_powers(K))
    play(game, rng, own, 0.0, v / (1.0 + v), v / (1.0 + v))
