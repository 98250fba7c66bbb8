"""CTL-UCB: UCB on private signs of heavy-tailed rewards, some of which are outliers."""

import math
from typing import Annotated

import numpy as np

from ..authoring import (
    RAW_LIMIT, AboveOne, Positive, RawMoments, arms, below, kept, kernel, largest_sign, local_dp,
    one_bit, pull_within, pulls, receive, rounds_left, rounds_played, routine, send_sign,
)  # fmt: skip

NAME = "CTL-UCB"
LINE = "green", "dashed"
REWARDS = RawMoments()
GUARANTEE = local_dp("Zhou & Zhang 2024, Proposition 2", send_sign, one_bit)
ROUND_BY_ROUND = True
REPORTS = True
Contamination = Annotated[float, below(RAW_LIMIT)]


@routine
def play(game, rng, eps, k, alpha, c, cap, bias):
    """Alg. 2 with the truncation levels of Proposition 2, given their limit and the outliers' bias.

    A device learns M before the reward is drawn, so it cannot depend on the final number of
    rewards: n is the power of two at or below the arm's next pull count, and what was sent stays.
    """
    total = np.zeros(arms(game))  # of the reports that the server keeps
    while rounds_left(game) > 0:
        l = 4.0 * math.log(max(rounds_played(game) + 1, 2))  # ln(1/delta), delta = t^-4
        few = 1.5 * l / alpha if alpha > 0.0 else l  # 6 ln t/alpha
        a, best = 0, -np.inf
        for b in range(arms(game)):
            N = pulls(game, b)
            if few >= N:
                a = b
                break
            index = total[b] / N + c * bias + c * (math.sqrt(l / N) / eps) ** (1.0 - 1.0 / k)
            a, best = (b, index) if index > best else (a, best)
        n = 2.0 ** (math.frexp(pulls(game, a) + 1.0)[1] - 1)
        M = min((eps * math.sqrt(n / l)) ** (1.0 / k), cap)
        reach = largest_sign(M, eps)
        z = send_sign(rng, pull_within(game, a, M), eps, M)
        total[a] += kept(receive(game, a, z, reach), reach)


@kernel
def ctl_ucb(game, rng, eps: Positive, k: AboveOne, alpha1: Contamination, c: Positive):
    """UCB for corruption-then-LDP (Zhou & Zhang 2024, Alg. 2). eps-local DP: every user sends a
    sign. Rewards with E|X|^k <= 1, and outliers, in their place, with probability at most alpha1.

    Args:
        eps: privacy budget of every user; the regret bound requires eps <= 1.
        k: order of the moment.
        alpha1: bound on the contamination. At 0 an arm is explored until it has ln(1/delta) pulls.
        c: constant of the radius, which the paper does not fix; .5 in its example.
    """
    cap = alpha1 ** (-1.0 / k) if alpha1 > 0.0 else np.inf
    play(game, rng, eps, k, alpha1, c, cap, alpha1 ** (1.0 - 1.0 / k))
