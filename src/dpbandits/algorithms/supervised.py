"""A reference line for labelled data: greedy play with the losses of all actions."""

from ..authoring import LABELLED, NOT_PRIVATE, Positive, kernel
from ..parts.oracles.batches import play_batch, show_batch
from ..parts.oracles.labels import fit_all_losses
from ..parts.oracles.policies import (
    LATEST, Loss, Oracle, new_learner, predict, smallest, users_shown,
)  # fmt: skip

NAME = "Supervised"
LINE = "black", "dashed"
REWARDS = LABELLED
GUARANTEE = NOT_PRIVATE


@kernel
def supervised(game, rng, loss: Loss, ridge: Positive):
    """Play the action whose loss, as an oracle predicts it, is smallest. The oracle is fitted on
    each batch alone, but on the losses of all actions and without noise. Therefore this line of
    reference shows what a policy with this oracle could reach if it learned every label. Not
    private.

    Args:
        loss: the loss of the oracle.
        ridge: weight of |theta|^2 for each row of a fit.
    """
    now = new_learner(game, Oracle(float("inf"), 0.0, loss, ridge, 0.0), LATEST)
    while play_batch(game, rng, now):
        fit_all_losses(game, now)
        show_batch(game, now)
        for i in range(users_shown(now)):
            predict(now, i)
            now.actions[i] = smallest(now.f)
