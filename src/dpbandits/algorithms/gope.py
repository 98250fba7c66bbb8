"""GOPE: phased elimination with optimal designs. Not private."""

import math

import numpy as np

from ..authoring import (
    LINEAR, NOT_PRIVATE, Confidence, all_arms, arms, features, kernel, least_squares,
    optimal_design, play_design, play_unseen, rounds_left, routine, values_of, viable,
)  # fmt: skip

NAME = "GOPE"
LINE = "grey", "dashdotted"
REWARDS = LINEAR
GUARANTEE = NOT_PRIVATE


@kernel
def gope(game, rng, delta: Confidence):
    """Phased elimination with G-optimal exploration (Lattimore & Szepesvari 2020, Alg. 12, with the
    phases of Azize's thesis, Alg. 8). Not private.

    Args:
        delta: failure probability.
    """
    A = eliminate(game, rng, delta)
    play_unseen(game, A, rounds_left(game))


@routine
def eliminate(game, rng, delta):
    """The actions that are left when one is left, or when the horizon cuts a phase."""
    K = arms(game)
    A = all_arms(game)  # the active actions
    l = 0
    while len(A) > 1 and rounds_left(game) > 0:
        l += 1
        beta, delta_l = 2.0**-l, delta / (K * l * (l + 1.0))
        design = optimal_design(features(game), A)
        d = design.z.shape[1]  # of the span of A
        if d == 0:  # all features are 0: nothing to learn
            break
        c = 8.0 * d / beta**2 * math.log(4.0 / delta_l)
        n = np.ceil(c * design.pi)
        sums = np.zeros(len(A))
        if not play_design(game, A, n, sums):
            break
        theta = least_squares(rng, design.z, n, sums, 0.0)
        A = viable(A, values_of(design, A, theta, K), 2.0 * beta)
    return A
