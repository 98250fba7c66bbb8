"""Symmetric positive definite matrices of small dimension: factors, solutions, eigenvalues."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import shared, shared_borrowing

HALVINGS = 50  # how often the interval that contains the eigenvalue is halved


@shared_borrowing
def factor(V: np.ndarray, L: np.ndarray) -> float:
    """Fill the lower triangle of ``L`` with the Cholesky factor of V, L L^T = V.

    The function returns ln det V, or -inf if V is not positive definite.
    """
    log_det = 0.0
    for i in range(len(V)):
        for j in range(i + 1):
            x = V[i, j]
            for k in range(j):
                x -= L[i, k] * L[j, k]
            if i == j and not x > 0.0:
                return -np.inf
            L[i, j] = math.sqrt(x) if i == j else x / L[j, j]
        log_det += 2.0 * math.log(L[i, i])
    return log_det


@shared_borrowing
def solve_lower(L: np.ndarray, x: np.ndarray) -> None:
    """Replace ``x`` by L^-1 x, for a lower triangular L."""
    for i in range(len(x)):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]


@shared_borrowing
def solve_upper(L: np.ndarray, x: np.ndarray) -> None:
    """Replace ``x`` by L^-T x, for a lower triangular L."""
    for i in range(len(x) - 1, -1, -1):
        for k in range(i + 1, len(x)):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@shared_borrowing
def invert(L: np.ndarray, W: np.ndarray) -> None:
    """Fill ``W`` with (L L^T)^-1."""
    d = len(W)
    for j in range(d):
        for i in range(d):
            W[j, i] = 1.0 if i == j else 0.0
        solve_lower(L, W[j])
        solve_upper(L, W[j])


@shared
def smallest_eigenvalue(V: np.ndarray) -> float:
    """Bound the smallest eigenvalue of a positive definite matrix from below, by bisection.

    V - x I has a Cholesky factor for every x below the eigenvalue. The interval is halved HALVINGS
    times.
    """
    A, L, d = V.copy(), np.zeros(V.shape), len(V)
    low, high = 0.0, V[0, 0]
    for i in range(d):
        high = min(high, V[i, i])
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        for i in range(d):
            A[i, i] = V[i, i] - middle
        if factor(A, L) > -np.inf:
            low = middle
        else:
            high = middle
    return low
