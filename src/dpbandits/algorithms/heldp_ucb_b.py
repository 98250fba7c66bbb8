"""HeLDP-UCB-B: UCB on one-bit responses of users with privacy levels of their own."""

import math

import numpy as np

from ..compiled.decorators import kernel, verb
from ..contracts.assumptions import UNIT_INTERVAL
from ..contracts.guarantees import local_dp
from ..contracts.parameters import Positive
from ..game import (
    arms,
    leave,
    next_user,
    privacy_level,
    pull_again,
    stay,
    tanh_half_level,
    users_alike,
)
from ..parts.argmax import keeps_lead, last_round, lead, new_race
from ..parts.local_randomizers import (
    convert_to_bernoulli,
    convert_to_bernoulli_of_sigmoid,
    send_bit,
    unbiased,
)

NAME = "HeLDP-UCB-B"
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 10", send_bit)
ROUND_BY_ROUND = True
LEADING_TERM = "V_B"  # of its regret, which a good eps_min makes small


@verb
def agent_4(game, rng, eps_min, squash):
    """Agent 4 of Ren et al. 2020; with ``squash`` rewards pass through the sigmoid first."""
    K, T = arms(game), game.horizon
    N, s, B = np.zeros(K), np.zeros(K), np.zeros(K)
    same, user = users_alike(game), 0
    eps, tanh = privacy_level(game, user), tanh_half_level(game, user)
    sends = eps >= eps_min  # others send nothing
    race = new_race(K, 0.0, 0.5, 0.5 if same and sends else 1.0)
    c = 1.0 / tanh if same else 0.0
    low, high, gain = unbiased(0.0, c), unbiased(1.0, c), c**2  # what a bit adds to s, and to B
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
    """HeLDP-UCB-B (Ren et al. 2020, Agent 4, Curator CTB). Each user's response is DP at that
    user's own level. Rewards in [0, 1]. With equal levels it is HoLDP-UCB-B.

    Args:
        eps_min: users with a lower level send nothing.
    """
    agent_4(game, rng, eps_min, False)
