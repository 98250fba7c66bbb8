"""Optimism with an oracle: the largest sum of predicted reward and bonus."""

from ..authoring import LABELLED, Budget, NotNegative, Positive, arms, kernel, oracle_dp
from ..parts.oracles.policies import (
    BONUS, UNUSED as UNUSED, Calibration, Delta, Loss, Oracle, measure, new_learner,
    next_batch, one_of_smallest, predict, users_shown,
)  # fmt: skip

NAME = "Oracle-UCB"
LINE = "brown", "solid"
REWARDS = LABELLED
GUARANTEE = oracle_dp("Attias et al. 2026", has_bonus=True)


@kernel
def oracle_ucb(
    game, rng, eps: Budget, delta: Delta, loss: Loss, ridge: Positive, calibration: Calibration,
    c: NotNegative,
):  # fmt: skip
    """LinUCB with an oracle for each batch (Attias et al. 2026); ties are broken at random.

    Args:
        c: weight of the bonus.
    """
    now = new_learner(game, Oracle(eps, delta, loss, ridge, calibration), BONUS)
    f = now.f
    while next_batch(game, rng, now):
        for i in range(users_shown(now)):
            predict(now, i)
            measure(now, i)
            for a in range(arms(game)):
                f[a] -= c * now.width[a]  # the largest reward has the smallest loss
            now.actions[i] = one_of_smallest(rng, f)
