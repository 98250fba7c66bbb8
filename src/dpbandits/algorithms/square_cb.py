"""SquareCB: probabilities that are inverse in the gaps of predicted losses."""

from ..authoring import LABELLED, Budget, NotNegative, Positive, arms, kernel, oracle_dp
from ..parts.oracles.policies import (
    LATEST, UNUSED as UNUSED, Calibration, Delta, Loss, Oracle, draw, new_learner, next_batch,
    predict, rounds_before, smallest, users_shown,
)  # fmt: skip

NAME = "SquareCB"
LINE = "green", "solid"
REWARDS = LABELLED
GUARANTEE = oracle_dp("Attias et al. 2026")


@kernel
def square_cb(
    game, rng, eps: Budget, delta: Delta, loss: Loss, ridge: Positive, calibration: Calibration,
    g: Positive, r: NotNegative,
):  # fmt: skip
    """SquareCB (Foster & Rakhlin 2020) with an oracle for each batch (Attias et al. 2026).

    Args:
        g: the factor g in gamma = g max(1, s)^r, where gamma is the weight of the gaps after s
            rounds.
        r: the power of s in the formula of gamma.
    """
    now = new_learner(game, Oracle(eps, delta, loss, ridge, calibration), LATEST)
    K, f, p = arms(game), now.f, now.p
    while next_batch(game, rng, now):
        gamma = g * rounds_before(now) ** r
        for i in range(users_shown(now)):
            predict(now, i)
            b = smallest(f)
            p[b] = 1.0
            for a in range(K):
                if a != b:
                    p[a] = 1.0 / (K + gamma * (f[a] - f[b]))
                    p[b] -= p[a]
            now.actions[i] = draw(rng, p)
