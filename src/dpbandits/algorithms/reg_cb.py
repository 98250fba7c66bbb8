"""RegCB: uniform among the actions that may be the best."""

import math

from ..authoring import LABELLED, Budget, NotNegative, Positive, arms, kernel, oracle_dp
from ..parts.oracles.policies import (
    BONUS, UNUSED as UNUSED, Calibration, Delta, Loss, Oracle, draw, eliminate,
    new_learner, next_batch, predict, users_shown,
)  # fmt: skip

NAME = "RegCB"
LINE = "purple", "solid"
REWARDS = LABELLED
GUARANTEE = oracle_dp("Attias et al. 2026", has_bonus=True)


@kernel
def reg_cb(
    game, rng, eps: Budget, delta: Delta, loss: Loss, ridge: Positive, calibration: Calibration,
    w: NotNegative,
):  # fmt: skip
    """RegCB (Foster et al. 2018) with an oracle for each batch (Attias et al. 2026).

    Args:
        w: width of a confidence interval, in units of the root of the leverage.
    """
    now = new_learner(game, Oracle(eps, delta, loss, ridge, calibration), BONUS)
    f, p = now.f, now.p
    while next_batch(game, rng, now):
        for i in range(users_shown(now)):
            predict(now, i)
            left = eliminate(now, i, w)  # eliminated actions have an infinite loss
            for a in range(arms(game)):
                p[a] = 1.0 / left if f[a] < math.inf else 0.0
            now.actions[i] = draw(rng, p)
