"""HeLDP-UCB-B: UCB on one-bit responses of users with individual privacy levels."""

import math
from typing import NamedTuple

from ..authoring import (
    UNIT_INTERVAL, Positive, coth_half_level, inlined, inlined_counted, kernel, local_dp,
    next_user, one_bit, optimism, privacy_level, random, tanh_half_level, users_alike,
)  # fmt: skip
from ..parts.noise.local_randomizers import convert_to_bernoulli, send_bit, unbiased

NAME = "HeLDP-UCB-B"
LINE = "violet", "dashdotted"
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 10", send_bit, alignment=one_bit)
ROUND_BY_ROUND = True
ANY_REWARDS = "heldp_ucb_bs"  # the variant for any rewards, which uses the rewards' sigmoids
LEADING_TERM = "V_B"  # the leading term of the regret; eps_min should minimise this term


class User(NamedTuple):
    """A user who sends one bit, or nothing."""

    sends: bool  # whether the level eps is at least eps_min
    tanh: float  # tanh(eps/2)
    c: float  # coth(eps/2)
    u: float  # the random number that decides the bit


class Params(NamedTuple):
    """The values that the index uses in addition to the statistics of an arm."""

    eps_min: float
    alike: bool  # whether every user sends a response and all users have the same privacy level


@inlined
def user_of(game, level, eps_min):
    """Return the user whose privacy level has the index ``level``."""
    sends = privacy_level(game, level) >= eps_min
    return User(sends, tanh_half_level(game, level), coth_half_level(game, level), 0.0)


def agent_4(curator):
    """Return the loop of Agent 4 of Ren et al. 2020 with a curator that sends one bit."""

    @inlined
    def draw_user(params, game, rng, last):
        user = last if params.alike else user_of(game, next_user(game), params.eps_min)
        u = random(rng) if params.alike or user.sends else 0.0
        return User(user.sends, user.tanh, user.c, u)

    @inlined
    def observe(params, rng, pull, statistics):
        (N, s, B), user = statistics, pull.user
        if not user.sends:
            return N, s, B
        bit = curator(user.u, pull.x, user.tanh)
        return N + 1.0, s + unbiased(bit, user.c), B + user.c**2

    @inlined
    def index(params, a, statistics):
        N, s, B = statistics
        return s / N, math.sqrt(2.0 * B) / N

    play_optimistically = optimism(observe, index, draw_user)

    @inlined_counted
    def play(game, rng, eps_min):
        params = Params(eps_min, at_one_level(game, eps_min))
        user = user_of(game, 0, eps_min)
        play_optimistically(game, rng, params, width_decay=width_decay(params.alike), user=user)

    return play


@inlined
def at_one_level(game, eps_min):
    """Return whether every user sends a response and all users have the same level."""
    return users_alike(game) and privacy_level(game, 0) >= eps_min


@inlined
def width_decay(alike):
    """Return ``width_decay`` of the index: 1/2 if all responses are alike, so that the bonus is
    proportional to N^(-1/2), else 1.
    """
    return 0.5 if alike else 1.0


play = agent_4(convert_to_bernoulli)


@kernel
def heldp_ucb_b(game, rng, eps_min: Positive):
    """HeLDP-UCB-B (Ren et al. 2020, Agent 4, Curator CTB). If all users have the same level, the
    algorithm is HoLDP-UCB-B. Each user's response is DP at that user's level. Rewards in [0, 1].

    Args:
        eps_min: users with a lower level send nothing.
    """
    play(game, rng, eps_min)
