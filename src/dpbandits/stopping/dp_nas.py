"""DP-NAS: the private stopping rule that tests after every sample."""

from __future__ import annotations

import numpy as np

from ..authoring import (
    STOPPING, WITHIN_R, Budget, Fraction, Range, global_dp, kernel, laplace, pull_sum, rounds_left,
    rounds_played, sparse_vector,
)  # fmt: skip
from .sparse_vector import bar, first_above, first_above_in_turn, noise_scales

NAME = "DP-NAS"
LINE = "blue", "solid"
REWARDS = WITHIN_R
ALIGNMENT = sparse_vector(1, {"first_above": first_above_in_turn})
GUARANTEE = global_dp("Sajed & Sheffet 2019, Theorem 3.1", hides=STOPPING, alignment=ALIGNMENT)


@kernel
def dp_nas(game, rng, eps: Budget, rel_error: Fraction, beta: Fraction, R: Range):
    """DP-NAS (Sajed & Sheffet 2019, Alg. 1). Stopping time and estimate together are eps-DP for
    streams that differ in one sample. The noise B of the threshold has the budget eps/6, the noises
    A_t of all tests share eps/3, and the noise L of the estimate has eps/2.

    The rule stops at the first t with ``|mean_t| >= h_t (1 + 1/a) + (c_t + B + A_t)/t``, where
    mean_t is the mean of t samples, a is ``rel_error``, and h_t and c_t are the terms of ``bar``.
    The rule returns ``mean_t + L/t``, or NaN if the game ends before it stops. With probability 1 -
    beta the error is at most ``a |mu|`` for the true mean mu.

    The bar, which the absolute sum of the samples must reach, increases with t. A sample changes
    the sum by at most R. So among the next n tests, only tests with -A_t above ``level`` can pass.
    The samples until the first test of this kind are drawn as one block, from their exact law.
    """
    a = rel_error
    s1, s2, s3 = noise_scales(eps, R)
    B = laplace(rng, s1)
    S = 0.0
    while rounds_left(game) > 0:
        t = rounds_played(game) + 1.0
        gap = bar(t, t, eps, a, beta, R) + B - abs(S)
        n = int(min(max(gap / (2.0 * R), 1.0), rounds_left(game)))
        level = gap - n * R
        i, minus_A = first_above(rng, n, s2, level)
        S += pull_sum(game, 0, min(i, n))
        t = float(rounds_played(game))
        if i <= n and abs(S) + minus_A >= bar(t, t, eps, a, beta, R) + B:
            return (S + laplace(rng, s3)) / t
    return np.nan
