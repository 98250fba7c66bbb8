"""HeLDP-UCB-L: UCB on Laplace responses of users with individual privacy levels."""

import math

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Positive, convert_to_laplace, kernel, local_dp, next_user, one_release, optimism,
    privacy_level, verb,
)  # fmt: skip
from .heldp_ucb_b import fade

NAME = "HeLDP-UCB-L"
LINE = "sky blue", "solid"
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 7", convert_to_laplace, alignment=one_release)
ROUND_BY_ROUND = True
ANY_REWARDS = "heldp_ucb_ls"  # the variant behind a sigmoid
LEADING_TERM = "V_L"  # of the regret; eps_min should minimise it


def agent_2(curator):
    """Agent 2 of Ren et al. 2020 with a curator that sends a number."""

    @verb
    def observe(own, rng, pull, statistics):
        (game, eps_min), (N, s, A) = own[0], statistics
        eps = privacy_level(game, pull.user)
        if eps < eps_min:  # the user sends nothing
            return N, s, A
        return N + 1.0, s + curator(rng, pull.x, eps), A + 1.0 / eps**2

    @verb
    def index(own, a, statistics):
        N, s, A = statistics
        return s / N, math.sqrt(2.0 / N) + math.sqrt(32.0 * A) / N

    return optimism(observe, index, arrive, force)


@verb
def arrive(own, game, rng, last):
    """The next user."""
    return next_user(game)


@verb
def force(own, t, N, s, A, level):
    """The arm of smallest A, if A <= 4 ln t / eps_min^2: it must be explored."""
    (_, eps_min), before = own  # the condition is false up to round before[0]
    rarest = np.argmin(A)
    before[0] = 0.999 * math.exp(min(A[rarest] * eps_min**2 / 4.0, 700.0))
    return rarest if A[rarest] <= 4.0 * math.log(t) / eps_min**2 else -1


play = agent_2(convert_to_laplace)


@kernel
def heldp_ucb_l(game, rng, eps_min: Positive):
    """HeLDP-UCB-L (Ren et al. 2020, Agent 2, Curator CTL); with equal levels, HoLDP-UCB-L. Each
    user's response is DP at that user's level. Rewards in [0, 1].

    Args:
        eps_min: users with a lower level send nothing.
    """
    play(game, rng, ((game, eps_min), np.zeros(1)), 0.0, 0.5, fade(game, eps_min))
