"""Shuffle-GOPE: phased elimination with optimal designs on counts of bits that a shuffler mixes."""

import math

import numpy as np

from ..authoring import (
    BOUNDED_LINEAR, Alignment, Budget, Confidence, Fraction, all_arms, arms, features,
    inlined_counted, kernel, room_for, rounds_left, shuffle_dp, skip_rounds, viable,
)  # fmt: skip
from ..parts.linear.bits import largest_variance, pull_bits
from ..parts.linear.design import least_squares, optimal_design, values_of
from ..parts.noise.shuffled_coins import heads, least_bits
from .shuffle_se import CURVE, counted

NAME = "Shuffle-GOPE"
LINE = "purple", "dashdotted"
REWARDS = BOUNDED_LINEAR
MORE = 1.001  # c is multiplied by this factor until the rounded counts are accurate enough


def elimination(heads):
    """Return the loop of the elimination; ``heads(rng, N)`` draws the heads of N fair coins."""

    @inlined_counted
    def play(game, rng, eps, delta, p):
        K, A, b = arms(game), all_arms(game), 0
        N = least_bits(eps, delta)
        while len(A) > 1 and rounds_left(game) > 0 and np.inf > N:
            b += 1
            beta, L = 2.0**-b, math.log(2.0 * K * b * (b + 1.0) / p)
            design = optimal_design(features(game), A)
            d = design.z.shape[1]  # dimension of the span of A
            if d == 0:  # all features are 0: nothing to learn
                break
            h = largest_variance(design.z, design.pi, 0.0, 1.0)
            c = (L * d + math.sqrt(L**2 * d**2 + 2.0 * beta**2 * L * N * h)) / beta**2
            n, sums, whole = np.ceil(c * design.pi), np.zeros(len(A)), True
            while 2.0 * L * largest_variance(design.z, n, 1.0, N) > beta**2:
                c *= MORE
                n = np.ceil(c * design.pi)
            for i in range(len(A)):
                if not room_for(game, n[i], 1):
                    whole = False
                    break
                if n[i] > 0.0:
                    count = pull_bits(game, A[i], int(n[i]))
                    if N > 0.0:
                        count = count + heads(rng, N) - N / 2.0
                    sums[i] = 2.0 * count - n[i]
            if not whole:  # the horizon interrupts the phase: no release
                break
            theta = least_squares(rng, design.z, n, sums, 0.0)
            A = viable(A, values_of(design, A, theta, K), 2.0 * beta)
        skip_rounds(game, A, rounds_left(game))

    return play


play = elimination(heads)
COUNT = Alignment("the coins beside the changed bit", 1, literal={"play": elimination(counted)})
GUARANTEE = shuffle_dp("a reward enters one count, ours", CURVE, "shuffled_count", COUNT)


@kernel
def shuffle_gope(game, rng, eps: Budget, delta: Fraction, p: Confidence):
    """Shuffle-GOPE, ours, with the phases of GOPE. The shuffled messages are (eps, delta)-DP
    against the server, provided that all users send fair coins: coins of users who collude with the
    server protect nobody. The features have length at most 1 and are public, and the rewards are in
    [-1, 1]. A reward r becomes one bit, which is 1 with probability (1 + r)/2.

    In a phase, the users who play an action send their bits and also, in total, N fair coins. N is
    the smallest number for which one count is (eps, delta)-DP; a reward enters one count. If more
    than 2^30 coins would be needed, nothing is released. Bits and coins together are sub-Gaussian.
    So in phase l an action of the design pi is played ceil(c pi) times with c = (L d + sqrt(L^2 d^2
    + 2 beta^2 L N h))/beta^2, L = ln(2/delta_l), beta = 2^-l and delta_l = p/(K l (l + 1)). Here h
    is the largest sum of (a^T V(pi)^-1 a_i)^2 over the actions a_i of the support. If the rounded
    numbers of plays leave an estimate less accurate than beta, c is raised.

    Args:
        eps: privacy budget.
        delta: the delta of (eps, delta)-DP.
        p: failure probability.

    Raises:
        ValueError: no optimal design is found.
    """
    play(game, rng, eps, delta, p)
