"""Robust UCB: a non-private index algorithm for heavy-tailed rewards."""

import math
from typing import NamedTuple

import numpy as np

from ..authoring import (
    NOT_PRIVATE, HeavyTails, MomentBound, Order, arms, inlined, kernel, new_powers, optimism,
    power_of_count, unlikely,
)  # fmt: skip
from ..parts.indices.powers import Powers
from ..parts.means.expiry import EXPIRING, Expiry, count_until, new_expiry

NAME = "Robust UCB"
LINE = "black", "dashdotted"
REWARDS = HeavyTails()
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


class Params(NamedTuple):
    """The values that the index uses in addition to the statistics of an arm."""

    u: float
    v: float
    longest: float  # ln T, the life of a reward that counts until the horizon
    widths: Powers  # 4 u^(1/(1 + v)) (2/N)^(v/(1 + v))
    harmless: np.ndarray  # float64 array (K,), new rewards up to this size count until the horizon
    renewed: np.ndarray  # float64 array (K,), the N at which ``harmless`` is computed anew
    expiry: Expiry


@inlined
def observe(params, rng, pull, statistics):
    """Update the statistics of an arm: its number of pulls, and the sum of the rewards that count.
    The i-th reward x counts in round t if |x|^(1+v) <= u i / ln t^2. So the reward counts until ln
    t exceeds its life, u i / (2 |x|^(1+v)).
    """
    n, total, _ = statistics
    N = n + 1.0
    if unlikely(abs(pull.x) > params.harmless[pull.a]):
        life = params.u * N / (2.0 * abs(pull.x) ** (1.0 + params.v))
        if life < params.longest:
            if math.exp(life) < pull.t + 1:
                return N, total, 0.0
            count_until(params.expiry, math.exp(life), pull.a, pull.x)
    return N, total + pull.x, 0.0


@inlined
def index(params, a, statistics):
    N, total, _ = statistics
    if params.renewed[a] <= N:
        params.harmless[a] = (params.u * N / (2.0 * params.longest)) ** (1.0 / (1.0 + params.v))
        params.renewed[a] = 1.1 * N
    return total / N, power_of_count(params.widths, a, N)


play = optimism(observe, index, interruption=EXPIRING)


@kernel
def robust_ucb(game, rng, u: MomentBound, v: Order):
    """Robust UCB with the truncated mean (Bubeck, Cesa-Bianchi & Lugosi 2013). Not private.
    The rewards satisfy E|X|^(1+v) <= u. Index: truncated mean + 4 u^(1/(1+v)) (ln t^2/N)^(v/(1+v)).

    Args:
        u: bound on the moment E|X|^(1+v).
        v: the moment's order is 1 + v.
    """
    K, log_T, power = arms(game), math.log(max(game.horizon, 2)), v / (1.0 + v)
    wide = 4.0 * u ** (1.0 / (1.0 + v)) * 2.0**power
    widths = new_powers(K, wide, -power)
    params = Params(u, v, log_T, widths, np.zeros(K), np.zeros(K), new_expiry())
    play(game, rng, params, power=power, width_decay=power)
