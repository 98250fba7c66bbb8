"""Robust UCB: a non-private index algorithm for heavy-tailed rewards."""

import heapq
import math

import numpy as np

from ..authoring import (
    NOT_PRIVATE,
    HeavyTails,
    MomentBound,
    Order,
    arms,
    keeps_lead,
    kernel,
    last_round,
    lead,
    leave,
    new_powers,
    new_race,
    power_of_count,
    pull_again,
    stay,
)

NAME = "Robust UCB"
REWARDS = HeavyTails()
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@kernel
def robust_ucb(game, rng, u: MomentBound, v: Order):
    """Robust UCB with the truncated mean (Bubeck, Cesa-Bianchi & Lugosi 2013). Not private.
    Rewards with E|X|^(1+v) <= u.

    At round t the i-th reward x of an arm counts if |x|^(1+v) <= u i / ln t^2, that is until ln t
    exceeds u i / (2 |x|^(1+v)), its life. The few rewards that expire before the horizon are in a
    heap.

    Args:
        u: bound on the moment.
        v: the moment's order is 1 + v.
    """
    K, T = arms(game), game.horizon
    log_T = math.log(max(T, 2))
    power = v / (1.0 + v)
    N, total = np.zeros(K), np.zeros(K)
    immortal = np.zeros(K)  # rewards up to this absolute value never expire
    renewed = np.zeros(K)  # N at which immortal is updated
    race = new_race(K, 0.0, power, power)
    widths = new_powers(K)
    wide = 4.0 * u ** (1.0 / (1.0 + v)) * 2.0**power
    mortal = [(math.inf, 0, 0.0)]  # last round, arm and value of rewards that expire
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
