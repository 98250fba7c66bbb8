"""Robust UCB: a non-private index algorithm for heavy-tailed rewards."""

import math

import numpy as np

from ..authoring import (
    NOT_PRIVATE, HeavyTails, MomentBound, Order, arms, inlined, kernel, new_powers, optimism,
    power_of_count, unlikely,
)  # fmt: skip
from ..parts.means.expiry import forget, new_heap, remember

NAME = "Robust UCB"
LINE = "black", "dashdotted"
REWARDS = HeavyTails()
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@inlined
def observe(own, rng, pull, statistics):
    ((u, v, log_T, _), (immortal, _, _), heap, first), (n, total, _) = own, statistics
    N = n + 1.0
    if unlikely(abs(pull.x) > immortal[pull.a]):
        life = u * N / (2.0 * abs(pull.x) ** (1.0 + v))
        if life < log_T:
            if math.exp(life) < pull.t + 1:
                return N, total, 0.0
            remember(heap, first, math.exp(life), pull.a, pull.x)
    return N, total + pull.x, 0.0


@inlined
def index(own, a, statistics):
    ((u, v, log_T, wide), (immortal, renewed, widths), _, _), (N, total, _) = own, statistics
    if renewed[a] <= N:
        immortal[a] = (u * N / (2.0 * log_T)) ** (1.0 / (1.0 + v))
        renewed[a] = 1.1 * N
    return total / N, power_of_count(widths, a, N, wide, -v / (1.0 + v))


play = optimism(observe, index, force_exploration=forget, may_reschedule=True)


@kernel
def robust_ucb(game, rng, u: MomentBound, v: Order):
    """Robust UCB with the truncated mean (Bubeck, Cesa-Bianchi & Lugosi 2013). Not private.
    Rewards with E|X|^(1+v) <= u.

    At round t the i-th reward x of an arm counts if |x|^(1+v) <= u i / ln t^2, that is until ln t
    exceeds u i / (2 |x|^(1+v)), its life. Those that expire before the horizon are in a heap.

    Args:
        u: bound on the moment.
        v: the moment's order is 1 + v.
    """
    wide = 4.0 * u ** (1.0 / (1.0 + v)) * 2.0 ** (v / (1.0 + v))
    K, constants = arms(game), (u, v, math.log(max(game.horizon, 2)), wide)
    immortal, renewed = np.zeros(K), np.zeros(K)  # the latter: N at which immortal is updated
    heap, first = new_heap()
    own = constants, (immortal, renewed, new_powers(K)), heap, first
    play(game, rng, own, 0.0, v / (1.0 + v), v / (1.0 + v))
