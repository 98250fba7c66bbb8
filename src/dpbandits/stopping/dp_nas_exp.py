"""DP exponential NAS: the private stopping rule that tests after 2, 4, 8, ... samples."""

from __future__ import annotations

import numpy as np

from ..authoring import (
    STOPPING, WITHIN_R, Budget, Fraction, Range, global_dp, kernel, laplace, pull_sum, rounds_left,
    rounds_played, sparse_vector,
)  # fmt: skip
from .sparse_vector import bar, noise_scales

NAME = "DP-NAS-EXP"
LINE = "vermillion", "solid"
REWARDS = WITHIN_R
ALIGNMENT = sparse_vector(-1)
GUARANTEE = global_dp("Sajed & Sheffet 2019, Corollary 3.2", hides=STOPPING, alignment=ALIGNMENT)


@kernel
def dp_nas_exp(game, rng, eps: Budget, rel_error: Fraction, beta: Fraction, R: Range):
    """DP exponential NAS (Sajed & Sheffet 2019, Alg. 2). Stopping time and estimate together are
    eps-DP for streams that differ in one sample. The noise B of the threshold has the budget eps/6,
    the noises A_t of all tests share eps/3, and the noise L of the estimate has eps/2.

    The rule stops at the first t = 2^k with ``|mean_t| >= h_t (1 + 1/a) + (c_t + B + A_t)/t``,
    where mean_t is the mean of t samples, a is ``rel_error``, and h_t and c_t are the terms of
    ``bar``, with logarithms of k instead of t. The rule returns ``mean_t + L/t``, or NaN if the
    game ends before it stops. With probability 1 - beta the error is at most ``a |mu|`` for the
    true mean mu.
    """
    a = rel_error
    s1, s2, s3 = noise_scales(eps, R)
    B = laplace(rng, s1)
    S, k = 0.0, 1
    while 2**k - rounds_played(game) <= rounds_left(game):
        t = 2**k
        S += pull_sum(game, 0, t - rounds_played(game))
        A = laplace(rng, s2)
        if abs(S) >= bar(float(t), float(k), eps, a, beta, R) + B + A:
            return (S + laplace(rng, s3)) / t
        k += 1
    return np.nan
