"""HeLDP-UCB-L: UCB on Laplace responses of users with individual privacy levels."""

import math
from typing import NamedTuple

from ..authoring import (
    UNIT_INTERVAL, Positive, inlined, inlined_counted, kernel, laplace, local_dp, next_user,
    one_release, optimism, privacy_level,
)  # fmt: skip
from ..parts.indices.optimism import exploring
from ..parts.noise.local_randomizers import convert_to_laplace
from .heldp_ucb_b import Params, at_one_level, width_decay

NAME = "HeLDP-UCB-L"
LINE = "sky blue", "solid"
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 7", convert_to_laplace, alignment=one_release)
ROUND_BY_ROUND = True
ANY_REWARDS = "heldp_ucb_ls"  # the variant for any rewards, which uses the rewards' sigmoids
LEADING_TERM = "V_L"  # the leading term of the regret; eps_min should minimise this term


class User(NamedTuple):
    """A user who sends a number, or nothing."""

    sends: bool  # whether the level eps is at least eps_min
    scale: float  # 1/eps, the scale of the noise
    square: float  # 1/eps^2
    noise: float  # the noise of the user's response


@inlined
def user_of(game, level, eps_min):
    """Return the user whose privacy level has the index ``level``, before the noise is drawn."""
    eps = privacy_level(game, level)
    if eps < eps_min:
        return User(False, 0.0, 0.0, 0.0)
    return User(True, 1.0 / eps, 1.0 / eps**2, 0.0)


@inlined
def identity(r):
    """Return the reward as it is."""
    return r


@inlined
def enough(params, log_t):
    """Return 4 ln t / eps_min^2. An arm counts as explored in round t once A, the sum of 1/eps^2
    over its responses, is above this number.
    """
    return 4.0 * log_t / params.eps_min**2


def agent_2(transform):
    """Return the loop of Agent 2 of Ren et al. 2020 with a curator that sends the transformed
    reward plus noise.
    """

    @inlined
    def draw_user(params, game, rng, last):
        user = last if params.alike else user_of(game, next_user(game), params.eps_min)
        noise = laplace(rng, user.scale) if params.alike or user.sends else 0.0
        return User(user.sends, user.scale, user.square, noise)

    @inlined
    def observe(params, rng, pull, statistics):
        (N, s, A), user = statistics, pull.user
        if not user.sends:
            return N, s, A
        return N + 1.0, s + (transform(pull.x) + user.noise), A + user.square

    @inlined
    def index(params, a, statistics):
        N, s, A = statistics
        return s / N, math.sqrt(2.0 / N) + math.sqrt(32.0 * A) / N

    exploration = exploring(enough, by_pulls=False)
    play_optimistically = optimism(observe, index, draw_user, exploration)

    @inlined_counted
    def play(game, rng, eps_min):
        params = Params(eps_min, at_one_level(game, eps_min))
        user = user_of(game, 0, eps_min)
        play_optimistically(game, rng, params, width_decay=width_decay(params.alike), user=user)

    return play


play = agent_2(identity)


@kernel
def heldp_ucb_l(game, rng, eps_min: Positive):
    """HeLDP-UCB-L (Ren et al. 2020, Agent 2, Curator CTL). If all users have the same level, the
    algorithm is HoLDP-UCB-L. Each user's response is DP at that user's level. Rewards in [0, 1].

    Args:
        eps_min: users with a lower level send nothing.
    """
    play(game, rng, eps_min)
