"""Robust UCB: optimism for heavy-tailed rewards, without privacy."""

import heapq
import math

import numpy as np

from ..compiled.decorators import kernel
from ..contracts.assumptions import HeavyTails
from ..contracts.guarantees import NOT_PRIVATE
from ..contracts.parameters import MomentBound, Order
from ..game import arms, leave, pull_again, stay
from ..parts.argmax import keeps_lead, last_round, lead, new_race
from ..parts.powers import new_powers, power_of_count

NAME = "Robust UCB"
REWARDS = HeavyTails()
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@kernel
def robust_ucb(game, rng, u: MomentBound, v: Order):
    """Robust UCB with the truncated mean (Bubeck, Cesa-Bianchi & Lugosi 2013). Not private.
    Rewards with E|X|^(1+v) <= u.

    At round t an arm's i-th reward counts if |x|^(1+v) <= u i / ln t^2, that is until ln t exceeds
    its life u i / (2 |x|^(1+v)). The few that will not live to the horizon wait in a heap.

    Args:
        u: bound on the moment.
        v: the moment's order is 1 + v.
    """
    K, T = arms(game), game.horizon
    log_T = math.log(max(T, 2))
    power = v / (1.0 + v)
    N, total = np.zeros(K), np.zeros(K)
    immortal, renewed = np.zeros(K), np.zeros(K)  # values up to it never drop; at which N it grows
    race = new_race(K, 0.0, power, power)
    widths = new_powers(K)
    wide = 4.0 * u ** (1.0 / (1.0 + v)) * 2.0**power
    mortal = [(math.inf, 0, 0.0)]  # last round, arm and value of rewards that will be dropped
    t, expires = 1, math.inf
    while t <= T:
        while expires < t:
            _, b, x = heapq.heappop(mortal)
            total[b] -= x
            race.level[b] = total[b] / N[b]
            expires = mortal[0][0]
        a = lead(race, t, total, N)
        if N[a] >= renewed[a]:
            immortal[a] = (u * N[a] / (2.0 * log_T)) ** (1.0 / (1.0 + v))
            renewed[a] = 1.1 * N[a]
        arm, n, total_a, safe = stay(game, a), N[a], total[a], immortal[a]
        leads, until = True, last_round(race, T)
        while leads:
            x = pull_again(game, arm, t - 1)
            n += 1.0
            t += 1
            if abs(x) <= safe:
                total_a += x
            else:
                life = u * n / (2.0 * abs(x) ** (1.0 + v))
                if life >= log_T:
                    total_a += x
                elif math.exp(life) >= t:
                    total_a += x
                    heapq.heappush(mortal, (math.exp(life), a, x))
                    expires = mortal[0][0]
            leads = t <= until and t <= expires and keeps_lead(race, total_a, n)
        leave(game, arm, t - 1)
        N[a], total[a] = n, total_a
        race.level[a] = total_a / n
        race.width[a] = power_of_count(widths, a, n, wide, -power)
