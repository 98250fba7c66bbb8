"""KL-UCB: a non-private index algorithm with the Bernoulli divergence."""

import numpy as np

from ..authoring import (
    NOT_PRIVATE, UNIT_INTERVAL, arms, kernel, pull_sum, rounds_left, rounds_played,
)  # fmt: skip
from ..parts.indices.kl_argmax import kl_lead, new_reach

NAME = "KL-UCB"
LINE = "black", "dashed"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE


@kernel
def kl_ucb(game, rng):
    """KL-UCB (Garivier & Cappe 2011): index max{q : N kl(S/N, q) <= ln t}. Not private.
    Rewards in [0, 1].

    The arm of largest index is played in one block for as many rounds as its index certainly
    remains the largest; the choices equal the choices of an argmax in every round.
    """
    K = arms(game)
    N, S = np.zeros(K), np.zeros(K)
    reach, a, n = new_reach(K), 0, 1
    while rounds_left(game) > 0:
        t = rounds_played(game) + 1
        a, n = kl_lead(reach, S, N, a, t, min(2 * n, rounds_left(game)))
        S[a] += pull_sum(game, a, n)
        N[a] += n
