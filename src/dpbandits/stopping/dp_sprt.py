"""DP-SPRT: a private sequential test of two hypotheses about a mean."""

import math

import numpy as np

from ..authoring import (
    HYPOTHESES, STOPPING_AND_ANSWER, UNIT_INTERVAL, Alignment, Budget, Fraction, NotNegative,
    Positive, global_dp, inlined, kernel, laplace, laplace_scale, pull, rounds_left,
)  # fmt: skip
from ..parts.indices.radii import bernoulli_kl

NAME = "DP-SPRT"
LINE = "brown", "solid"
QUESTION = HYPOTHESES
REWARDS = UNIT_INTERVAL


def shifts(run, changed):
    """Return the shift of each draw of noise, by the number of the draw.

    The noise of the thresholds is shifted by 1, so that no changed sum passes an earlier test. The
    noise of the test that passes is shifted by 2 if the answer is 1, and by -2 if the answer is 0.
    Noise of tests that do not pass is not shifted.
    """
    found = dict.fromkeys(range(len(run.draws)), 0.0) | {0: 1.0}
    if not math.isnan(run.answer):
        found[len(run.draws) - 1] = 2.0 if run.answer == 1.0 else -2.0
    return found


ALIGNMENT = Alignment(
    "the threshold by 1, the test that passes by 2", shifts=shifts, one_change=True
)
GUARANTEE = global_dp(
    "Michel, Basu & Kaufmann 2026, Theorem 1", hides=STOPPING_AND_ANSWER, alignment=ALIGNMENT
)

S, ZETA = 1.1340, 8.049572  # zeta(S)


@kernel
def dp_sprt(
    game, rng, eps: Budget, mu0: Fraction, mu1: Fraction, alpha: Fraction, beta: Fraction,
    c1: Positive, c2: NotNegative,
):  # fmt: skip
    """DP-SPRT (Michel, Basu & Kaufmann 2026). The stopping time and the answer, 0 for mu0 and 1
    for mu1, are eps-DP. Bernoulli rewards.

    Half of the budget is spent on the noise Z of both thresholds, and half on the noise of the
    means, as in the sparse vector technique. The rule tests sums of n rewards instead of their
    means. The thresholds are not computed from data, so privacy depends neither on c1 nor on c2.
    (The authors' package says that privacy is not proved for c2 < 1.) The error rates are proved
    only if c1 and c2 are both at least 1.

    Args:
        eps: privacy budget.
        mu0: the mean under the first hypothesis.
        mu1: the mean under the second hypothesis, above ``mu0``.
        alpha: probability of answering 1 if the mean is mu0.
        beta: probability of answering 0 if the mean is mu1.
        c1: factor of the logarithm in the non-private thresholds; .5 in experiments of the paper.
        c2: factor of the slack for the noise; .5 in experiments of the paper.
    """
    D = math.log(mu1 / (1.0 - mu1)) - math.log(mu0 / (1.0 - mu0))
    g = max(0.5, 1.0 - 1.0 / eps)
    below, above = bernoulli_kl(mu0, mu1) / D, bernoulli_kl(mu1, mu0) / D
    low, high = c1 * math.log(1.0 / (g * beta)) / D, c1 * math.log(1.0 / (g * alpha)) / D
    Z = laplace(rng, laplace_scale(2.0, eps))
    total = room0 = room1 = 0.0  # at most c2 times the slack, which grows with n
    for n in range(1, rounds_left(game) + 1):
        total += pull(game, 0)
        noisy = total + laplace(rng, laplace_scale(4.0, eps))  # n times the paper's mean
        bar = n * (mu0 + below) - low - Z
        if noisy <= bar - room0:
            room0 = c2 * slack(n, eps, beta)
            if noisy <= bar - room0:
                return 0.0
        bar = n * (mu1 - above) + high + Z
        if noisy >= bar + room1:
            room1 = c2 * slack(n, eps, alpha)
            if noisy >= bar + room1:
                return 1.0
    return np.nan


@inlined
def slack(n, eps, risk):
    """Return the slack for the noise at the n-th test, in units of the sum of n rewards."""
    if eps == np.inf:
        return 0.0
    return 6.0 * math.log(max(eps, 2.0) * n**S * ZETA / risk) / eps
