"""Neighbouring sequences of rewards: a walk from one extreme to the other, a reward at a time.

Whatever an algorithm learns of an arm, it learns on the way from a table in which the arm's rewards
are all low to one in which they are all high. Every step of that way is a pair of neighbours, and
the losses of all steps add up to what tells the ends apart: the worst neighbours are where the
algorithm changes its mind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]
Neighbours = Callable[[int], Pair]  # data that differ in so many rewards; 1 is what is asked
Behaviour = Callable[[np.ndarray], np.ndarray]  # of a table of rewards: means of what is seen


@dataclass(frozen=True)
class Walk:
    """A way through tables of rewards.

    Attributes:
        base: float array (T, K); the rewards of ``arm`` are low.
        arm: the arm whose rewards rise.
        high: what they rise to.
        order: the rounds in which they do, int array (T,).
    """

    base: np.ndarray
    arm: int
    high: float
    order: np.ndarray

    def table(self, m: int) -> np.ndarray:
        """The table after m steps."""
        rewards = self.base.copy()
        rewards[self.order[:m], self.arm] = self.high
        return rewards

    def pair(self, m: int, steps: int) -> Pair:
        """The tables before step m and some steps later, as far as the path goes."""
        m = min(max(m, 0), len(self.order) - 1)
        return self.table(m), self.table(min(m + steps, len(self.order)))


def random_walk(rng: np.random.Generator, T: int, K: int, low: float, high: float) -> Walk:
    """A way of random direction, with other arms of random fixed rewards."""
    arm = int(rng.integers(K))
    shares = rng.choice([0.0, 0.5, 1.0, rng.random()], size=K)
    base = np.where(rng.random((T, K)) < shares, high, low)
    base[:, arm] = low
    forward = np.arange(T)
    orders = (forward, forward, forward[::-1], rng.permutation(T))
    return Walk(base, arm, high, orders[rng.integers(len(orders))])


def change_of_mind(walk: Walk, behaviour: Behaviour) -> int | None:
    """The step at which the behaviour is half way between those at the ends, if they differ."""
    low, high = 0, len(walk.order)
    start, end = behaviour(walk.table(low)), behaviour(walk.table(high))
    length = float(((end - start) ** 2).sum())
    if length == 0.0:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        way = float(((behaviour(walk.table(middle)) - start) * (end - start)).sum()) / length
        low, high = (middle, high) if way < 0.5 else (low, middle)
    return low


def largest_heard(behaviour: Behaviour, T: int, K: int, least: float, most: float) -> float:
    """About the largest reward that an algorithm which truncates does not take for 0."""
    silence = behaviour(np.zeros((T, K)))

    def heard(x: float) -> bool:
        rewards = np.zeros((T, K))
        rewards[:, 0] = x
        return bool(np.abs(behaviour(rewards) - silence).max() > 0.25 * silence.max())

    grid = np.geomspace(least, most, 40)
    known = [x for x in grid if heard(x)]
    if not known:
        return float(np.sqrt(least * most))
    low, high = known[-1], known[-1] * grid[1] / grid[0]
    for _ in range(8):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if heard(middle) else (low, middle)
    return float(low)
