"""KL-UCB: optimism without privacy, with the Bernoulli divergence."""

import math

import numpy as np

from ..assumptions import UNIT_INTERVAL
from ..game import arms, pull_sum, pulls, rounds_left, rounds_played
from ..guarantees import NOT_PRIVATE
from ..kernel import borrow, kernel, verb
from ..radii import bernoulli_kl, kl_upper

REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE


@verb
def kl_index(S, N, t):
    return kl_upper(min(S / N, 1.0), math.log(t) / N) if N > 0 else math.inf


@verb
def implausible(S, N, q, l):
    """Whether an arm's index lies below ``q`` when ln t is ``l``; no root need be found, and no
    logarithm where Pinsker's inequality tells, whatever the rounding.
    """
    if N == 0 or q <= S / N:
        return False
    return 2.0 * N * (q - S / N) ** 2 > 1.000001 * l or N * bernoulli_kl(S / N, q) > l


@verb
def kl_leader(game, S, a, t):
    """The arm of largest index at round ``t``, ties to the lowest; arm ``a``, which led before,
    shows that the index of most others need not be computed.
    """
    S = borrow(S)
    best = kl_index(S[a], pulls(game, a), t)
    for b in range(len(S)):
        if b != a and not implausible(S[b], pulls(game, b), best - 1e-9, math.log(t)):
            index = kl_index(S[b], pulls(game, b), t)
            if index > best or (index == best and b < a):
                best, a = index, b
    return a


@verb
def kl_leads(game, S, a, t, n):
    """Whether arm ``a`` is certain to have the largest index in rounds t, ..., t + n - 1: even
    if its rewards are all 0 and the others' indices those of the last of these rounds.
    """
    S = borrow(S)
    worst = kl_index(S[a], pulls(game, a) + n - 1, t) - 1e-12  # the tolerance of an index
    for b in range(len(S)):
        if b != a and not implausible(S[b], pulls(game, b), worst, math.log(t + n - 1)):
            return False
    return True


@kernel
def kl_ucb(game, rng):
    """KL-UCB (Garivier & Cappe 2011): index max{q : N kl(mean, q) <= ln t}. Not private.
    Rewards in [0, 1].

    The arm of largest index is played for as many rounds as it is certain to keep it, in one
    block; the choices are those of an argmax in every round.
    """
    S = np.zeros(arms(game))
    a, n = 0, 1
    while rounds_left(game) > 0:
        t = rounds_played(game) + 1
        a = kl_leader(game, S, a, t)
        n = min(2 * n, rounds_left(game))
        while n > 1 and not kl_leads(game, S, a, t, n):
            n //= 2
        S[a] += pull_sum(game, a, n)
