"""Two algorithms with little to compile."""

from dpbandits.compiled import kernel
from dpbandits.game import arms, pull, rounds_left


@kernel
def first(game, rng):
    """Plays the first arm."""
    while rounds_left(game) > 0:
        pull(game, 0)


@kernel
def last(game, rng):
    """Plays the last arm."""
    while rounds_left(game) > 0:
        pull(game, arms(game) - 1)
