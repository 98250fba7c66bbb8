"""LinUCB: optimism with ridge regression, updated in every round. Not private."""

import math

from ..authoring import (
    CONTEXTUAL, NOT_PRIVATE, Confidence, Positive, add_round, confidence_width, contexts,
    dimension, ensure_contexts, kernel, new_ridge, optimistic, play, rounds_left,
)  # fmt: skip
from ..parts.linear.ridge import latest_estimate, solve

NAME = "LinUCB"
LINE = "brown", "dotted"
REWARDS = CONTEXTUAL
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@kernel
def lin_ucb(game, rng, delta: Confidence, lam: Positive):
    """LinUCB with the confidence ellipsoid of OFUL (Abbasi-Yadkori, Pal & Szepesvari 2011, Fig. 1).
    Not private.

    Args:
        delta: failure probability.
        lam: weight of the ridge.
    """
    V = new_ridge(dimension(game), lam)
    now = latest_estimate(V)
    start, l = V.log_det[0], math.log(1.0 / delta)
    x = contexts(game)
    while rounds_left(game) > 0:
        beta = confidence_width(now, start, lam, l)
        ensure_contexts(game)  # x holds the contexts of this round
        a = optimistic(now, x, beta)
        add_round(V, x, a, play(game, a))
        solve(now, V, V.b)
