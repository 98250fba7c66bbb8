"""Epsilon-greedy: random arms with a probability that falls as 1/t. Not private."""

import numpy as np

from ..authoring import NOT_PRIVATE, UNIT_INTERVAL, Positive, arms, kernel, pull, random, random_arm

NAME = "Epsilon-greedy"
LINE = "olive", "dashed"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@kernel
def eps_greedy(game, rng, c: Positive, d: Positive):
    """Epsilon_n-greedy (Auer, Cesa-Bianchi & Fischer 2002, Fig. 3): in round t a random arm with
    probability min(1, c K/(d^2 t)), else the arm of largest mean. Not private. Rewards in [0, 1].

    Args:
        c: factor of the probability; above 5 for the bound of Theorem 3.
        d: at most the smallest gap above 0, and at most 1.
    """
    K = arms(game)
    N, S, mean = np.zeros(K), np.zeros(K), np.zeros(K)
    for t in range(1, game.horizon + 1):
        a = random_arm(rng, K) if random(rng) * t < c * K / d**2 else np.argmax(mean)
        S[a] += pull(game, a)
        N[a] += 1.0
        mean[a] = S[a] / N[a]
