"""FastCB: probabilities that are inverse in the gaps, in units of the smallest predicted loss."""

from ..authoring import LABELLED, Budget, NotNegative, Positive, arms, kernel, oracle_dp
from ..parts.oracles.policies import (
    LATEST, LOGISTIC, Calibration, Oracle, draw, new_learner, next_batch, one_of_smallest, predict,
    rounds_before, smallest, users_shown,
)  # fmt: skip

NAME = "FastCB"
LINE = "orange", "solid"
REWARDS = LABELLED
GUARANTEE = oracle_dp("Attias et al. 2026", has_losses=False)


@kernel
def fast_cb(
    game, rng, eps: Budget, ridge: Positive, calibration: Calibration, g: Positive, r:
    NotNegative,
):  # fmt: skip
    """FastCB (Foster & Krishnamurthy 2021) with an oracle for each batch (Attias et al. 2026).

    Args:
        g: the factor g in gamma = g max(1, s)^r, where gamma is the weight of the gaps after s
            rounds.
        r: the power of s in the formula of gamma.
    """
    now = new_learner(game, Oracle(eps, 0.0, LOGISTIC, ridge, calibration), LATEST)
    K, f, p = arms(game), now.f, now.p
    while next_batch(game, rng, now):
        gamma = g * rounds_before(now) ** r
        for i in range(users_shown(now)):
            predict(now, i)
            b = smallest(f)
            p[b] = 1.0
            for a in range(K):
                if a != b and f[b] > 0.0:
                    p[a] = f[b] / (K * f[b] + gamma * (f[a] - f[b]))
                    p[b] -= p[a]
            now.actions[i] = draw(rng, p) if f[b] > 0.0 else one_of_smallest(rng, f)
