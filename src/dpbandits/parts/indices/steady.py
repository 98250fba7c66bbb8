"""The shared loop for indices that do not depend on the round, such as the indices for a known
horizon.

Only the index of the pulled arm changes. This index is compared with the largest index of the other
arms, which is computed anew only when another arm becomes the leader.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...compiled import inlined_counted
from ...game import arms, end_hold, hold, pull_held


def steady_optimism(observe: Callable, index: Callable) -> Callable:
    """Return the loop ``play(game, rng, params, N, S)``.

    In each round that is left, the loop plays the arm of largest index; of several such arms, the
    arm of lowest number. The index of an arm without observations is infinite. ``N`` and ``S`` are
    the numbers of observations and their sums. ``observe`` and ``index`` are decorated with
    ``inlined``.

    Args:
        observe: ``observe(params, rng, x)`` returns the number that a reward x adds to the sum.
        index: ``index(params, n, s)`` returns the index of an arm of n observations with sum s.
    """

    @inlined_counted
    def play(game, rng, params, N, S):
        K, T, t = arms(game), game.horizon, int(game.clock[0])
        value = np.full(K, np.inf)
        for b in range(K):
            if N[b] > 0.0:
                value[b] = index(params, N[b], S[b])
        while t < T:
            a, best = 0, -np.inf
            for b in range(K):
                if value[b] > best:
                    a, best = b, value[b]
            below, above = -np.inf, -np.inf  # the largest indices of lower and of higher arms
            for b in range(K):
                if b < a:
                    below = max(below, value[b])
                elif b > a:
                    above = max(above, value[b])
            arm, n, s, v, leads = hold(game, a), N[a], S[a], best, True
            while leads:
                n, s = n + 1.0, s + observe(params, rng, pull_held(game, arm, t))
                v = index(params, n, s)
                t += 1
                leads = t < T and v > below and v >= above
            end_hold(game, arm, t)
            N[a], S[a], value[a] = n, s, v

    return play
