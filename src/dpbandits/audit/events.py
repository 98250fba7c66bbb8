"""Events that tell two distributions apart, and what their frequencies prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import BadInput
from ..results.intervals import clopper_pearson

Bounds = tuple[tuple[int, float, float], ...]
DEPTH = 8  # conditions of an event, at most
FAR = 1e30  # what lies further from 0 is told apart no more: a tree adds its data up in float32
LEAST = 0.002  # share of the runs that an event must hold at least


@dataclass(frozen=True)
class Event:
    """A conjunction of conditions on what an adversary sees.

    Attributes:
        bounds: for some columns the least value (excluded) and the largest.
        side: 0 or 1, the sequence of rewards under which it is the more likely.
    """

    bounds: Bounds
    side: int

    def count(self, seen: np.ndarray) -> int:
        """In how many rows of ``seen``, a float array (runs, columns), it happens."""
        holds = np.ones(len(seen), bool)
        for column, low, high in self.bounds:
            holds &= (seen[:, column] > low) & (seen[:, column] <= high)
        return int(holds.sum())

    def in_words(self, columns: Sequence[str]) -> str:
        """The conditions, by the names of the columns."""
        return " and ".join(_condition(columns[c], low, high) for c, low, high in self.bounds)


def epsilon_bound(k: np.ndarray, other: np.ndarray, n: int, level: float) -> np.ndarray:
    """A lower confidence bound on ln(p/q) from k and ``other`` events in n runs each.

    Clopper-Pearson bounds of ``level / 2`` each, so both hold with probability 1 - level. A bound
    below 0 is 0.

    Args:
        k: how often an event happened in n runs under one sequence, integer array.
        other: how often under the other.
        n: runs under each.
        level: probability that the bound is too large.
    """
    low, _ = clopper_pearson(k, n, level / 2)
    _, high = clopper_pearson(other, n, level / 2)
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(low) - np.log(high), 0.0)


def learn(seen: tuple[np.ndarray, np.ndarray], level: float) -> tuple[float, Event]:
    """The event that tells two samples apart best: a path of a decision tree.

    Args:
        seen: what an adversary saw in n runs under each sequence of rewards, float arrays
            (n, columns).
        level: see ``epsilon_bound``.

    Returns:
        The event's bound on this sample, which is too large since the event was chosen on it; and
        the event. A tree grown on one half of the sample proposes, the other half chooses.
    """
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise BadInput("an audit needs scikit-learn: pip install 'dpbandits[audit]'") from None
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
    scores = np.stack([epsilon_bound(counts[s], counts[1 - s], n, level) for s in (0, 1)])
    side, node = np.unravel_index(scores.argmax(), scores.shape)
    whole = (data == np.rint(data)).all(axis=(0, 1))
    bounds = dict(_paths(tree.tree_, distinct, whole))[int(node)]
    return float(scores[side, node]), Event(bounds, int(side))


def _paths(
    tree, columns: np.ndarray, whole: np.ndarray
) -> Iterator[tuple[int, tuple[tuple[int, float, float], ...]]]:
    """Each node of a tree with the bounds on the way to it; those of counts are whole numbers."""
    left: list[tuple[int, dict[int, tuple[float, float]]]] = [(0, {})]
    while left:
        node, bounds = left.pop()
        yield node, tuple((c, *bounds[c]) for c in sorted(bounds))
        if tree.children_left[node] < 0:
            continue
        column, cut = int(columns[tree.feature[node]]), float(tree.threshold[node])
        cut = np.floor(cut) if whole[column] else cut
        low, high = bounds.get(column, (-np.inf, np.inf))
        left.append((tree.children_left[node], bounds | {column: (low, cut)}))
        left.append((tree.children_right[node], bounds | {column: (cut, high)}))


def _condition(name: str, low: float, high: float) -> str:
    if low == -np.inf:
        return f"{name} <= {high:.6g}"
    if high == np.inf:
        return f"{name} > {low:.6g}"
    return f"{low:.6g} < {name} <= {high:.6g}"
