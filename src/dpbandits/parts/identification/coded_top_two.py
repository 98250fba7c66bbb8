"""Top Two identification as in the authors' code, where coins choose leader or challenger."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined, random, shared, shared_rare
from ...game import arms, pull_sum, rounds_left
from ..noise.mechanisms import laplace_mean
from ..schedules.batches import rounds_without_order
from .top_two import is_convincing

# the number of zeros at the end of each byte
ZEROS = np.array([8] + [(i & -i).bit_length() - 1 for i in range(1, 256)])


@shared_rare
def as_coded(game, rng, eps, delta, proved, answer):
    """Play AdaP-TT as the authors' code does, and store the number of the answer in ``answer[0]``.

    The challenger is determined anew in every round, and a coin chooses between the leader and the
    challenger. The stopping test is done for the leader. Rewards matter only when a phase ends, so
    they are drawn after the rounds. If the game ends before the test succeeds, ``answer`` stays
    unchanged.
    """
    K = arms(game)
    if rounds_left(game) < K:
        return
    m, n = np.zeros(K), np.ones(K)  # private mean and length of the last phase
    end, total = np.full(K, 2.0), np.zeros(K)  # pulls at the end of this phase, sum of its rewards
    N, seen = np.ones(K), np.ones(K)  # pulls, and pulls whose rewards have been drawn
    for a in range(K):
        m[a] = laplace_mean(rng, pull_sum(game, a, 1), 1.0, eps)
    while rounds_left(game) > 0:
        started = np.sum(end) / 2.0
        leader, slack = coded_leader(m, n, started, eps), 1.0 / (1.0 + math.sqrt(started))
        ended = -1
        while ended < 0 and rounds_left(game) > 0:
            ended = coded_rounds(rng, m, N, end, slack, leader, rounds_without_order(game))
            for a in range(K):
                total[a] += pull_sum(game, a, int(N[a] - seen[a]))
                seen[a] = N[a]
        if ended >= 0:
            n[ended] = end[ended] / 2.0
            m[ended] = laplace_mean(rng, total[ended], n[ended], eps)
            end[ended], total[ended] = 2.0 * end[ended], 0.0
            leader = coded_leader(m, n, np.sum(end) / 2.0, eps)
            if is_convincing(m, n, leader, eps, delta, False, proved):
                answer[0] = np.argmax(m)
                return


@inlined
def coded_leader(m, n, t, eps):
    l = math.log(t)
    best, largest = 0, -np.inf
    for a in range(len(m)):
        index = m[a] + l / (eps * n[a]) + math.sqrt(l / (2.0 * n[a]))
        if index > largest:
            best, largest = a, index
    return best


@shared
def coded_rounds(rng, m, N, end, slack, b, left):
    """Add the pulls of at most ``left`` rounds with leader ``b`` to ``N``, until a phase ends.

    The function returns the arm whose phase ended, or -1. The coins are the bits of a random
    number. The highest bit is not a coin: it is always set, and marks the end of the coins. A zero
    is a round of the leader, and a one is a round of the challenger.
    """
    coins, c, bar, w = 1, 0, -np.inf, N[b]  # bar: a lower bound on the costs of other arms
    while left > 0:
        if coins == 1:
            coins = int(random(rng) * 2.0**53) + 2**53
        own = ZEROS[coins & 255]
        most = min(end[b] - w, left)
        if own >= most:
            N[b] = w + most
            return b if N[b] == end[b] else -1
        w, left, coins = w + own, left - own, coins >> own
        if own < 8 and coins > 1:
            coins, left = coins >> 1, left - 1
            if coded_cost(m[b] - m[c] + slack, w, N[c]) >= bar:
                c, bar = coded_challenger(m, N, slack, b, w)
            N[c] += 1.0
            if N[c] == end[c]:
                N[b] = w
                return c
    N[b] = w
    return -1


@inlined
def coded_cost(d, w, v):
    """Compute the squared cost of two arms, with the sign of ``d``.

    ``d`` is the difference of their means plus the slack; ``w`` and ``v`` are their pulls. A
    positive cost does not decrease with more pulls.
    """
    return d * abs(d) * (w * v / (w + v))


@inlined
def coded_challenger(m, N, slack, b, w):
    """Return the challenger and a lower bound on the costs of the other arms until a phase ends.

    The challenger is the arm of smallest cost; of several such arms, the arm with the lowest
    number. The bound is the second smallest cost. If this cost is not positive, it might decrease,
    and the bound is -inf.
    """
    found, smallest, second = -1, np.inf, np.inf
    for a in range(len(m)):
        cost = coded_cost(m[b] - m[a] + slack, w, N[a]) if a != b else np.inf
        first = cost < smallest
        second = smallest if first else cost if cost < second else second
        found, smallest = a if first else found, cost if first else smallest
    return found, second if second > 0.0 else -np.inf
