"""The greedy choice among contexts, without a bonus, and its estimates of theta.

The estimates are least squares of noisy sums, or steps of gradient descent in the unit ball.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined, random


@inlined
def greedy(rng: np.random.Generator, theta: np.ndarray, X: np.ndarray) -> int:
    """Return the number of the row x of ``X`` with the largest <theta, x>; ties are broken at
    random.
    """
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
    """Compute <theta, x> for the row x of ``X`` with the number ``a``."""
    total = 0.0
    for i in range(len(theta)):
        total += theta[i] * X[a, i]
    return total


@inlined
def solve_shifted(theta: np.ndarray, A: np.ndarray, M: np.ndarray, shift: float) -> None:
    """Fill theta with (V + shift I)^-1 u.

    The lower triangle of ``M`` holds V and, in the last row, u; ``A`` is work space of the same
    shape. V may be indefinite: the method is L D L^T without pivoting.
    """
    d = len(theta)
    for p in range(d + 1):
        for q in range(min(p + 1, d)):
            A[p, q] = M[p, q] + (shift if p == q else 0.0)
    for k in range(d):
        for p in range(k + 1, d + 1):
            c = A[p, k] / A[k, k]
            for q in range(k + 1, min(p + 1, d)):
                A[p, q] -= c * A[q, k]
    for k in range(d - 1, -1, -1):
        x = A[d, k]
        for p in range(k + 1, d):
            x -= A[p, k] * theta[p]
        theta[k] = x / A[k, k]


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
