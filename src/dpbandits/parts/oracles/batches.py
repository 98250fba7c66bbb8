"""The loop over batches.

Batch m = 1, 2, ... has the rounds 2^(m-1) to 2^m - 1; the horizon cuts the last batch.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled import random, shared, shared_rare
from ...contextual_game import ContextualGame, play_users, show_users
from ...game import rounds_left, rounds_played
from .learner import BEFORE, LOGISTIC, ROWS, Learner
from .logistic import fit_logistic
from .moments import fit_quadratic, noisy_gram, root_rho, widen

ROOT2 = math.sqrt(2.0)


@shared
def next_batch(game: ContextualGame, rng: np.random.Generator, now: Learner) -> bool:
    """Play the actions chosen for the present batch, fit a predictor to this batch, and show the
    users of the next batch.

    The function returns whether there is a next batch. No predictor is fitted to the last batch.
    """
    if not play_batch(game, rng, now):
        return False
    fit(rng, now)
    show_batch(game, now)
    return True


@shared
def play_batch(game: ContextualGame, rng: np.random.Generator, now: Learner) -> bool:
    """Play the actions chosen for the present batch, and return whether rounds are left.

    In the first batch, actions are chosen uniformly at random.
    """
    if now.clock[ROWS] == 0:
        show_batch(game, now)
        for i in range(now.clock[ROWS]):
            now.actions[i] = int(random(rng) * len(now.f))
    play_users(game, now.clock[ROWS], now.rows, now.actions, now.losses)
    return rounds_left(game) > 0


@shared
def show_batch(game: ContextualGame, now: Learner) -> None:
    """Show the users of the next batch."""
    now.clock[BEFORE] = rounds_played(game)
    now.clock[ROWS] = min(rounds_played(game) + 1, rounds_left(game))
    show_users(game, now.clock[ROWS], now.rows)


@shared
def fit(rng: np.random.Generator, now: Learner) -> None:
    """Fit a predictor to the present batch; a policy with a bonus or a quadratic loss also releases
    G.

    G is the noisy Gram matrix of the features.
    """
    has_bonus = len(now.V) > 0
    if now.oracle.loss == LOGISTIC:
        fit_logistic(rng, now, now.oracle.eps / 2.0 if has_bonus else now.oracle.eps)
    if has_bonus or now.oracle.loss != LOGISTIC:
        release_moments(rng, now)


@shared_rare
def release_moments(rng: np.random.Generator, now: Learner) -> None:
    """Release the noisy Gram matrix G, and use it for the quadratic fit and for the bonus.

    The quadratic oracle spends half of its rho on G. With the logistic oracle, G is a separate
    release: the fit spends half of eps, and G spends the other half.
    """
    eps, delta = now.oracle.eps, now.oracle.delta
    is_quadratic = now.oracle.loss != LOGISTIC
    sd = ROOT2 / root_rho(eps, delta) if is_quadratic else 1.0 / root_rho(eps / 2.0, delta)
    G = noisy_gram(rng, now, sd)
    if is_quadratic:
        fit_quadratic(rng, now, G, sd)
    if len(now.V) > 0:
        widen(now, G)
