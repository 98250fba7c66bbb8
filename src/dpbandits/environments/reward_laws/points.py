"""Finitely many values with probabilities, and lists of equally likely values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...errors import BadInput, plain
from ...validation import numbers
from .. import laws
from .arm import Arm

FEW = 32  # an empirical law with at most this many distinct values is drawn as a discrete law


def discrete(values: Any, probabilities: Any) -> Arm:
    """Finitely many values with given probabilities."""
    x, p = numbers("values", values), numbers("probabilities", probabilities)
    shares_of_one("probabilities", p, len(x))
    return of_points(laws.DISCRETE, x, p)


def empirical(values: Sequence[float] | np.ndarray) -> Arm:
    """The uniform distribution on a list of values."""
    ordered = np.sort(np.asarray(values, dtype=float))
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    if len(starts) <= FEW:
        counts = np.diff(np.append(starts, len(ordered)))
        return of_points(laws.DISCRETE, ordered[starts], counts / len(ordered))
    share = np.broadcast_to(1 / len(ordered), len(ordered))  # takes the memory of one number
    return of_points(laws.EMPIRICAL, ordered, share)


def of_points(law: int, x: Sequence[float] | np.ndarray, p: Sequence[float] | np.ndarray) -> Arm:
    """The arm of a law given by values and their probabilities."""
    values, shares = np.asarray(x, dtype=float), np.asarray(p, dtype=float)
    mean = math.fsum(memoryview(values * shares))
    moment = partial(discrete_moment, values, shares)
    points = np.column_stack([values, shares])
    return Arm(law, (), mean, float(values.min()), float(values.max()), moment, points)


def shares_of_one(key: str, shares: Sequence[float], count: int) -> None:
    """Raise BadInput unless shares are ``count`` non-negative numbers that sum to 1."""
    if len(shares) != count:
        raise BadInput(f"{key}={plain(shares)}: {count} shares are needed, one for each value")
    if min(shares) < 0 or abs(math.fsum(shares) - 1) > 1e-9:
        raise BadInput(
            f"{key}={plain(shares)}: shares of at least 0 that sum to 1 are needed, "
            f"not to {math.fsum(shares):g}"
        )


def discrete_moment(values: np.ndarray, shares: np.ndarray, q: float, c: float) -> float:
    """Values with given probabilities: a sum, in an order that no BLAS chooses."""
    with np.errstate(over="ignore"):
        return float((shares * np.abs(np.asarray(values) - c) ** q).sum())
