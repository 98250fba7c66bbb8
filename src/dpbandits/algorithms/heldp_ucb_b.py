"""HeLDP-UCB-B: UCB on one-bit responses of users with individual privacy levels."""

import math

from ..authoring import (
    UNIT_INTERVAL, Positive, convert_to_bernoulli, coth_half_level, kernel, local_dp, next_user,
    one_bit, optimism, privacy_level, send_bit, tanh_half_level, unbiased, users_alike, verb,
)  # fmt: skip

NAME = "HeLDP-UCB-B"
LINE = "sky blue", "dashed"
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 10", send_bit, alignment=one_bit)
ROUND_BY_ROUND = True
ANY_REWARDS = "heldp_ucb_bs"  # the variant behind a sigmoid
LEADING_TERM = "V_B"  # of the regret; eps_min should minimise it


def agent_4(curator):
    """Agent 4 of Ren et al. 2020 with a curator that sends one bit."""

    @verb
    def observe(own, rng, pull, statistics):
        (game, eps_min), (N, s, B) = own, statistics
        if privacy_level(game, pull.user) < eps_min:  # the user sends nothing
            return N, s, B
        tanh, c = tanh_half_level(game, pull.user), coth_half_level(game, pull.user)
        return N + 1.0, s + unbiased(curator(rng, pull.x, tanh), c), B + c**2

    @verb
    def index(own, a, statistics):
        N, s, B = statistics
        return s / N, math.sqrt(2.0 * B) / N

    return optimism(observe, index, arrive=next_user)


@verb
def fade(game, eps_min):
    """1/2 if the bonus decreases as N^(-1/2), since every user sends a response at one level."""
    return 0.5 if users_alike(game) and privacy_level(game, 0) >= eps_min else 1.0


play = agent_4(convert_to_bernoulli)


@kernel
def heldp_ucb_b(game, rng, eps_min: Positive):
    """HeLDP-UCB-B (Ren et al. 2020, Agent 4, Curator CTB); with equal levels, HoLDP-UCB-B. Each
    user's response is DP at that user's level. Rewards in [0, 1].

    Args:
        eps_min: users with a lower level send nothing.
    """
    play(game, rng, (game, eps_min), 0.0, 0.5, fade(game, eps_min))
