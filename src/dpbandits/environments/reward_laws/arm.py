"""Arms: a reward law with its true mean, its range and its absolute moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...validation import number_where
from .. import laws


@dataclass(frozen=True)
class Arm:
    """An arm: its reward law, its mean, its range and its moments."""

    law: int  # the number of the arm's law, as in laws.py
    # parameters of the law; empty for a law given by points, see ``instances``
    parameters: tuple[float, ...]
    mean: float  # the mean that defines the regret
    low: float  # the smallest reward
    high: float  # the largest reward
    # E|X - c|^q as a function of q and c, infinite if it does not exist
    moment: Callable[[float, float], float]
    # float64 array (points, 2), value and probability of each point; None for other laws
    points: np.ndarray | None = None

    @property
    def reward_mean(self) -> float:
        """E X, the mean of the observed reward; with a sigmoid it differs from ``mean``."""
        return self.moment(1.0, 0.0) if self.law == laws.SIGMOID_GAUSSIAN else self.mean


def positive(key: str, value: Any) -> float:
    """Check that a value is a finite number above 0, and return it."""
    return number_where(key, value, lambda x: x > 0, "a number above 0 is needed")


def finite_mean(key: str, value: Any) -> float:
    """Check the index of a power tail: the mean is finite only if the index exceeds 1."""
    needed = "above 1 is needed, or the mean is infinite"
    return number_where(key, value, lambda x: x > 1, needed)
