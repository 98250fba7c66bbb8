"""Broken local privacy: the local randomizer does not truncate the reward."""

from dpbandits.authoring import Budget, arms, kernel, laplace, local_dp, pull, rounds_left, verb


@verb
def send(rng, r, eps):
    return r + laplace(rng, 2.0 / eps)


GUARANTEE = local_dp("nowhere", send)


@kernel
def no_clip(game, rng, eps: Budget):
    best, a = 0.0, 0
    while rounds_left(game) > 0:
        x = send(rng, pull(game, a), eps)
        if x < best:
            a = (a + 1) % arms(game)
        best = 0.5 * (best + x)
