"""UCB1: a non-private index algorithm."""

import math

import numpy as np

from ..authoring import (
    NOT_PRIVATE,
    UNIT_INTERVAL,
    arms,
    hoeffding,
    kernel,
    pull_sum,
    rounds_left,
    rounds_played,
    verb,
)

NAME = "UCB"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE
MARGIN = 1e-12  # relative; far above the rounding error of an index


@verb
def index(mean, N, b, t):
    return mean[b] + hoeffding(N[b], 4.0 * math.log(t)) if N[b] > 0.0 else math.inf


@verb
def about(mean, width, b, growth):
    """An arm's index up to rounding errors, without a root or a division."""
    return mean[b] + growth * width[b]


@verb
def leader(mean, width, N, t):
    """The arm of largest index at round ``t``, ties to the lowest."""
    growth = math.sqrt(2.0 * math.log(t))
    a, best, second = 0, -math.inf, -math.inf
    for b in range(len(N)):
        x = about(mean, width, b, growth)
        higher = x > best  # without branches, which would be mispredicted
        second = max(second, best if higher else x)
        a = b if higher else a
        best = x if higher else best
    if not best > second + MARGIN * best:  # possibly a tie
        a = 0
        for b in range(1, len(N)):
            if index(mean, N, b, t) > index(mean, N, a, t):
                a = b
    return a


@verb
def unrivalled(mean, width, N, t, a, least):
    """Whether the indices of all arms but ``a`` are below ``least`` at round ``t``."""
    growth = math.sqrt(2.0 * math.log(t))
    above, near = 0, 0
    for b in range(len(N)):
        x = about(mean, width, b, growth)
        above += (b != a) & (x > least + MARGIN * least)
        near += (b != a) & (x >= least - MARGIN * least)
    if above == 0 and near > 0:
        for b in range(len(N)):
            above += (b != a) & (index(mean, N, b, t) >= least)
    return above == 0


@kernel
def ucb(game, rng):
    """UCB1 (Auer, Cesa-Bianchi & Fischer 2002): index mean + sqrt(2 ln t / N). Not private.
    Rewards in [0, 1].

    The arm of largest index is played in one block for as many rounds as its index certainly
    remains the largest; the choices equal those of an argmax in every round. Rewards are not
    negative and the bonus increases with t and decreases with N: during a block of n rounds from
    t on, the arm's index is at least that of n - 1 rewards of 0 at round t, and the index of
    another arm is at most its value at the end of the block.
    """
    K = arms(game)
    N, S = np.zeros(K), np.zeros(K)
    mean, width = np.full(K, math.inf), np.zeros(K)
    n = 1
    while rounds_left(game) > 0:
        t = rounds_played(game) + 1
        a = leader(mean, width, N, t)
        n = min(2 * n, rounds_left(game))
        while n > 1:
            most = N[a] + n - 1
            worst = S[a] / most + hoeffding(most, 4.0 * math.log(t))
            if unrivalled(mean, width, N, t + n - 1, a, worst):
                break
            n //= 2
        S[a] += pull_sum(game, a, n)
        N[a] += n
        mean[a] = S[a] / N[a]
        width[a] = 1.0 / math.sqrt(N[a])
