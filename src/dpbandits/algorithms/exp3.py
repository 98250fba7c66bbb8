"""Exp3: exponential weights for adversarial bandits. Not private."""

import math
from typing import Annotated

import numpy as np

from ..authoring import (
    NOT_PRIVATE, UNIT_INTERVAL, Interval, Named, arms, kernel, pull, random,
)  # fmt: skip

NAME = "Exp3"
LINE = "olive", "dotted"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True
MINIMAX = 0.0
Mixture = Annotated[float, Named({"minimax": MINIMAX}, Interval(0.0, 1.0, "(]"))]


@kernel
def exp3(game, rng, gamma: Mixture):
    """Exp3 (Auer, Cesa-Bianchi, Freund & Schapire 2002): arm a with probability
    (1 - gamma) w_a/sum w + gamma/K, where ln w_a adds up gamma x/(K p_a). Not private. Rewards in
    [0, 1], which an adversary may choose.

    Args:
        gamma: share of random arms; minimax, min(1, sqrt(K ln K/((e - 1) T))) of Corollary 3.2.
    """
    K, T = arms(game), game.horizon
    if gamma == MINIMAX:
        gamma = min(1.0, math.sqrt(K * math.log(K) / ((math.e - 1.0) * T)))
    G = np.zeros(K)  # ln w
    for _ in range(T):
        w = np.exp(G - G.max())
        p = (1.0 - gamma) * w / w.sum() + gamma / K
        a = min(np.searchsorted(np.cumsum(p), random(rng), "right"), K - 1)
        G[a] += gamma * pull(game, a) / (K * p[a])
