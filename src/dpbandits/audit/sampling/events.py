"""Events that distinguish two distributions. The event that shows the largest loss is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...results.intervals import clopper_pearson
from ..targets.target import MISSING

Bounds = tuple[tuple[int, float, float], ...]
Scale = Callable[[np.ndarray], np.ndarray]
DEPTH = 8  # the largest number of conditions of an event
# Values are clipped to at most this absolute value, since a tree adds its data in float32
MAX_SPLIT_VALUE = 1e30
# An event must happen in this many runs of a sample, counted for both neighbours together
MIN_EVENT_RUNS = 25


@dataclass(frozen=True)
class Event:
    """A conjunction of conditions on the output that an adversary sees.

    Attributes:
        bounds: for some columns, the lower bound (excluded) and the upper bound (included).
        side: the sequence of rewards, 0 or 1, for which the event is more likely.
    """

    bounds: Bounds
    side: int

    def happens(self, seen: np.ndarray) -> np.ndarray:
        """Return whether the event happens in each run, bool array (runs,).

        ``seen`` is the output of the runs, float array (runs, columns).
        """
        holds = np.ones(len(seen), bool)
        for column, low, high in self.bounds:
            holds &= (seen[:, column] > low) & (seen[:, column] <= high)
        return holds

    def in_words(self, columns: Sequence[str]) -> str:
        """Return the conditions in words, with the names of the columns."""
        return " and ".join(_condition(columns[c], low, high) for c, low, high in self.bounds)


def ratio(p: np.ndarray) -> np.ndarray:
    """Return ln p. The difference of ln p for two neighbours is a privacy loss of pure DP."""
    with np.errstate(divide="ignore"):
        return np.log(p)


def rank(k: np.ndarray, other: np.ndarray, n: int, level: float, scale: Scale) -> np.ndarray:
    """Score events by the privacy loss between the Clopper-Pearson bounds of their two
    probabilities. The score is negative if the bounds overlap.

    Args:
        k: how often each event happened in n runs, int array.
        other: how often each event happened in n runs on the neighbour, int array.
        n: number of runs.
        level: the probability that at least one of the two bounds of an event fails.
        scale: ``ratio``, or the quantile function of the normal law for losses of Gaussian DP.
    """
    low, _ = clopper_pearson(k, n, level / 2)
    _, high = clopper_pearson(other, n, level / 2)
    return scale(low) - scale(high)


def learn(
    seen: tuple[np.ndarray, np.ndarray], level: float, scale: Scale = ratio
) -> tuple[float, Event, tuple[float, float]]:
    """Find the event, a path of a decision tree, that distinguishes two samples best.

    A tree that is grown on one half of each sample proposes events. The other half of the samples
    decides which event is returned.

    Args:
        seen: the outputs that an adversary saw in n runs under each sequence of rewards, float
            arrays (n, columns).
        level, scale: see ``rank``.

    Returns:
        The score of the event, the event, and estimates of its two probabilities. The score is
            biased upwards, because the event was chosen on the same sample. The first probability
            belongs to the sequence of rewards for which the event is more likely.
    """
    from sklearn.tree import DecisionTreeClassifier

    data = np.stack(seen).clip(-MAX_SPLIT_VALUE, MAX_SPLIT_VALUE).astype(np.float32)
    distinct = np.flatnonzero((data != data[0, 0]).any(axis=(0, 1)))
    if len(distinct) == 0:
        return 0.0, Event((), 0), (0.5, 0.5)
    n = data.shape[1] // 2
    grown, chosen = data[:, :n, distinct], data[:, n : 2 * n, distinct]
    least = min(MIN_EVENT_RUNS, max(n // 50, 5))
    tree = DecisionTreeClassifier(
        criterion="entropy", max_depth=DEPTH, min_samples_leaf=least, random_state=0
    ).fit(grown.reshape(2 * n, -1), np.repeat([0, 1], n))
    counts = np.stack([np.asarray(tree.decision_path(x).sum(axis=0)).ravel() for x in chosen])
    scores = np.stack([rank(counts[s], counts[1 - s], n, level, scale) for s in (0, 1)])
    if scores.shape[1] == 1:  # the tree has no split, so no event separates the samples
        return 0.0, Event((), 0), (0.5, 0.5)
    side, node = np.unravel_index(scores[:, 1:].argmax(), scores[:, 1:].shape)
    node += 1  # skip the root, which is the event that always happens
    whole = (data == np.rint(data)).all(axis=(0, 1))
    p, q = ((float(counts[s, node]) + 0.5) / (n + 1.0) for s in (side, 1 - side))
    event = Event(_bounds(tree.tree_, node, distinct, whole), int(side))
    return max(float(scores[side, node]), 0.0), event, (p, q)


def _bounds(tree, node, columns: np.ndarray, whole: np.ndarray) -> Bounds:
    """Return the bounds on the path from the root of a tree to a node.

    Bounds on columns of integers are integers.
    """
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
    if high < MISSING / 100:
        return f"no {name}"
    if -np.inf < low < MISSING / 100:
        return f"some {name}" if high == np.inf else f"some {name} <= {high:.6g}"
    if low == -np.inf:
        return f"{name} <= {high:.6g}"
    if high == np.inf:
        return f"{name} > {low:.6g}"
    return f"{low:.6g} < {name} <= {high:.6g}"
