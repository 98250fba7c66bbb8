"""KL-UCB: optimism without privacy, with the Bernoulli divergence."""

import math
from typing import NamedTuple

import numpy as np

from ..compiled.decorators import kernel, verb
from ..compiled.intrinsics import borrow
from ..contracts.assumptions import UNIT_INTERVAL
from ..contracts.guarantees import NOT_PRIVATE
from ..game import arms, pull_sum, rounds_left, rounds_played
from ..parts.radii import bernoulli_kl, kl_upper

NAME = "KL-UCB"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE
CLEAR = 1e-9  # between two indices: far above the error of either
SURE = 1e-6  # relative, of N kl: far above its rounding


class Reach(NamedTuple):
    """Each arm's index when it was last computed. As ln t grows it grows from there, below its
    tangent, until the arm is played.

    Attributes:
        height: float64 array (K,), the index.
        slope: float64 array (K,), of the index by ln t.
        since: float64 array (K,), ln t.
    """

    height: np.ndarray
    slope: np.ndarray
    since: np.ndarray


@verb
def kl_index(S, N, t):
    return kl_upper(min(S / N, 1.0), math.log(t) / N) if N > 0 else math.inf


@verb
def compute(reach, S, N, a, t):
    """Compute the index of an arm at round ``t``."""
    reach = borrow(reach)
    q = kl_index(S, N, t)
    reach.height[a], reach.since[a] = q, math.log(t)
    reach.slope[a] = q * (1.0 - q) / (N * q - S) if N > 0 and N * q > S else math.inf


@verb
def at_most(reach, b, l):
    """The tangent of an arm's index where ln t is ``l``."""
    return reach.height[b] + reach.slope[b] * max(l - reach.since[b], 1e-300)


@verb
def rivals(reach, a, l):
    """Between what the largest index of all arms but ``a`` lies when ln t is ``l``, and the arm
    that may have it.
    """
    reach = borrow(reach)
    low, high, arm = -math.inf, -math.inf, a
    for b in range(len(reach.height)):
        if b != a:
            low = max(low, reach.height[b])
            most = at_most(reach, b, l)
            arm = b if most > high else arm
            high = max(high, most)
    return low, high, arm


@verb
def surely_above(S, N, q, l):
    """Whether an arm's index is clearly above ``q``; no root need be found."""
    q += CLEAR
    return N > 0 and q < 1.0 and (q <= S / N or N * bernoulli_kl(S / N, q) < (1.0 - SURE) * l)


@verb
def surely_below(S, N, q, l):
    """Whether an arm's index is clearly below ``q``; no root need be found."""
    q -= CLEAR
    return N > 0 and S / N < q < 1.0 and N * bernoulli_kl(S / N, q) > (1.0 + SURE) * l


@verb
def kl_leader(reach, S, N, a, t):
    """The arm of largest index at round ``t``, ties to the lowest; ``a`` led before."""
    reach, S, N = borrow(reach), borrow(S), borrow(N)
    l = math.log(t)
    if surely_above(S[a], N[a], rivals(reach, a, l)[1], l):
        return a
    compute(reach, S[a], N[a], a, t)
    for b in range(len(N)):
        if b != a and not at_most(reach, b, l) < reach.height[a] - CLEAR:
            compute(reach, S[b], N[b], b, t)
            if reach.height[b] > reach.height[a] or (reach.height[b] == reach.height[a] and b < a):
                a = b
    return a


@verb
def kl_leads(reach, S, N, a, t, n):
    """Whether arm ``a`` is certain to have the largest index in rounds t, ..., t + n - 1: even
    if its rewards are all 0 and the others' indices those of the last of these rounds.
    """
    reach, S, N = borrow(reach), borrow(S), borrow(N)
    now, then, most = math.log(t), math.log(t + n - 1), N[a] + n - 1
    stale = True
    while stale:
        low, high, rival = rivals(reach, a, then)
        if surely_above(S[a], most, high, now):
            return True
        if surely_below(S[a], most, low, now):
            return False
        stale = rival != a and reach.since[rival] < now
        if stale:
            compute(reach, S[rival], N[rival], rival, t)
    worst = kl_index(S[a], most, t) - 1e-12  # the tolerance of an index
    for b in range(len(N)):
        implausible = N[b] > 0 and worst > S[b] / N[b]
        if b != a and not (implausible and N[b] * bernoulli_kl(S[b] / N[b], worst) > then):
            return False
    return True


@kernel
def kl_ucb(game, rng):
    """KL-UCB (Garivier & Cappe 2011): index max{q : N kl(mean, q) <= ln t}. Not private.
    Rewards in [0, 1].

    The arm of largest index is played for as many rounds as it is certain to keep it, in one
    block; the choices are those of an argmax in every round.
    """
    K = arms(game)
    N, S = np.zeros(K), np.zeros(K)
    reach = Reach(np.full(K, math.inf), np.zeros(K), np.zeros(K))
    a, n = 0, 1
    while rounds_left(game) > 0:
        t = rounds_played(game) + 1
        a = kl_leader(reach, S, N, a, t)
        n = min(2 * n, rounds_left(game))
        while n > 1 and not kl_leads(reach, S, N, a, t, n):
            n //= 2
        S[a] += pull_sum(game, a, n)
        N[a] += n
