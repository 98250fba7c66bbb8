"""HeLDP-UCB-B: UCB on one-bit responses of users with individual privacy levels."""

import math

import numpy as np

from ..authoring import (
    UNIT_INTERVAL,
    Positive,
    arms,
    convert_to_bernoulli,
    convert_to_bernoulli_of_sigmoid,
    keeps_lead,
    kernel,
    last_round,
    lead,
    leave,
    local_dp,
    new_race,
    next_user,
    privacy_level,
    pull_again,
    routine,
    send_bit,
    stay,
    tanh_half_level,
    unbiased,
    users_alike,
)

NAME = "HeLDP-UCB-B"
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 10", send_bit)
ROUND_BY_ROUND = True
ANY_REWARDS = "heldp_ucb_bs"  # the variant behind a sigmoid
LEADING_TERM = "V_B"  # of the regret; eps_min should minimise it


@routine
def agent_4(game, rng, eps_min, squash):
    """Agent 4 of Ren et al. 2020; with ``squash`` users send a bit of the reward's sigmoid."""
    K, T = arms(game), game.horizon
    N, s, B = np.zeros(K), np.zeros(K), np.zeros(K)
    same, user = users_alike(game), 0
    eps, tanh = privacy_level(game, user), tanh_half_level(game, user)
    sends = eps >= eps_min  # whether the user sends a response
    race = new_race(K, 0.0, 0.5, 0.5 if same and sends else 1.0)
    c = 1.0 / tanh if same else 0.0
    low, high, gain = unbiased(0.0, c), unbiased(1.0, c), c**2  # added to s (bit 0, bit 1), and B
    t = 0
    while t < T:
        a = lead(race, t + 1, s, N)
        arm, Na, sa, Ba = stay(game, a), N[a], s[a], B[a]
        leads, until = True, last_round(race, T)
        while leads:
            if not same:
                user = next_user(game)
                sends = privacy_level(game, user) >= eps_min
            r = pull_again(game, arm, t)
            t += 1
            if sends:
                if not same:
                    tanh = tanh_half_level(game, user)
                    c = 1.0 / tanh
                    low, high, gain = unbiased(0.0, c), unbiased(1.0, c), c**2
                if squash:
                    x = convert_to_bernoulli_of_sigmoid(rng, r, tanh)
                else:
                    x = convert_to_bernoulli(rng, r, tanh)
                Na += 1.0
                sa += high if x == 1.0 else low
                Ba += gain
            leads = t < until and keeps_lead(race, sa, Na)
        leave(game, arm, t)
        N[a], s[a], B[a] = Na, sa, Ba
        if Na > 0.0:
            race.level[a] = sa / Na
            race.width[a] = math.sqrt(2.0 * Ba) / Na


@kernel
def heldp_ucb_b(game, rng, eps_min: Positive):
    """HeLDP-UCB-B (Ren et al. 2020, Agent 4, Curator CTB); with equal levels, HoLDP-UCB-B. Each
    user's response is DP at that user's level. Rewards in [0, 1].

    Args:
        eps_min: users with a lower level send nothing.
    """
    agent_4(game, rng, eps_min, False)
