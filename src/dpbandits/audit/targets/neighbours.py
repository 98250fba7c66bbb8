"""Neighbouring sequences of rewards: a walk from one extreme to the other, one reward at a time.

A walk starts at a table in which all rewards of an arm are low, and ends at a table in which they
are all high. Each step of the walk changes one reward, so the tables before and after the step are
neighbours. By group privacy, the sum of the losses of all steps is at least the loss between the
two ends. The largest loss is therefore expected at the step at which the algorithm changes its
behaviour.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...errors import either

Pair = tuple[np.ndarray, np.ndarray]
# Returns two data sets that differ in the given number of rewards; for 1, they are neighbours
Neighbours = Callable[[int], Pair]
Behaviour = Callable[[np.ndarray], np.ndarray]  # returns the mean output for a table of rewards


def fixed(pair: Pair) -> Neighbours:
    """Return a function that returns the same pair of data for any number of steps."""
    return lambda steps: pair


def place_of_change(pair: Pair) -> tuple[int, ...]:
    """Return the index of the first entry in which two data sets differ, such as the round and the
    arm.
    """
    x, y = pair
    return tuple(np.argwhere(x != y)[0].tolist())


@dataclass(frozen=True)
class Walk:
    """A path from one table of rewards to another one, float arrays (T, K).

    Each step replaces one reward. An int array (steps, 2) has the round and the arm of each step.
    """

    base: np.ndarray
    far: np.ndarray
    order: np.ndarray

    def table(self, m: int) -> np.ndarray:
        """Return the table after m steps."""
        rewards, places = self.base.copy(), tuple(self.order[:m].T)
        rewards[places] = self.far[places]
        return rewards

    def pair(self, m: int, steps: int) -> Pair:
        """Return the table after m steps and the table ``steps`` steps later, but not after the
        end.
        """
        m = min(max(m, 0), len(self.order) - 1)
        return self.table(m), self.table(m + steps)


def random_table(rng: np.random.Generator, T: int, K: int, low: float, high: float) -> np.ndarray:
    """Draw a table of extreme rewards, float array (T, K).

    Each arm has a random share of high rewards. Several arms may have the same share.
    """
    shares = rng.choice([0.0, 0.5, 1.0, rng.random()], size=K)
    return np.where(rng.random((T, K)) < shares, high, low)


def random_walk(rng: np.random.Generator, T: int, K: int, low: float, high: float) -> Walk:
    """Return a walk that raises the rewards of one arm, in a random order of the rounds.

    The other arms have random rewards.
    """
    arm, base = int(rng.integers(K)), random_table(rng, T, K, low, high)
    base[:, arm] = low
    far = base.copy()
    far[:, arm] = high
    forward = np.arange(T)
    orders = (forward, forward, forward[::-1], rng.permutation(T))
    rounds = orders[rng.integers(len(orders))]
    return Walk(base, far, np.column_stack([rounds, np.full(T, arm)]))


class Tried(NamedTuple):
    """The ranges of rewards, horizons and numbers of arms in the data that were played."""

    low: float = math.inf
    high: float = -math.inf
    rounds: frozenset[int] = frozenset()
    arms: frozenset[int] = frozenset()

    def __or__(self, other: Tried) -> Tried:
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Tried(low, high, self.rounds | other.rounds, self.arms | other.arms)

    def add(self, data: Iterable[np.ndarray]) -> Tried:
        """Return the ranges extended by some data: float arrays (T, K), or numbers of a release."""
        for x in data:
            shape = frozenset(x.shape[:1]), frozenset(x.shape[1:])
            self |= Tried(float(x.min()), float(x.max()), *shape)
        return self

    def __str__(self) -> str:
        least, most = min(self.rounds, default=0), max(self.rounds, default=0)
        rounds = f"{least:,} to {most:,}" if least < most else f"{most:,}"
        if not self.arms:
            return f"{rounds} numbers"
        arms = either([str(n) for n in sorted(self.arms)])
        return f"{rounds} rounds with {arms} arm{'s' if max(self.arms) > 1 else ''}"


def first_change(n: int, same: Callable[[int], bool]) -> int:
    """Find, by bisection, a number m such that ``same(m - 1)`` is true and ``same(m)`` is false.

    ``same(0)`` must be true, and ``same(n)`` false.
    """
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if same(middle) else (low, middle)
    return high


def change_of_mind(walk: Walk, behaviour: Behaviour) -> int | None:
    """Return the step of a walk at which the mean output is midway between the mean outputs at its
    two ends.

    The result is None if the behaviour is the same at both ends.
    """
    start = behaviour(walk.table(0))
    direction = behaviour(walk.table(len(walk.order))) - start
    length = float((direction**2).sum())
    if length == 0.0:
        return None

    def nearer_to_start(m: int) -> bool:
        progress = float(((behaviour(walk.table(m)) - start) * direction).sum()) / length
        return progress < 0.5

    return first_change(len(walk.order), nearer_to_start) - 1


def largest_untruncated(behaviour: Behaviour, T: int, K: int, least: float, most: float) -> float:
    """Estimate the largest reward that a truncating algorithm does not replace by 0.

    The search covers rewards from ``least`` to ``most``. If no reward changes the behaviour, the
    result is the geometric mean of ``least`` and ``most``.
    """
    zeros = behaviour(np.zeros((T, K)))

    def matters(x: float) -> bool:
        rewards = np.zeros((T, K))
        rewards[:, 0] = x
        return bool(np.abs(behaviour(rewards) - zeros).max() > 0.25 * zeros.max())

    grid = np.geomspace(least, most, 40)
    known = [x for x in grid if matters(x)]
    if not known:
        return float(np.sqrt(least * most))
    low, high = known[-1], known[-1] * grid[1] / grid[0]
    for _ in range(8):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if matters(middle) else (low, middle)
    return float(low)
