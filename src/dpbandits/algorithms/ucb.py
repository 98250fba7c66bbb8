"""UCB1: a non-private index algorithm."""

import math

from ..authoring import NOT_PRIVATE, UNIT_INTERVAL, kernel, optimism, inlined

NAME = "UCB"
LINE = "black", "solid"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@inlined
def observe(params, rng, pull, statistics):
    N, S, _ = statistics
    return N + 1.0, S + pull.x, 0.0


@inlined
def index(params, a, statistics):
    N, S, _ = statistics
    return S / N, math.sqrt(2.0 / N)


play = optimism(observe, index)


@kernel
def ucb(game, rng):
    """UCB1 (Auer, Cesa-Bianchi & Fischer 2002): index mean + sqrt(2 ln t / N). Not private.
    Rewards in [0, 1].
    """
    play(game, rng, ())  # index: level + sqrt(ln t) width
