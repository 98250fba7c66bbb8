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
def kl_leads(game, S, a, t, n):
    """Whether arm ``a`` is certain to have the largest index in rounds t, ..., t + n - 1: even
    if its rewards are all 0 and the others' indices those of the last of these rounds.

    Another index lies below a value when that value is implausible for its arm, which needs no
    root to be found.
    """
    S = borrow(S)
    worst = kl_index(S[a], pulls(game, a) + n - 1, t) - 1e-12  # the tolerance of an index
    for b in range(len(S)):
        N = pulls(game, b)
        if b != a and (
            N == 0 or S[b] / N >= worst or N * bernoulli_kl(S[b] / N, worst) <= math.log(t + n - 1)
        ):
            return False
    return True


@kernel
def kl_ucb(game, rng):
    """KL-UCB (Garivier & Cappe 2011): index max{q : N kl(mean, q) <= ln t}. Not private.
    Rewards in [0, 1].

    The arm of largest index is played for as many rounds as it is certain to keep it, in one
    block; the choices are those of an argmax in every round.
    """
    S, index = np.zeros(arms(game)), np.zeros(arms(game))
    n = 1
    while rounds_left(game) > 0:
        t = rounds_played(game) + 1
        for b in range(arms(game)):
            index[b] = kl_index(S[b], pulls(game, b), t)
        a = np.argmax(index)
        n = min(2 * n, rounds_left(game))
        while n > 1 and not kl_leads(game, S, a, t, n):
            n //= 2
        S[a] += pull_sum(game, a, n)
