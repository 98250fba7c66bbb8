"""Rewards that count only up to a certain round, stored in a heap."""

from __future__ import annotations

import heapq
import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled import inlined, shared
from ..indices.optimism import Interruption


class Expiry(NamedTuple):
    """The rewards that count now and whose last round is known."""

    heap: list[tuple[float, int, float]]  # last round, arm and value of each reward
    first: np.ndarray  # float64 array (1,), the last round of the reward that expires first


@shared
def new_expiry() -> Expiry:
    """Return a heap without rewards; its only entry never expires."""
    return Expiry([(math.inf, 0, 0.0)], np.full(1, np.inf))


@shared
def count_until(expiry: Expiry, last: float, a: int, x: float) -> None:
    """Store the reward ``x`` of arm ``a``, which counts up to round ``last``."""
    heapq.heappush(expiry.heap, (last, a, x))
    expiry.first[0] = expiry.heap[0][0]


@inlined
def first_expiry(params: Any, state: np.ndarray) -> float:
    """Return the last round before a reward expires (``last_quiet`` of ``Interruption``)."""
    return params.expiry.first[0]


@inlined
def expire(
    params: Any,
    state: np.ndarray,
    t: int,
    N: np.ndarray,
    total: np.ndarray,
    extra: np.ndarray,
    level: np.ndarray,
) -> int:
    """Subtract the rewards that no longer count in round ``t``, and update the level total/N."""
    _expire(params.expiry, t, N, total, level)
    return -1


@shared
def _expire(expiry: Expiry, t: int, N: np.ndarray, total: np.ndarray, level: np.ndarray) -> None:
    while expiry.first[0] < t:
        _, a, x = heapq.heappop(expiry.heap)
        total[a] -= x
        level[a] = total[a] / N[a]
        expiry.first[0] = expiry.heap[0][0]


# The interruption (see ``optimism``) of algorithms whose parameters have the field ``expiry``
EXPIRING = Interruption(first_expiry, expire, earlier=True)
