"""Dist-DP-SE: successive elimination by a server that sees only noisy modular sums."""

import math
from typing import Literal

import numpy as np

from ..authoring import (
    SUMS, UNIT_INTERVAL, Budget, Probability, all_arms, arms, global_dp, hoeffding,
    inlined_counted, integer_release, kernel, pull_encoded_in_turn, room_for, rounds_left,
    skip_rounds, viable,
)  # fmt: skip
from ..parts.noise.discrete_noise import discrete_laplace, granularity, modular_sum, most_noise

NAME = "Dist-DP-SE"
LINE = "grey", "solid"
REWARDS = UNIT_INTERVAL


def elimination(noise, decode=modular_sum):
    """Return the loop of the elimination of Chowdhury & Zhou 2023. ``noise(rng, scale)`` is the
    noise in a sum, and the server reads the sum by ``decode(total, noise, largest, tau)``.

    Args of the loop:
        eps: privacy budget.
        p: failure probability.
        base: a batch is ``base`` times as long as the batch before.
        s: factor of the granularity g.
        sigma: factor of the Gaussian part of the noise's radius.
    """

    @inlined_counted
    def play(game, rng, eps, p, base, s, sigma):
        S, T = all_arms(game), float(rounds_left(game))
        sums, mean = np.zeros(arms(game), np.int64), np.zeros(arms(game))
        b = 1.0
        while len(S) > 1 and room_for(game, base**b, len(S)):
            l = int(base**b)
            g = granularity(l, eps, s)
            tau = most_noise(g / eps, math.log(2.0 * T))
            pull_encoded_in_turn(game, S, l * len(S), g, sums)
            for a in S:
                mean[a] = decode(sums[a], noise(rng, g / eps), l * g, tau) / (float(l) * g)
            L = math.log(2.0 * len(S) * b**2 / p)
            w = hoeffding(l, math.log(4.0 * len(S) * b**2 / p))
            w += sigma * math.sqrt(L) / l + L / (s * eps * l)
            S = viable(S, mean, 2.0 * w)
            b += 1.0
        skip_rounds(game, S, rounds_left(game))  # a batch that the horizon cuts releases nothing

    return play


play = elimination(discrete_laplace)
GUARANTEE = global_dp(
    "Chowdhury & Zhou 2023: each reward enters one noisy sum",
    "modular_sum_of_laplace",
    SUMS,
    integer_release(elimination, "discrete_laplace"),
)


@kernel
def dist_dp_se(game, rng, eps: Budget, p: Probability, batches: Literal["doubled", "quadrupled"]):
    """Distributed-DP successive elimination (Chowdhury & Zhou 2023) with discrete Laplace
    noise. The sums that the server sees are eps-DP. Rewards in [0, 1].

    Args:
        eps: privacy budget.
        p: failure probability; 1/T in the theorem, .1 in the paper's experiments.
        batches: 0 (doubled), batch b has 2^b pulls of each arm; 1 (quadrupled), batch b has 4^b
            pulls of each arm, as in the authors' code.
    """
    play(game, rng, eps, p, 4.0 if batches else 2.0, 1.0, math.sqrt(2.0) / eps)
