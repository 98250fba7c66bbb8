"""NAS: the non-private stopping rule that tests after every sample."""

from __future__ import annotations

import math

import numpy as np

from ..authoring import (
    NOT_PRIVATE, WITHIN_R, Fraction, Range, inlined, kernel, pull_sum, rounds_left, rounds_played,
)  # fmt: skip

NAME = "NAS"
LINE = "black", "solid"
REWARDS = WITHIN_R
GUARANTEE = NOT_PRIVATE


@kernel
def nas(game, rng, rel_error: Fraction, beta: Fraction, R: Range):
    """Nonmonotonic Adaptive Sampling (Domingo, Gavalda & Watanabe 2002, as in Sajed & Sheffet
    2019, section 3). Not private.

    The rule stops at the first t with ``|mean_t| >= h_t (1 + 1/a)``, where mean_t is the mean of t
    samples, h_t is its confidence radius and a is ``rel_error``. The rule returns ``mean_t``, or
    NaN if the game ends before it stops. With probability 1 - beta the error is at most ``a |mu|``
    for the true mean mu.

    The bar, which the absolute sum of the samples must reach, increases with t. A sample changes
    the sum by at most R. So no test passes before the sum can reach the value that the bar has now,
    and the samples up to this point are drawn as one block.
    """
    a = rel_error
    S = 0.0
    while rounds_left(game) > 0:
        t = rounds_played(game)
        samples = (nas_bar(t + 1.0, a, beta, R) - abs(S)) / R
        S += pull_sum(game, 0, int(min(max(samples, 1.0), rounds_left(game))))
        t = rounds_played(game)
        if abs(S) >= nas_bar(float(t), a, beta, R):
            return S / t
    return np.nan


@inlined
def nas_bar(t: float, a: float, beta: float, R: float) -> float:
    """Return the bar for the sum of t samples, t h_t (1 + 1/a)."""
    h = R * math.sqrt(2.0 * math.log(4.0 * t * t / beta) / t)
    return t * h * (1.0 + 1.0 / a)
