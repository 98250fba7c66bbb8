"""Rewards that count until a certain round, in a heap."""

from __future__ import annotations

import heapq
import math

import numpy as np

from ...compiled import shared

Heap = list[tuple[float, int, float]]  # last round, arm and value of each reward


@shared
def new_heap() -> tuple[Heap, np.ndarray]:
    """A heap without rewards, whose last entry never expires; and ``first``, see ``remember``."""
    return [(math.inf, 0, 0.0)], np.full(1, np.inf)


@shared
def remember(heap: Heap, first: np.ndarray, last: float, a: int, x: float) -> None:
    """Add the reward ``x`` of arm ``a``, which counts up to round ``last``.

    ``first`` is a float64 array (1,): the last round of the reward that expires first.
    """
    heapq.heappush(heap, (last, a, x))
    first[0] = heap[0][0]


@shared
def forget(
    own: tuple, t: int, N: np.ndarray, total: np.ndarray, more: np.ndarray, level: np.ndarray
) -> int:
    """The ``force_exploration`` of ``optimism``: subtract the rewards that no longer count in round
    ``t``, and update the level total/N. ``own`` ends with the heap and ``first``.
    """
    heap, first = own[-2], own[-1]
    while first[0] < t:
        _, a, x = heapq.heappop(heap)
        total[a] -= x
        level[a] = total[a] / N[a]
        first[0] = heap[0][0]
    return -1
