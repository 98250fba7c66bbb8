"""RS-OFUL: optimism with ridge regression and rare switches. Not private."""

import math

from ..authoring import (
    CONTEXTUAL, NOT_PRIVATE, Confidence, Positive, add_round, confidence_width, contexts,
    dimension, ensure_contexts, kernel, new_ridge, optimistic, play, rounds_left,
)  # fmt: skip
from ..parts.linear.ridge import estimate, new_estimate

NAME = "RS-OFUL"
LINE = "grey", "dotted"
REWARDS = CONTEXTUAL
GUARANTEE = NOT_PRIVATE
ROUND_BY_ROUND = True


@kernel
def rs_oful(game, rng, delta: Confidence, lam: Positive, C: Positive):
    """RS-OFUL (Abbasi-Yadkori, Pal & Szepesvari 2011, Fig. 3). Not private.

    Args:
        delta: failure probability.
        lam: weight of the ridge.
        C: the estimate is computed anew once det V has grown by the factor 1 + C.
    """
    V = new_ridge(dimension(game), lam)
    tau = new_estimate(V)  # the estimate of the last switch
    start, l = V.log_det[0], math.log(1.0 / delta)
    beta = confidence_width(tau, start, lam, l)
    growth = math.log1p(C)
    x = contexts(game)
    while rounds_left(game) > 0:
        if V.log_det[0] > growth + tau.log_det[0]:
            estimate(tau, V, V.b)
            beta = confidence_width(tau, start, lam, l)
        ensure_contexts(game)  # x holds the contexts of this round
        a = optimistic(tau, x, beta)
        add_round(V, x, a, play(game, a))
