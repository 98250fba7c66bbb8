"""Neighbouring sequences of rewards: a walk from one extreme to the other, one reward at a time.

Everything that an algorithm learns about an arm, it learns between a table in which the arm's
rewards are all low and one in which they are all high. Each step of a walk from one to the other is
a pair of neighbours, and the losses of all steps add up to what distinguishes the two ends: the
worst neighbours are where the algorithm's behaviour changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from ...errors import either

Pair = tuple[np.ndarray, np.ndarray]
Neighbours = Callable[[int], Pair]  # data that differ in this many rewards; 1 for neighbours
Behaviour = Callable[[np.ndarray], np.ndarray]  # of a table of rewards: the mean output


def fixed(pair: Pair) -> Neighbours:
    """Neighbours that are not part of a walk."""
    return lambda steps: pair


def place_of_change(pair: Pair) -> tuple[int, ...]:
    """The first place in which two data differ: round and arm of a reward."""
    x, y = pair
    return tuple(np.argwhere(x != y)[0].tolist())


@dataclass(frozen=True)
class Walk:
    """A path from one table of rewards to another one, float arrays (T, K).

    Each step replaces the reward of one place, in the order of an int array (steps, 2).
    """

    base: np.ndarray
    far: np.ndarray
    order: np.ndarray

    def table(self, m: int) -> np.ndarray:
        """The table after m steps."""
        rewards, places = self.base.copy(), tuple(self.order[:m].T)
        rewards[places] = self.far[places]
        return rewards

    def pair(self, m: int, steps: int) -> Pair:
        """The tables before step m and ``steps`` steps later; both are clipped to the path."""
        m = min(max(m, 0), len(self.order) - 1)
        return self.table(m), self.table(m + steps)


def random_table(rng: np.random.Generator, T: int, K: int, low: float, high: float) -> np.ndarray:
    """Extreme rewards of arms that are alike or not, float array (T, K)."""
    shares = rng.choice([0.0, 0.5, 1.0, rng.random()], size=K)
    return np.where(rng.random((T, K)) < shares, high, low)


def random_walk(rng: np.random.Generator, T: int, K: int, low: float, high: float) -> Walk:
    """A walk that raises the rewards of an arm, in random direction; others have random ones."""
    arm, base = int(rng.integers(K)), random_table(rng, T, K, low, high)
    base[:, arm] = low
    far = base.copy()
    far[:, arm] = high
    forward = np.arange(T)
    orders = (forward, forward, forward[::-1], rng.permutation(T))
    rounds = orders[rng.integers(len(orders))]
    return Walk(base, far, np.column_stack([rounds, np.full(T, arm)]))


@dataclass
class Tried:
    """The smallest and the largest reward of what was played, its horizons and numbers of arms."""

    low: float = math.inf
    high: float = -math.inf
    rounds: set[int] = field(default_factory=set)
    arms: set[int] = field(default_factory=set)

    def add(self, data: Iterable[np.ndarray]) -> None:
        """Note some data: float arrays (T, K), or the numbers that enter a release."""
        for x in data:
            self.join(Tried(float(x.min()), float(x.max()), {len(x)}, {*x.shape[1:]}))

    def join(self, other: Tried) -> None:
        """Note what another one has noted."""
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.rounds |= other.rounds
        self.arms |= other.arms

    def __str__(self) -> str:
        least, most = min(self.rounds, default=0), max(self.rounds, default=0)
        rounds = f"{least:,} to {most:,}" if least < most else f"{most:,}"
        if not self.arms:
            return f"{rounds} numbers"
        arms = either([str(n) for n in sorted(self.arms)])
        return f"{rounds} rounds with {arms} arm{'s' if max(self.arms) > 1 else ''}"


def first_change(n: int, same: Callable[[int], bool]) -> int:
    """The first m at which ``same`` does not hold, by bisection: it does at 0, and not at n."""
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if same(middle) else (low, middle)
    return high


def change_of_mind(walk: Walk, behaviour: Behaviour) -> int | None:
    """The step at which the behaviour is midway between those at the two ends, if they differ."""
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
    """The largest reward, approximately, that a truncating algorithm does not replace by 0."""
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
