"""The greedy choice among contexts, without a bonus, and a step of gradient descent in the ball."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined, random


@inlined
def greedy(rng: np.random.Generator, theta: np.ndarray, X: np.ndarray) -> int:
    """The row x of ``X`` with the largest <theta, x>, ties at random."""
    best, largest, ties = 0, -np.inf, 1
    for a in range(len(X)):
        value = inner_product(theta, X, a)
        if value > largest:
            best, largest, ties = a, value, 1
        elif value == largest:
            ties += 1
            if random(rng) < 1.0 / ties:
                best = a
    return best


@inlined
def inner_product(theta: np.ndarray, X: np.ndarray, a: int) -> float:
    """<theta, x> for the row x of ``X`` with the number ``a``."""
    total = 0.0
    for i in range(len(theta)):
        total += theta[i] * X[a, i]
    return total


@inlined
def descend(theta: np.ndarray, g: np.ndarray, eta: float) -> None:
    """Replace theta by theta - eta g, divided by its length if the length is above 1."""
    square = 0.0
    for i in range(len(theta)):
        theta[i] -= eta * g[i]
        square += theta[i] * theta[i]
    if square > 1.0:
        length = math.sqrt(square)
        for i in range(len(theta)):
            theta[i] /= length
