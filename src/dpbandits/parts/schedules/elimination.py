"""The arms that successive elimination keeps."""

from __future__ import annotations

import numpy as np

from ...compiled import shared
from ...game import Game, arms


@shared
def all_arms(game: Game) -> np.ndarray:
    """All arms, int64 array (K,)."""
    found = np.empty(arms(game), np.int64)
    for a in range(len(found)):
        found[a] = a
    return found


@shared
def viable(S: np.ndarray, mean: np.ndarray, width: float) -> np.ndarray:
    """The arms of ``S`` whose means are not more than ``width`` below the largest of them."""
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
