"""HeLDP-UCB-L: UCB on Laplace responses of users with individual privacy levels."""

import math

import numpy as np

from ..authoring import (
    UNIT_INTERVAL,
    Positive,
    add_laplace,
    arms,
    convert_to_laplace,
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
    sigmoid,
    stay,
    users_alike,
)

NAME = "HeLDP-UCB-L"
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 7", convert_to_laplace)
ROUND_BY_ROUND = True
ANY_REWARDS = "heldp_ucb_ls"  # the variant behind a sigmoid
LEADING_TERM = "V_L"  # of the regret; eps_min should minimise it


@routine
def agent_2(game, rng, eps_min, squash):
    """Agent 2 of Ren et al. 2020; with ``squash`` users send the reward's sigmoid plus noise."""
    K, T = arms(game), game.horizon
    N, s, A = np.zeros(K), np.zeros(K), np.zeros(K)
    same, eps = users_alike(game), privacy_level(game, 0)
    sends = eps >= eps_min  # whether the user sends a response
    scale, gain = 1.0 / eps if sends else 0.0, 1.0 / eps**2 if sends else 0.0
    race = new_race(K, 0.0, 0.5, 0.5 if same and sends else 1.0)
    rarest, forced_from = 0, 0.0  # arm of smallest A, first round at which it can be forced
    t = 1
    while t <= T:
        forced = False
        if t >= forced_from:
            forced = A[rarest] <= 4.0 * math.log(t) / eps_min**2
            forced_from = 0.999 * math.exp(min(A[rarest] * eps_min**2 / 4.0, 700.0))
        a = rarest if forced else lead(race, t, s, N)
        arm, Na, sa, Aa = stay(game, a), N[a], s[a], A[a]
        leads, until = True, 0.0 if forced else min(forced_from, last_round(race, T) + 1.0)
        while leads:
            if not same:
                eps = privacy_level(game, next_user(game))
                sends = eps >= eps_min
                if sends:
                    scale, gain = 1.0 / eps, 1.0 / eps**2
            r = pull_again(game, arm, t - 1)
            t += 1
            if sends:
                Na += 1.0
                sa += add_laplace(rng, sigmoid(r) if squash else r, scale)
                Aa += gain
            leads = t < until and keeps_lead(race, sa, Na)
        leave(game, arm, t - 1)
        N[a], s[a], A[a] = Na, sa, Aa
        if Na > 0.0:
            race.level[a] = sa / Na
            race.width[a] = math.sqrt(2.0 / Na) + math.sqrt(32.0 * Aa) / Na
        if a == rarest:
            rarest = int(np.argmin(A))
            forced_from = 0.0


@kernel
def heldp_ucb_l(game, rng, eps_min: Positive):
    """HeLDP-UCB-L (Ren et al. 2020, Agent 2, Curator CTL); with equal levels, HoLDP-UCB-L. Each
    user's response is DP at that user's level. Rewards in [0, 1].

    Args:
        eps_min: users with a lower level send nothing.
    """
    agent_2(game, rng, eps_min, False)
