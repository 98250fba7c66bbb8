"""Two algorithms that compile quickly."""

from dpbandits.compiled import kernel, random
from dpbandits.game import arms, pull, rounds_left


@kernel
def onward(game, rng):
    """Play the next arm if the reward is below a random number."""
    a = 0
    while rounds_left(game) > 0:
        if pull(game, a) < random(rng):
            a = (a + 1) % arms(game)


@kernel
def back(game, rng):
    """Play the previous arm if the reward is above a random number."""
    a = 0
    while rounds_left(game) > 0:
        if pull(game, a) > random(rng):
            a = (a - 1) % arms(game)
