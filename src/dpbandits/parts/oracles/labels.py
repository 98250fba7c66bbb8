"""Reference policies that use labels which no policy sees: the best class, and all losses."""

from __future__ import annotations

import numpy as np

from ...compiled import inlined, shared
from ...contextual_game import ContextualGame
from .learner import ROWS, Learner, count_fit
from .logistic import minimise


@inlined
def best_class(game: ContextualGame) -> int:
    """Return the first action with the largest total reward over all rows of the data."""
    best, largest = 0, -np.inf
    for a in range(len(game.counts)):
        total = 0.0
        for row in range(game.env.table.shape[0]):
            total += game.env.table[row, game.env.order[a]]
        if total > largest:
            best, largest = a, total
    return best


@shared
def fit_all_losses(game: ContextualGame, now: Learner) -> None:
    """Fit a predictor without noise on the losses of all actions for each row of the batch."""
    n, p = now.clock[ROWS], now.theta.shape[2]
    everyone, b, g, old = np.arange(n), np.zeros(p), np.zeros(p), np.zeros(p)
    H, C = np.zeros((p, p)), np.zeros((p, p))
    for a in range(len(now.f)):
        for i in range(n):
            now.losses[i] = 1.0 - game.env.table[now.rows[i], game.env.order[a]]
        for k in range(p):
            now.theta[0, a, k] = 0.0
        minimise(now, everyone, 0, n, now.theta[0, a], b, now.oracle.ridge, g, H, C, old)
    count_fit(now, 0)
