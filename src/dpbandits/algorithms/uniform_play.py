"""A reference line for labelled data and logs: a random action in each round."""

from ..authoring import LABELLED, NOT_PRIVATE, arms, kernel, play, random_arm, rounds_left

NAME = "Uniform play"
LINE = "black", "dotted"
REWARDS = LABELLED
GUARANTEE = NOT_PRIVATE


@kernel
def uniform_play(game, rng):
    """Play each action with the same probability. This policy is private, since it learns
    nothing.
    """
    while rounds_left(game) > 0:
        play(game, random_arm(rng, arms(game)))
