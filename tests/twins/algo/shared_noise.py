"""Broken twin of DP-SE: one draw of noise per epoch, shared by all arms."""

import math

import numpy as np

from dpbandits.authoring import (
    UNIT_INTERVAL,
    Budget,
    Probability,
    arms,
    hoeffding,
    kernel,
    laplace,
    laplace_tail,
    play_unseen,
    pull_in_turn,
    room_for,
    rounds_left,
)

REWARDS = UNIT_INTERVAL


@kernel
def shared_noise(game, rng, eps: Budget, beta: Probability):
    K = arms(game)
    S = np.arange(K)  # the viable arms
    sums = np.zeros(K)
    mu = np.zeros(K)
    e = 0
    while len(S) > 1 and rounds_left(game) > 0:
        e += 1
        D = 2.0**-e
        L8 = math.log(8.0 * len(S) * e**2 / beta)
        L4 = math.log(4.0 * len(S) * e**2 / beta)
        R = np.floor(max(32.0 * L8 / D**2, 8.0 * L4 / (eps * D))) + 1.0
        if not room_for(game, R, len(S)):  # the horizon interrupts the epoch: no release
            break
        pull_in_turn(game, S, int(R) * len(S), sums)
        noise = laplace(rng, 1.0 / (eps * R))
        for a in S:
            mu[a] = sums[a] / R + noise
        h = hoeffding(R, L8)
        c = laplace_tail(R, eps, L4)
        S = S[np.max(mu[S]) - mu[S] <= 2.0 * h + 2.0 * c]
    play_unseen(game, S, rounds_left(game))
