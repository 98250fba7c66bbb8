"""LinUCB: optimism with ridge regression, updated in every round. Not private."""

from ..authoring import (
    CONTEXTUAL, NOT_PRIVATE, Confidence, Positive, add_round, confidence_width, contexts, dimension,
    estimate, kernel, new_estimate, new_ridge, optimistic, play, rounds_left,
)  # fmt: skip

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
    now = new_estimate(V)
    while rounds_left(game) > 0:
        beta = confidence_width(now, lam, delta)
        x = contexts(game)
        a = optimistic(now, x, beta)
        add_round(V, x, a, play(game, a))
        estimate(now, V, V.b)
