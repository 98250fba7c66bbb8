"""VPO: exponential weights of the losses that the latest predictor predicts."""

import math

from ..authoring import LABELLED, Budget, Positive, arms, kernel, oracle_dp, random
from ..parts.oracles.policies import (
    LATEST, UNUSED as UNUSED, Calibration, Delta, Loss, Oracle, draw, new_learner, next_batch,
    predict, softmax, users_shown,
)  # fmt: skip

NAME = "VPO"
LINE = "blue", "solid"
REWARDS = LABELLED
GUARANTEE = oracle_dp("Attias et al. 2026")


@kernel
def vpo(
    game, rng, eps: Budget, delta: Delta, loss: Loss, ridge: Positive, calibration: Calibration,
    eta0: Positive,
):  # fmt: skip
    """Vanilla policy optimization (Attias et al. 2026). The action of a user is drawn from the
    weights after a random number of steps, from 0 to B - 1.

    Args:
        eta0: factor of the step size eta = eta0 min(1/K, 1/sqrt(K B)) after a batch of B rows.
    """
    now = new_learner(game, Oracle(eps, delta, loss, ridge, calibration), LATEST)
    K, f, p = arms(game), now.f, now.p
    while next_batch(game, rng, now):
        B = now.sizes[0]
        eta = eta0 * min(1.0 / K, 1.0 / math.sqrt(K * B))
        for i in range(users_shown(now)):
            predict(now, i)
            k = math.floor(random(rng) * B)
            for a in range(K):
                p[a] = -k * eta * f[a]
            softmax(p, p)
            now.actions[i] = draw(rng, p)
