"""UCB: optimism without privacy."""

import math

import numpy as np

from ..assumptions import UNIT_INTERVAL
from ..game import arms, pull_sum, pulls, rounds_left, rounds_played
from ..guarantees import NOT_PRIVATE
from ..kernel import borrow, kernel, verb
from ..radii import hoeffding

REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE


@verb
def ucb_index(S, N, t):
    return S / N + hoeffding(N, 4.0 * math.log(t)) if N > 0 else math.inf


@verb
def ucb_leader(game, S, t):
    """The arm of largest index at round ``t``, ties to the lowest."""
    S = borrow(S)
    leader, best = 0, -math.inf
    for a in range(len(S)):
        index = ucb_index(S[a], pulls(game, a), t)
        if index > best:
            leader, best = a, index
    return leader


@verb
def ucb_leads(game, S, a, t, n):
    """Whether arm ``a`` is certain to have the largest index in rounds t, ..., t + n - 1.

    Rewards are not negative, the bonus grows with t and shrinks with N: the arm's index never
    falls below that of n - 1 rewards of 0 at round t, and no other's rises above that at its end.
    """
    S = borrow(S)
    worst = ucb_index(S[a], pulls(game, a) + n - 1, t)
    for b in range(len(S)):
        if b != a and ucb_index(S[b], pulls(game, b), t + n - 1) >= worst:
            return False
    return True


@kernel
def ucb(game, rng):
    """UCB1 (Auer, Cesa-Bianchi & Fischer 2002): index mean + sqrt(2 ln t / N). Not private.
    Rewards in [0, 1].

    The arm of largest index is played for as many rounds as it is certain to keep it, in one
    block; the choices are those of an argmax in every round.
    """
    S = np.zeros(arms(game))
    n = 1
    while rounds_left(game) > 0:
        t = rounds_played(game) + 1
        a = ucb_leader(game, S, t)
        n = min(2 * n, rounds_left(game))
        while n > 1 and not ucb_leads(game, S, a, t, n):
            n //= 2
        S[a] += pull_sum(game, a, n)
