"""Levels at which users truncate heavy-tailed rewards.

A level increases with the pulls of an arm and decreases with the logarithm of the round.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared
from ..indices.powers import power_of_log


class Levels(NamedTuple):
    """The levels ``min((eps sqrt(n/(4 ln t)))^(1/k), cap)`` of arms with n pulls in round t.

    See ``level_of``.
    """

    eps: float  # privacy budget of a user
    k: float  # order of the moment
    cap: float  # limit of the level
    end: np.ndarray  # float64 array (K,), the pull count at which ``power`` changes
    power: np.ndarray  # float64 array (K,), (eps sqrt(n/4))^(1/k)
    step: np.ndarray  # float64 array (7,), of (ln t)^(-1/2k), see ``power_of_log``


@shared
def new_levels(K: int, eps: float, k: float, cap: float) -> Levels:
    """Return the levels of ``K`` arms before the first level is computed."""
    return Levels(eps, k, cap, np.zeros(K), np.zeros(K), np.zeros(7))


@inlined
def level_of(levels: Levels, a: int, t: int, n: float) -> float:
    """Compute the level of arm ``a`` in round ``t`` >= 2, for its n-th pull.

    The formula uses the largest power of two that is at most n.
    """
    if levels.end[a] <= n:
        n = 2.0 ** (math.frexp(n)[1] - 1)
        levels.end[a] = 2.0 * n
        levels.power[a] = (levels.eps * math.sqrt(n / 4.0)) ** (1.0 / levels.k)
    return min(levels.power[a] * power_of_log(levels.step, t, -0.5 / levels.k), levels.cap)
