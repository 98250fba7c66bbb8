"""HeLDP-UCB-L: UCB on Laplace responses of users with privacy levels of their own."""

import math

import numpy as np

from ..assumptions import UNIT_INTERVAL
from ..curators import convert_to_laplace
from ..environments.laws import sigmoid
from ..game import arms, next_user, privacy_level, pull, rounds_left, rounds_played
from ..guarantees import local_dp
from ..kernel import kernel, verb
from ..optimism import keeps_lead, lead, new_race
from ..parameters import Positive

REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 7", convert_to_laplace)
ROUND_BY_ROUND = True
LEADING_TERM = "V_L"  # of its regret, which a good eps_min makes small


@verb
def agent_2(game, rng, eps_min, squash):
    """Agent 2 of Ren et al. 2020; with ``squash`` rewards pass through the sigmoid first."""
    K = arms(game)
    N, s, A = np.zeros(K), np.zeros(K), np.zeros(K)
    race = new_race(K, 0.0, 0.5)
    hungry, fed_until = 0, 0.0  # the arm of smallest A, and until when it does not ask to be fed
    while rounds_left(game) > 0:
        t = rounds_played(game) + 1
        feed = False
        if t >= fed_until:
            feed = A[hungry] <= 4.0 * math.log(t) / eps_min**2
            fed_until = 0.999 * math.exp(min(A[hungry] * eps_min**2 / 4.0, 700.0))
        a = hungry if feed else lead(race, t, s, N)
        leads = True
        while leads:
            user = next_user(game)
            eps = privacy_level(game, user)
            r = pull(game, a)
            if eps >= eps_min:  # others send nothing
                N[a] += 1.0
                s[a] += convert_to_laplace(rng, sigmoid(r) if squash else r, eps)
                A[a] += 1.0 / eps**2
            t += 1
            leads = not feed and t < fed_until and keeps_lead(race, t, s[a], N[a])
            leads = leads and rounds_left(game) > 0
        if N[a] > 0.0:
            race.level[a] = s[a] / N[a]
            race.width[a] = math.sqrt(2.0 / N[a]) + math.sqrt(32.0 * A[a]) / N[a]
        if a == hungry:
            hungry = int(np.argmin(A))
            fed_until = 0.0


@kernel
def heldp_ucb_l(game, rng, eps_min: Positive):
    """HeLDP-UCB-L (Ren et al. 2020, Agent 2, Curator CTL). Each user's response is DP at that
    user's own level. Rewards in [0, 1]. With equal levels it is HoLDP-UCB-L.

    Args:
        eps_min: users with a lower level send nothing.
    """
    agent_2(game, rng, eps_min, False)
