"""AdaC-GOPE: phased elimination with optimal designs and noisy least squares."""

import math
from typing import Literal

import numpy as np

from ..authoring import (
    BOUNDED_LINEAR, Budget, Confidence, all_arms, arms, features, gaussian, gaussian_zcdp,
    kernel, rounds_left, shared, skip_rounds, vector_release, viable,
)  # fmt: skip
from ..parts.linear.design import TOLERANCE, least_squares, optimal_design, play_design, values_of
from ..parts.linear.noise import chi_square_tail

NAME = "AdaC-GOPE"
LINE = "brown", "dashdotted"
REWARDS = BOUNDED_LINEAR
GUARANTEE = gaussian_zcdp("Azize's thesis, section 5.3.2", alignment=vector_release)
MIDDLE = 0.0


@kernel
def adac_gope(game, rng, rho: Budget, delta: Confidence, noise: Literal["middle", "sums"]):
    """AdaC-GOPE (Azize's thesis, Alg. 8). rho-zCDP. The features have length at most 1, and the
    rewards are in [-1, 1].

    With ``middle`` the variance of the noise is 1 + TOLERANCE times the variance in the thesis,
    since the design is optimal up to this factor. With ``sums`` the length of the phases and the
    privacy are as in the thesis, but the accuracy of the estimates is not proved. Let c be the
    length of a phase. A proof would need (2d/beta) sqrt((2/rho) 2|S| ln(4/delta_l)) as the second
    term of c, where S is the support of the design (Azize & Basu 2023, eq. (8)).

    Args:
        rho: privacy budget.
        delta: failure probability.
        noise: where the noise enters: ``middle`` (the estimate of theta) or ``sums`` (the sum of
            the rewards of each action that is played; section C.3.3).

    Raises:
        ValueError: no optimal design is found, so that the noise could be too small.
    """
    A = eliminate(game, rng, rho, delta, noise == MIDDLE)
    skip_rounds(game, A, rounds_left(game))


@shared
def eliminate(game, rng, rho, delta, middle):
    """Run the elimination until one action is left or the horizon cuts a phase, and return the
    actions that are left.
    """
    K = arms(game)
    A = all_arms(game)  # the active actions
    l = 0
    while len(A) > 1 and rounds_left(game) > 0:
        l += 1
        beta, delta_l = 2.0**-l, delta / (K * l * (l + 1.0))
        design = optimal_design(features(game), A)
        d = design.z.shape[1]  # dimension of the span of A
        if d == 0:  # all features are 0: nothing to learn
            break
        c = 8.0 * d / beta**2 * math.log(4.0 / delta_l)
        c += 2.0 * d / beta * math.sqrt(2.0 * chi_square_tail(d, delta_l / 2.0) / rho)
        n, sums = np.zeros(len(A)), np.zeros(len(A))
        for i in range(len(A)):
            n[i] = np.ceil(c * design.pi[i])
        if not play_design(game, A, n, sums):  # the horizon interrupts the phase: no release
            break
        for i in range(len(A)):
            if n[i] > 0.0 and not middle:
                sums[i] = sums[i] + gaussian(rng, math.sqrt(2.0 / rho))
        largest = d * (1.0 + TOLERANCE)  # upper bound on |V^{-1/2} a|^2 c
        deviation = math.sqrt(2.0 * largest / (rho * c)) if middle else 0.0
        theta = least_squares(rng, design.z, n, sums, deviation)
        A = viable(A, values_of(design, A, theta, K), 2.0 * beta)
    return A
