"""HeLDP-UCB-B: UCB on one-bit responses of users with privacy levels of their own."""

import math

import numpy as np

from ..assumptions import UNIT_INTERVAL
from ..curators import convert_to_bernoulli, send_bit, unbiased
from ..environments.laws import sigmoid
from ..game import (
    arms,
    next_user,
    privacy_level,
    pull,
    rounds_left,
    rounds_played,
    tanh_half_level,
)
from ..guarantees import local_dp
from ..kernel import kernel, verb
from ..optimism import keeps_lead, lead, new_race
from ..parameters import Positive

REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 10", send_bit)
ROUND_BY_ROUND = True
LEADING_TERM = "V_B"  # of its regret, which a good eps_min makes small


@verb
def agent_4(game, rng, eps_min, squash):
    """Agent 4 of Ren et al. 2020; with ``squash`` rewards pass through the sigmoid first."""
    K = arms(game)
    N, s, B = np.zeros(K), np.zeros(K), np.zeros(K)
    race = new_race(K, 0.0, 0.5)
    while rounds_left(game) > 0:
        a = lead(race, rounds_played(game) + 1, s, N)
        leads = True
        while leads:
            user = next_user(game)
            r = pull(game, a)
            if privacy_level(game, user) >= eps_min:  # others send nothing
                tanh = tanh_half_level(game, user)
                x = convert_to_bernoulli(rng, sigmoid(r) if squash else r, tanh)
                c = 1.0 / tanh
                N[a] += 1.0
                s[a] += unbiased(x, c)
                B[a] += c**2
            leads = keeps_lead(race, rounds_played(game) + 1, s[a], N[a]) and rounds_left(game) > 0
        if N[a] > 0.0:
            race.level[a] = s[a] / N[a]
            race.width[a] = math.sqrt(2.0 * B[a]) / N[a]


@kernel
def heldp_ucb_b(game, rng, eps_min: Positive):
    """HeLDP-UCB-B (Ren et al. 2020, Agent 4, Curator CTB). Each user's response is DP at that
    user's own level. Rewards in [0, 1]. With equal levels it is HoLDP-UCB-B.

    Args:
        eps_min: users with a lower level send nothing.
    """
    agent_4(game, rng, eps_min, False)
