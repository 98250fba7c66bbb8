"""AdaCB: SquareCB among the actions that may be the best."""

from ..authoring import LABELLED, Budget, NotNegative, Positive, arms, kernel, oracle_dp
from ..parts.oracles.policies import (
    BONUS, UNUSED as UNUSED, Calibration, Delta, Loss, Oracle, draw, eliminate,
    new_learner, next_batch, predict, rounds_before, smallest, users_shown,
)  # fmt: skip

NAME = "AdaCB"
LINE = "sky blue", "solid"
REWARDS = LABELLED
GUARANTEE = oracle_dp("Attias et al. 2026", has_bonus=True)


@kernel
def ada_cb(
    game, rng, eps: Budget, delta: Delta, loss: Loss, ridge: Positive, calibration: Calibration,
    g: Positive, r: NotNegative, w: NotNegative,
):  # fmt: skip
    """AdaCB (Foster et al. 2021) with an oracle for each batch (Attias et al. 2026).

    Args:
        g: the factor g in gamma = g max(1, s)^r, where gamma is the weight of the gaps after s
            rounds.
        r: the power of s in the formula of gamma.
        w: width of a confidence interval, in units of the root of the leverage.
    """
    now = new_learner(game, Oracle(eps, delta, loss, ridge, calibration), BONUS)
    f, p = now.f, now.p
    while next_batch(game, rng, now):
        gamma = g * rounds_before(now) ** r
        for i in range(users_shown(now)):
            predict(now, i)
            left = eliminate(now, i, w)  # eliminated actions have an infinite loss
            b = smallest(f)
            p[b] = 1.0
            for a in range(arms(game)):
                if a != b:
                    p[a] = 1.0 / (left + gamma * (f[a] - f[b]))
                    p[b] -= p[a]
            now.actions[i] = draw(rng, p)
