"""AdaC-OFUL: optimism with rare switches, at which noisy sums of rewards are released."""

import math
from typing import Literal

import numpy as np

from ..authoring import (
    BOUNDED_CONTEXTUAL, Budget, Confidence, NotNegative, Positive, add_round, confidence_width,
    contexts, dimension, ensure_contexts, gaussian_zcdp, kernel, new_ridge, optimistic, play,
    rounds_left, rounds_played, shared, vector_release,
)  # fmt: skip
from ..parts.linear.matrices import smallest_eigenvalue
from ..parts.linear.noise import chi_square_tail, release_sums
from ..parts.linear.ridge import estimate, new_estimate

NAME = "AdaC-OFUL"
LINE = "blue", "dashdotted"
REWARDS = BOUNDED_CONTEXTUAL
GUARANTEE = gaussian_zcdp("Azize's thesis, section 5.3.3", alignment=vector_release)
ROUND_BY_ROUND = True
PRINTED = 0.0


@kernel
def adac_oful(
    game, rng, rho: Budget, delta: Confidence, lam: Positive, C: Positive, lam_0: NotNegative,
    bonus: Literal["printed", "eigenvalue"],
):  # fmt: skip
    """AdaC-OFUL (Azize's thesis, Alg. 9). rho-zCDP of rewards in [-1, 1], for public contexts of
    length at most 1.

    The thesis counts episodes from 1; here l is the number of noise vectors in the released sums
    (ours).

    Args:
        rho: privacy budget.
        delta: failure probability.
        lam: weight of the ridge.
        C: the estimate is computed anew once det V has grown by the factor 1 + C.
        lam_0: for the printed bonus, a lower bound on the eigenvalues of E[x x^T] for a context x.
        bonus: the bonus for the noise: ``printed``, or ``eigenvalue``, which uses the smallest
            eigenvalue of V instead of its lower bound (derived; V is public, since the contexts are
            public).
    """
    d, T = dimension(game), rounds_left(game)
    V = new_ridge(d, lam)  # V.b holds the sums since the last switch
    tau = new_estimate(V)  # the estimate of the last switch
    noisy = np.zeros(d)  # the released sums of rewards, with noise Y
    start, log_delta = V.log_det[0], math.log(1.0 / delta)
    l = 0
    beta = confidence_width(tau, start, lam, log_delta)
    growth = math.log1p(C)
    x = contexts(game)
    while rounds_left(game) > 0:
        if V.log_det[0] > growth + tau.log_det[0]:
            release_sums(rng, V.b, noisy, math.sqrt(2.0 / rho))
            l += 1
            estimate(tau, V, noisy)
            least = lam + smallest_growth(rounds_played(game), d, delta, lam_0)
            if bonus != PRINTED:
                least = smallest_eigenvalue(V.V)
            length = math.sqrt(2.0 * l / rho * chi_square_tail(d, delta / T))  # bounds |Y|
            beta = confidence_width(tau, start, lam, log_delta) + length / math.sqrt(least)
        ensure_contexts(game)  # x holds the contexts of this round
        a = optimistic(tau, x, beta)
        add_round(V, x, a, play(game, a))


@shared
def smallest_growth(n, d, delta, lam_0):
    """Return g, a lower bound on the smallest eigenvalue of V minus lam after n rounds."""
    L = math.log((n + 3.0) * d / delta)
    return max(0.0, lam_0 * n / 4.0 - 8.0 * L - 2.0 * math.sqrt(n * L))
