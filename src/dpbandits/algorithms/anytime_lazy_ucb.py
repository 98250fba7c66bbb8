"""Anytime-Lazy-UCB: an optimistic index on the private means of doubling buffers."""

import math
from typing import Literal

from ..authoring import (
    UNIT_INTERVAL, Budget, global_dp, inlined, kernel, laplace_tail, one_release, pull_sum,
    rounds_left, rounds_played, until_horizon,
)  # fmt: skip
from ..parts.indices.radii import logarithm
from ..parts.schedules.leads import bisected
from ..parts.schedules.buffers import fill_buffer, first_buffers, room_in_buffer

NAME = "Anytime-Lazy-UCB"
LINE = "orange", "dashdotted"
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp(
    "Hu & Hegde 2022, Theorem 3, by post-processing", "buffer_means", alignment=one_release
)


@inlined
def upper(m, O, eps, l):
    """Return the index of an arm with the private mean ``m`` of ``O`` rewards, where l = 3 ln t."""
    return m + math.sqrt(l / O) + laplace_tail(O, eps, l)


@inlined
def leader(buffers, eps, t, log):
    """Return the arm of largest index in round ``t``; of several such arms, the arm with the lowest
    number.
    """
    a, best, l = 0, -math.inf, 3.0 * logarithm(float(t), log)
    for j in range(len(buffers.length)):
        index = upper(buffers.mean[j], buffers.length[j], eps, l)
        a, best = (j, index) if index > best else (a, best)
    return a


rounds_of_lead = bisected(leader)


@kernel
def anytime_lazy_ucb(game, rng, eps: Budget, log: Literal["natural", "base2"]):
    """Anytime-Lazy-UCB (Hu, Huang & Mehta 2021) on the buffers of Hu & Hegde 2022. eps-global DP.
    Rewards in [0, 1].

    Let m be the private mean of the O rewards in the last full buffer of an arm. The index of the
    arm is m + sqrt(3 ln t/O) + 3 ln t/(eps O). This index is derived from the events of the
    analysis of Hu & Hegde (docs/errata.md).

    The leader is played in one block until its buffer is full or another arm overtakes it. The
    index of an arm with fewer rewards rises faster, so an arm that overtakes the leader stays above
    it. Bisection therefore finds the round in which the leader is overtaken.

    Args:
        eps: privacy budget.
        log: the logarithm: 0 (natural), the default and our choice (docs/errata.md). 1 (base2), the
            notation of the paper.
    """
    buffers = first_buffers(game, rng, eps)
    while rounds_left(game) > 0:
        t = rounds_played(game) + 1
        a = leader(buffers, eps, t, log)
        n = rounds_of_lead(buffers, eps, t, log, until_horizon(game, room_in_buffer(buffers, a)))
        fill_buffer(rng, eps, buffers, a, pull_sum(game, a, n), n)
