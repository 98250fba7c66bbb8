"""Events that distinguish two distributions, and the privacy loss that their frequencies prove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from ..results.intervals import clopper_pearson

Bounds = tuple[tuple[int, float, float], ...]
Bound = Callable[[Any, Any, int, float], np.ndarray]  # as epsilon_bound
DEPTH = 8  # largest number of conditions of an event
FAR = 1e30  # values are clipped to [-FAR, FAR]: a tree adds its data up in float32
LEAST = 0.002  # least share of the runs that an event holds in


@dataclass(frozen=True)
class Event:
    """A conjunction of conditions on what an adversary sees.

    Attributes:
        bounds: for some columns the lower bound (excluded) and the upper bound.
        side: 0 or 1, the sequence of rewards under which it is the more likely.
    """

    bounds: Bounds
    side: int

    def count(self, seen: np.ndarray) -> int:
        """The number of rows of ``seen``, a float array (runs, columns), in which it happens."""
        holds = np.ones(len(seen), bool)
        for column, low, high in self.bounds:
            holds &= (seen[:, column] > low) & (seen[:, column] <= high)
        return int(holds.sum())

    def in_words(self, columns: Sequence[str]) -> str:
        """The conditions, by the names of the columns."""
        return " and ".join(_condition(columns[c], low, high) for c, low, high in self.bounds)


def epsilon_bound(k: np.ndarray | int, other: np.ndarray | int, n: int, level: float) -> np.ndarray:
    """A lower confidence bound on ln(p/q), at least 0, from the counts of an event in n runs each.

    Clopper-Pearson bounds of ``level / 2`` each, so both hold with probability 1 - level.

    Args:
        k: how often it happened under p, a number or an array.
        other: how often it happened under q; shaped as ``k``.
        n: runs under each.
        level: probability that the bound is too large.
    """
    low, _ = clopper_pearson(np.asarray(k), n, level / 2)
    _, high = clopper_pearson(np.asarray(other), n, level / 2)
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(low) - np.log(high), 0.0)


def mu_bound(k: np.ndarray | int, other: np.ndarray | int, n: int, level: float) -> np.ndarray:
    """A lower confidence bound, at least 0, on the mu of Gaussian DP, Phi^-1(p) - Phi^-1(q), as
    ``epsilon_bound``: what is mu-GDP tells p from q no better than N(mu, 1) is told from N(0, 1)
    (Dong, Roth & Su 2022).
    """
    low, _ = clopper_pearson(np.asarray(k), n, level / 2)
    _, high = clopper_pearson(np.asarray(other), n, level / 2)
    return np.maximum(norm.ppf(low) - norm.ppf(high), 0.0)


def learn(
    seen: tuple[np.ndarray, np.ndarray], level: float, bound: Bound = epsilon_bound
) -> tuple[float, Event]:
    """The event that distinguishes two samples best: a path of a decision tree.

    A tree grown on one half of the sample proposes events, the other half chooses among them.

    Args:
        seen: what an adversary saw in n runs under each sequence of rewards, float arrays
            (n, columns).
        level: see ``epsilon_bound``.
        bound: the lower confidence bound that the event should make large.

    Returns:
        The event's bound on this sample, which is too large since the event was chosen on it; and
        the event.
    """
    from sklearn.tree import DecisionTreeClassifier

    data = np.stack(seen).clip(-FAR, FAR).astype(np.float32)
    distinct = np.flatnonzero((data != data[0, 0]).any(axis=(0, 1)))
    if len(distinct) == 0:
        return 0.0, Event((), 0)
    n = data.shape[1] // 2
    grown, chosen = data[:, :n, distinct], data[:, n : 2 * n, distinct]
    tree = DecisionTreeClassifier(
        criterion="entropy",
        max_depth=DEPTH,
        min_samples_leaf=max(int(LEAST * n), 5),
        random_state=0,
    ).fit(grown.reshape(2 * n, -1), np.repeat([0, 1], n))
    counts = np.stack([np.asarray(tree.decision_path(x).sum(axis=0)).ravel() for x in chosen])
    scores = np.stack([bound(counts[s], counts[1 - s], n, level) for s in (0, 1)])
    side, node = np.unravel_index(scores.argmax(), scores.shape)
    whole = (data == np.rint(data)).all(axis=(0, 1))
    return float(scores[side, node]), Event(_bounds(tree.tree_, node, distinct, whole), int(side))


def _bounds(tree, node, columns: np.ndarray, whole: np.ndarray) -> Bounds:
    """The bounds on the path from the root of a tree to a node; those of counts are integers."""
    bounds: dict[int, tuple[float, float]] = {}
    while node:
        is_left = node in tree.children_left
        siblings = tree.children_left if is_left else tree.children_right
        node = int(np.flatnonzero(siblings == node)[0])
        column, cut = int(columns[tree.feature[node]]), float(tree.threshold[node])
        cut = float(np.floor(cut)) if whole[column] else cut
        low, high = bounds.get(column, (-np.inf, np.inf))
        bounds[column] = (low, min(high, cut)) if is_left else (max(low, cut), high)
    return tuple((column, *bounds[column]) for column in sorted(bounds))


def _condition(name: str, low: float, high: float) -> str:
    if low == -np.inf:
        return f"{name} <= {high:.6g}"
    if high == np.inf:
        return f"{name} > {low:.6g}"
    return f"{low:.6g} < {name} <= {high:.6g}"
