"""The active arms of successive elimination."""

from __future__ import annotations

import numpy as np

from ...compiled import shared
from ...game import Game, arms


@shared
def all_arms(game: Game) -> np.ndarray:
    """Return the numbers of all arms, int64 array (K,)."""
    found = np.empty(arms(game), np.int64)
    for a in range(len(found)):
        found[a] = a
    return found


@shared
def viable(S: np.ndarray, mean: np.ndarray, width: float) -> np.ndarray:
    """Return the arms of ``S`` whose means are at most ``width`` below the largest mean of the arms
    of ``S``.
    """
    best = -np.inf
    for a in S:
        best = max(best, mean[a])
    kept = 0
    found = np.empty_like(S)
    for a in S:
        if not best - mean[a] > width:
            found[kept] = a
            kept += 1
    return found[:kept].copy()
