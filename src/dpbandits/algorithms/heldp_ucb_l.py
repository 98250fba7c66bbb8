"""HeLDP-UCB-L: UCB on Laplace responses of users with privacy levels of their own."""

import math

import numpy as np

from ..compiled.decorators import kernel, verb
from ..contracts.assumptions import UNIT_INTERVAL
from ..contracts.guarantees import local_dp
from ..contracts.parameters import Positive
from ..environments.laws import sigmoid
from ..game import arms, leave, next_user, privacy_level, pull_again, stay, users_alike
from ..parts.argmax import keeps_lead, last_round, lead, new_race
from ..parts.local_randomizers import add_laplace, convert_to_laplace

NAME = "HeLDP-UCB-L"
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Ren et al. 2020, Theorem 7", convert_to_laplace)
ROUND_BY_ROUND = True
LEADING_TERM = "V_L"  # of its regret, which a good eps_min makes small


@verb
def agent_2(game, rng, eps_min, squash):
    """Agent 2 of Ren et al. 2020; with ``squash`` rewards pass through the sigmoid first."""
    K, T = arms(game), game.horizon
    N, s, A = np.zeros(K), np.zeros(K), np.zeros(K)
    same, eps = users_alike(game), privacy_level(game, 0)
    sends = eps >= eps_min  # others send nothing
    scale, gain = 1.0 / eps if sends else 0.0, 1.0 / eps**2 if sends else 0.0
    race = new_race(K, 0.0, 0.5, 0.5 if same and sends else 1.0)
    hungry, fed_until = 0, 0.0  # the arm of smallest A, and until when it does not ask to be fed
    t = 1
    while t <= T:
        feed = False
        if t >= fed_until:
            feed = A[hungry] <= 4.0 * math.log(t) / eps_min**2
            fed_until = 0.999 * math.exp(min(A[hungry] * eps_min**2 / 4.0, 700.0))
        a = hungry if feed else lead(race, t, s, N)
        arm, Na, sa, Aa = stay(game, a), N[a], s[a], A[a]
        leads, until = True, 0.0 if feed else min(fed_until, last_round(race, T) + 1.0)
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
