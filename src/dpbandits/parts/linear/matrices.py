"""Symmetric positive definite matrices of small dimension: factors, solutions, eigenvalues."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import borrowing_routine, routine

SWEEPS = 60  # of Jacobi's method, which needs fewer than ten


@borrowing_routine
def factor(V: np.ndarray, L: np.ndarray) -> float:
    """Cholesky's factor: fills the lower triangle of ``L`` with L L^T = V, and returns ln det V."""
    log_det = 0.0
    for i in range(len(V)):
        for j in range(i + 1):
            x = V[i, j]
            for k in range(j):
                x -= L[i, k] * L[j, k]
            L[i, j] = math.sqrt(x) if i == j else x / L[j, j]
        log_det += 2.0 * math.log(L[i, i])
    return log_det


@borrowing_routine
def solve_lower(L: np.ndarray, x: np.ndarray) -> None:
    """Replace ``x`` by L^-1 x, for a lower triangular L."""
    for i in range(len(x)):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]


@borrowing_routine
def solve_upper(L: np.ndarray, x: np.ndarray) -> None:
    """Replace ``x`` by L^-T x, for a lower triangular L."""
    for i in range(len(x) - 1, -1, -1):
        for k in range(i + 1, len(x)):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@borrowing_routine
def invert(L: np.ndarray, W: np.ndarray) -> None:
    """Fill ``W`` with (L L^T)^-1."""
    d = len(W)
    for j in range(d):
        for i in range(d):
            W[j, i] = 1.0 if i == j else 0.0
        solve_lower(L, W[j])
        solve_upper(L, W[j])


@routine
def smallest_eigenvalue(V: np.ndarray) -> float:
    """The smallest eigenvalue of a symmetric matrix, by Jacobi's rotations."""
    A, d = V.copy(), len(V)
    for _ in range(SWEEPS):
        off = size = 0.0
        for i in range(d):
            for j in range(d):
                size += A[i, j] ** 2
                off += A[i, j] ** 2 if i != j else 0.0
        if off <= 1e-28 * size:
            break
        for p in range(d):
            for q in range(p + 1, d):
                if A[p, q] != 0.0:
                    rotate(A, p, q)
    least = A[0, 0]
    for i in range(d):
        least = min(least, A[i, i])
    return least


@borrowing_routine
def rotate(A: np.ndarray, p: int, q: int) -> None:
    """Rotate the coordinates p and q of a symmetric matrix such that A[p, q] becomes 0."""
    h = (A[q, q] - A[p, p]) / (2.0 * A[p, q])
    t = (1.0 if h >= 0.0 else -1.0) / (abs(h) + math.sqrt(h * h + 1.0))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for k in range(len(A)):
        x, y = A[k, p], A[k, q]
        A[k, p], A[k, q] = c * x - s * y, s * x + c * y
    for k in range(len(A)):
        x, y = A[p, k], A[q, k]
        A[p, k], A[q, k] = c * x - s * y, s * x + c * y
