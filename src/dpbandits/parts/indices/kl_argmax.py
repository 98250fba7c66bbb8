"""The argmax of KL indices in blocks of rounds with one leader, without computing every index.

The index at round t of an arm with N rewards of sum S is ``max{q : N kl(S/N, q) <= ln t}``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared
from .radii import bernoulli_kl, kl_upper

CLEAR = 1e-9  # margin between two indices, far above the error of each index
SURE = 1e-6  # relative margin of N kl, far above its rounding error


class Reach(NamedTuple):
    """The index of each arm when it was last computed, and the tangent of the index as a function
    of ln t.

    An index is concave in ln t, so the tangent is an upper bound until the arm is played.
    """

    height: np.ndarray  # float64 array (K,), the index
    slope: np.ndarray  # float64 array (K,), derivative of the index with respect to ln t
    since: np.ndarray  # float64 array (K,), ln t when the index was computed


@shared
def new_reach(K: int) -> Reach:
    """Return the state before the first round, in which all indices are infinite."""
    return Reach(np.full(K, math.inf), np.zeros(K), np.zeros(K))


@inlined
def kl_index(S, N, t):
    """Compute the index at round ``t`` of an arm with ``N`` rewards of sum ``S``."""
    return kl_upper(min(S / N, 1.0), math.log(t) / N) if N > 0 else math.inf


@inlined
def compute(reach, S, N, a, t):
    """Compute and store the index of an arm at round ``t``."""
    q = kl_index(S, N, t)
    reach.height[a], reach.since[a] = q, math.log(t)
    reach.slope[a] = q * (1.0 - q) / (N * q - S) if N > 0 and N * q > S else math.inf


@inlined
def at_most(reach, b, l):
    """Return the tangent of arm ``b`` at ln t = ``l``, an upper bound of its index."""
    return reach.height[b] + reach.slope[b] * max(l - reach.since[b], 1e-300)


@inlined
def rivals(reach, a, l):
    """Bound the largest index of all arms other than ``a`` at ln t = ``l``.

    The result is a lower bound, an upper bound, and the arm with the upper bound.
    """
    low, high, arm = -math.inf, -math.inf, a
    for b in range(len(reach.height)):
        if b != a:
            low = max(low, reach.height[b])
            most = at_most(reach, b, l)
            arm = b if most > high else arm
            high = max(high, most)
    return low, high, arm


@inlined
def surely_above(S, N, q, l):
    """Return whether an arm's index is certainly above ``q``, without computing the index."""
    q += CLEAR
    return N > 0 and q < 1.0 and (q <= S / N or N * bernoulli_kl(S / N, q) < (1.0 - SURE) * l)


@inlined
def surely_below(S, N, q, l):
    """Return whether an arm's index is certainly below ``q``, without computing the index."""
    q -= CLEAR
    return N > 0 and S / N < q < 1.0 and N * bernoulli_kl(S / N, q) > (1.0 + SURE) * l


@inlined
def kl_leader(reach, S, N, a, t):
    """Return the arm of largest index at round ``t``; of several such arms, the arm of lowest
    number.

    ``a`` is the previous leader.
    """
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


@inlined
def kl_leads(reach, S, N, a, t, n):
    """Return whether arm ``a`` certainly has the largest index in rounds t, ..., t + n - 1.

    The test assumes the worst case: all rewards of the arm are 0, and the other arms already have
    the indices that they will have in the last of these rounds.
    """
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


@inlined
def kl_lead(reach, S, N, a, t, most):
    """Return the arm of largest index at round ``t``, and for how many rounds it certainly leads.

    The number of rounds is at most ``most``; ``a`` is the previous leader.
    """
    a, n = kl_leader(reach, S, N, a, t), most
    while n > 1 and not kl_leads(reach, S, N, a, t, n):
        n //= 2
    return a, n
