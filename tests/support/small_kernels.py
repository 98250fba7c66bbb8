"""Two algorithms with little to compile."""

from dpbandits.compiled import kernel, random
from dpbandits.game import arms, pull, rounds_left


@kernel
def onward(game, rng):
    """Plays the next arm if the reward is below a random number."""
    a = 0
    while rounds_left(game) > 0:
        if pull(game, a) < random(rng):
            a = (a + 1) % arms(game)


@kernel
def back(game, rng):
    """Plays the arm before if the reward is above a random number."""
    a = 0
    while rounds_left(game) > 0:
        if pull(game, a) > random(rng):
            a = (a - 1) % arms(game)
