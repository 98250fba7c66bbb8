"""Broken local privacy: its curator is private, and its decisions use the rewards themselves."""

from dpbandits.authoring import (
    UNIT_INTERVAL,
    Budget,
    arms,
    kernel,
    local_dp,
    pull,
    rounds_left,
    send_bit,
)

REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("nowhere", send_bit)


@kernel
def raw_decisions(game, rng, eps: Budget):
    a = 0
    while rounds_left(game) > 0:
        if pull(game, a) < 0.5:
            a = (a + 1) % arms(game)
