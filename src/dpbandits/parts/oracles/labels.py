"""Parts of reference policies, which see the labels of all users, unlike other policies."""

from __future__ import annotations

import numpy as np

from ...compiled import inlined, shared, shared_borrowing
from ...contextual_game import ContextualGame
from .learner import LOGISTIC, ROWS, Learner, count_fit
from .logistic import minimise
from .moments import invert_symmetric


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
    if now.oracle.loss != LOGISTIC:
        invert_gram(now, H)
    for a in range(len(now.f)):
        for i in range(n):
            now.losses[i] = 1.0 - game.env.table[now.rows[i], game.env.order[a]]
        for k in range(p):
            now.theta[0, a, k] = 0.0
        if now.oracle.loss == LOGISTIC:
            minimise(now, everyone, 0, n, now.theta[0, a], b, now.oracle.ridge, g, H, C, old)
        else:
            solve(now, H, g, now.theta[0, a])
    count_fit(now, 0)


@shared
def invert_gram(now: Learner, A: np.ndarray) -> None:
    """Fill ``A`` with (Z'Z + lam n I)^-1, where the rows of Z are the users of the batch."""
    n = now.clock[ROWS]
    for k in range(len(A)):
        for m in range(k + 1):
            A[k, m] = now.oracle.ridge * n * (k == m)
            for i in range(n):
                A[k, m] += now.features[now.rows[i], k] * now.features[now.rows[i], m]
    invert_symmetric(A)


@shared_borrowing
def solve(now: Learner, A: np.ndarray, u: np.ndarray, x: np.ndarray) -> None:
    """Fill ``x`` with A Z'y, where y holds the losses of the batch; ``u`` is overwritten."""
    for k in range(len(u)):
        u[k] = 0.0
        for i in range(now.clock[ROWS]):
            u[k] += now.features[now.rows[i], k] * now.losses[i]
    for k in range(len(u)):
        for m in range(len(u)):
            x[k] += A[k, m] * u[m]
