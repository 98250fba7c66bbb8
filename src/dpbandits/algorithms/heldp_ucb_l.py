"""HeLDP-UCB-L: UCB on Laplace responses of users with individual privacy levels."""

import math
from typing import NamedTuple

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Positive, inlined, inlined_counted, kernel, laplace, local_dp, next_user,
    one_release, optimism, privacy_level,
)  # fmt: skip
from ..parts.noise.local_randomizers import convert_to_laplace
from .heldp_ucb_b import at_one_level, width_decay

NAME = "HeLDP-UCB-L"
LINE = "sky blue", "solid"
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 7", convert_to_laplace, alignment=one_release)
ROUND_BY_ROUND = True
ANY_REWARDS = "heldp_ucb_ls"  # the variant behind a sigmoid
LEADING_TERM = "V_L"  # of the regret; eps_min should minimise it


class User(NamedTuple):
    """A user who sends a number, or nothing."""

    sends: bool  # whether the level eps is at least eps_min
    scale: float  # 1/eps, of the noise
    square: float  # 1/eps^2
    noise: float


@inlined
def user_of(game, level, eps_min):
    """A user, given the index of the level, before the noise is drawn."""
    eps = privacy_level(game, level)
    if eps < eps_min:
        return User(False, 0.0, 0.0, 0.0)
    return User(True, 1.0 / eps, 1.0 / eps**2, 0.0)


@inlined
def as_it_is(r):
    """The reward."""
    return r


def agent_2(transform):
    """Agent 2 of Ren et al. 2020 with a curator that sends the transformed reward plus noise."""

    @inlined
    def draw_user(own, game, rng, last):
        eps_min, alike = own[0]
        user = last if alike else user_of(game, next_user(game), eps_min)
        noise = laplace(rng, user.scale) if alike or user.sends else 0.0
        return User(user.sends, user.scale, user.square, noise)

    @inlined
    def observe(own, rng, pull, statistics):
        (N, s, A), user = statistics, pull.user
        if not user.sends:
            return N, s, A
        return N + 1.0, s + (transform(pull.x) + user.noise), A + user.square

    @inlined
    def index(own, a, statistics):
        N, s, A = statistics
        return s / N, math.sqrt(2.0 / N) + math.sqrt(32.0 * A) / N

    play_optimistically = optimism(observe, index, draw_user, force)

    @inlined_counted
    def play(game, rng, eps_min):
        alike, user = at_one_level(game, eps_min), user_of(game, 0, eps_min)
        own = (eps_min, alike), np.zeros(1)
        play_optimistically(game, rng, own, 0.0, 0.5, width_decay(alike), user)

    return play


@inlined
def force(own, t, N, s, A, level):
    """The arm of smallest A, if A <= 4 ln t / eps_min^2: it must be explored."""
    (eps_min, _), before = own  # the condition is false up to round before[0]
    rarest = np.argmin(A)
    before[0] = 0.999 * math.exp(min(A[rarest] * eps_min**2 / 4.0, 700.0))
    return rarest if A[rarest] <= 4.0 * math.log(t) / eps_min**2 else -1


play = agent_2(as_it_is)


@kernel
def heldp_ucb_l(game, rng, eps_min: Positive):
    """HeLDP-UCB-L (Ren et al. 2020, Agent 2, Curator CTL); with equal levels, HoLDP-UCB-L. Each
    user's response is DP at that user's level. Rewards in [0, 1].

    Args:
        eps_min: users with a lower level send nothing.
    """
    play(game, rng, eps_min)
