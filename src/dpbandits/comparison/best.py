"""Comparisons with the best of several algorithms: which algorithms may be the best, by which
factors the others are worse, and which algorithms the test does not distinguish.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .pairs import Located, ratio


class AgainstBest(NamedTuple):
    """A comparison of K algorithms with the algorithm of smallest mean (or median), arrays (K,)."""

    tied: np.ndarray  # whether the algorithm may be the best
    ratio: Located  # the ratio of the algorithm's mean (or median) to the smallest


def against_best(found: Located, tied: np.ndarray | None = None) -> AgainstBest:
    """Compute multiple comparisons with the best (Hsu 1984), on the scale of ratios.

    Only the K - 1 comparisons with the (unknown) best algorithm must hold, not all pairs. If these
    comparisons hold, the best algorithm is among the ``tied`` algorithms, and each true ratio to
    the best lies between its limits.

    Args:
        found: the estimates of K algorithms. Each limit fails with probability alpha / (2 (K - 1)).
        tied: which algorithms may be the best, bool array (K,). By default, an algorithm may be the
            best if the limits do not show that another algorithm has a smaller mean.
    """
    every = np.arange(len(found.value))
    a, b = np.meshgrid(every, every, indexing="ij")
    pairs = ratio(found.of(a), found.of(b))
    pairs.low[every, every] = pairs.high[every, every] = 1.0
    if tied is None:
        tied = np.logical_not(np.any(pairs.low > 1.0, axis=1))
    if not tied.any():  # skewed limits can show a > b, b > c and c > a
        tied[np.nanargmin(found.value)] = True
    low, high = pairs.low[:, tied].min(axis=1), pairs.high[:, tied].max(axis=1)
    best = int(np.argmin(found.value))
    value = np.where(every == best, 1.0, pairs.value[:, best])
    low = np.where(tied, 1.0, np.maximum(low, 1.0))
    return AgainstBest(tied, Located(value, low, np.maximum(high, 1.0)))


def letters(differ: np.ndarray, order: np.ndarray) -> list[str]:
    """Assign letters to algorithms. Two algorithms share a letter if and only if the test does not
    distinguish them.

    The method is insert and absorb (Piepho 2004). ``order`` lists the algorithms by their means,
    the smallest first; the group of the first algorithm has the letter a.
    """
    place = {int(i): rank for rank, i in enumerate(order)}
    groups = [frozenset(place)]
    for i, j in zip(*np.nonzero(np.triu(differ)), strict=True):
        split: list[frozenset[int]] = []
        for group in groups:
            split += [group - {int(i)}, group - {int(j)}] if {int(i), int(j)} <= group else [group]
        unique = list(dict.fromkeys(split))
        groups = [g for g in unique if not any(g < other for other in unique)]
    groups.sort(key=lambda group: sorted(place[i] for i in group))
    # names of groups: the letters a to z, then a1 to z1, and so on
    names = [chr(ord("a") + n % 26) + str(n // 26 or "") for n in range(len(groups))]
    return [
        "".join(name for name, group in zip(names, groups, strict=True) if i in group)
        for i in range(len(differ))
    ]
