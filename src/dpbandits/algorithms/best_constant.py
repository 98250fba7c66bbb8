"""A reference line for labelled data: the best constant action, computed from all labels."""

from ..authoring import LABELLED, NOT_PRIVATE, kernel, play, rounds_left
from ..parts.oracles.labels import best_class

NAME = "Best constant action"
LINE = "black", "solid"
REWARDS = LABELLED
GUARANTEE = NOT_PRIVATE


@kernel
def best_constant(game, rng):
    """Play the most frequent class of all rows in every round. Not private. This policy does not
    learn, since it uses the labels of all rows from the first round on.
    """
    a = best_class(game)
    while rounds_left(game) > 0:
        play(game, a)
