"""Exp3: exponential weights for adversarial bandits. Not private."""

import numpy as np

from ..authoring import NOT_PRIVATE, UNIT_INTERVAL, ShareOrMinimax, arms, kernel, pull, random

NAME = "Exp3"
LINE = "olive", "dotted"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@kernel
def exp3(game, rng, gamma: ShareOrMinimax):
    """Exp3 (Auer, Cesa-Bianchi, Freund & Schapire 2002). Not private. Rewards in [0, 1]. Arm a has
    probability P(a) = (1 - gamma) w_a/sum w + gamma/K; reward x adds gamma x/(K P(a)) to ln w_a.

    Args:
        gamma: share of random arms; minimax: min(1, sqrt(K ln K/((e - 1) T))) (Corollary 3.2).
    """
    K, T = arms(game), game.horizon
    if gamma == 0.0:  # minimax
        gamma = min(1.0, np.sqrt(K * np.log(K) / ((np.e - 1.0) * T)))
    G = np.zeros(K)  # ln w
    for _ in range(T):
        w = np.exp(G - G.max())
        p = (1.0 - gamma) * w / w.sum() + gamma / K
        a = min(np.searchsorted(np.cumsum(p), random(rng), "right"), K - 1)
        G[a] += gamma * pull(game, a) / (K * p[a])
