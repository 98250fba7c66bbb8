"""BPO: exponential weights of the losses that all predictors predict, minus a bonus."""

from ..authoring import LABELLED, Budget, NotNegative, Positive, arms, kernel, oracle_dp
from ..parts.oracles.policies import (
    ALL, UNUSED as UNUSED, Calibration, Delta, Loss, Oracle, draw, fits, new_learner, next_batch,
    predict, softmax, users_shown,
)  # fmt: skip

NAME = "BPO"
LINE = "vermillion", "solid"
REWARDS = LABELLED
GUARANTEE = oracle_dp("Attias et al. 2026")


@kernel
def bpo(
    game, rng, eps: Budget, delta: Delta, loss: Loss, ridge: Positive, calibration: Calibration,
    eta: Positive, gamma: NotNegative,
):  # fmt: skip
    """Policy optimization with bonuses (Attias et al. 2026). The weights of a user are computed
    from all predictors so far.

    Args:
        eta: step size of the exponential weights.
        gamma: weight of the bonus.
    """
    now = new_learner(game, Oracle(eps, delta, loss, ridge, calibration), ALL)
    K, f, q, log_q, D = arms(game), now.f, now.p, now.work[0], now.work[1]
    while next_batch(game, rng, now):
        for i in range(users_shown(now)):
            for a in range(K):
                q[a], log_q[a], D[a] = 1.0 / K, 0.0, 0.0
            for j in range(fits(now)):
                N, T = now.sizes[j], now.totals[j]
                predict(now, i, j)
                for a in range(K):
                    b = min(1.0, gamma * (T / K) ** 0.5 / (1.0 + D[a]))
                    log_q[a] -= eta * N * max(0.0, f[a] - b)
                    D[a] += N * q[a]
                softmax(log_q, q)
            now.actions[i] = draw(rng, q)
