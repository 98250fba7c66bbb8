"""Rewards in [-1, 1] that users send as bits, and the variance of estimates from these bits."""

from __future__ import annotations

import numpy as np

from ...compiled import random, shared, shared_borrowing
from ...environments.laws import TWO_POINT
from ...game import Game, pull, pull_sum
from .matrices import factor, invert


@shared_borrowing
def pull_bits(game: Game, a: int, n: int) -> float:
    """Play arm ``a`` for ``n`` rounds, and return the number of bits that are 1.

    In each round a reward r in [-1, 1] becomes a bit, which is 1 with probability (1 + r)/2. If all
    rewards are 1 or -1, they determine the bits, and the number of ones is drawn as one block.
    """
    env = game.env
    signs = env.law[a] == TWO_POINT and env.alpha == 0.0
    if signs and env.parameters[a, 0] == -1.0 and env.parameters[a, 1] == 1.0:
        return 0.5 * (pull_sum(game, a, n) + n)
    ones = 0.0
    for _ in range(n):
        r = pull(game, a)
        ones += 1.0 if random(game.env_rng) < 0.5 * (1.0 + r) else 0.0
    return ones


@shared
def largest_variance(z: np.ndarray, n: np.ndarray, rewards: float, coins: float) -> float:
    """Compute the largest variance proxy, over all actions, of a value estimated by least squares.

    With V = sum n z z^T, the proxy for an action z is ``rewards`` times z^T V^-1 z, plus ``coins``
    times the sum of (z^T V^-1 z_i)^2 over the actions z_i that are played.

    Args:
        z: float64 array (k, r), the actions in a basis of their span.
        n: float64 array (k,), how often each action is played, or the share of its plays.
        rewards: the variance proxy of a reward.
        coins: the variance proxy of the noise of a sum.
    """
    k, r = z.shape
    V, L, W, g = np.zeros((r, r)), np.zeros((r, r)), np.zeros((r, r)), np.zeros((k, k))
    for a in range(k):
        for i in range(r):
            for j in range(r):
                V[i, j] += n[a] * z[a, i] * z[a, j]
    factor(V, L)
    invert(L, W)
    largest = 0.0
    for a in range(k):
        found = 0.0
        for b in range(k):
            for i in range(r):
                for j in range(r):
                    g[a, b] += z[a, i] * W[i, j] * z[b, j]
            if n[b] > 0.0:
                found += coins * g[a, b] ** 2
        largest = max(largest, found + rewards * g[a, a])
    return largest
