"""Ridge regression that grows by one round at a time: V = lam I + sum x x^T and b = sum x r."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared
from .matrices import factor, invert

REFACTOR = 1000  # updates after which V^-1 and ln det V are computed anew, to keep errors small


class Ridge(NamedTuple):
    """A ridge regression in d dimensions. Each round updates ``W`` and ``log_det``."""

    V: np.ndarray  # float64 array (d, d)
    W: np.ndarray  # float64 array (d, d), V^-1
    b: np.ndarray  # float64 array (d,)
    log_det: np.ndarray  # float64 array (1,), ln det V
    age: np.ndarray  # float64 array (1,), updates since W was computed anew
    work: np.ndarray  # float64 array (d, d), a Cholesky factor; its first row is also W x


@shared
def new_ridge(d: int, lam: float) -> Ridge:
    """Return a ridge regression before its first round: V = lam I and b = 0."""
    V, W = np.zeros((d, d)), np.zeros((d, d))
    for i in range(d):
        V[i, i], W[i, i] = lam, 1.0 / lam
    log_det = np.zeros(1)
    log_det[0] = d * math.log(lam)
    return Ridge(V, W, np.zeros(d), log_det, np.zeros(1), np.zeros((d, d)))


@inlined
def add_round(ridge: Ridge, X: np.ndarray, a: int, r: float) -> None:
    """Add a round with the context x, row ``a`` of ``X``, and the reward ``r``.

    The update takes O(d^2) operations, by the Sherman-Morrison formula.
    """
    V, W, b, y = ridge.V, ridge.W, ridge.b, ridge.work
    d = len(b)
    q = 1.0
    for i in range(d):
        x, total = X[a, i], 0.0
        for j in range(d):
            total += X[a, j] * W[j, i]
            V[i, j] += x * X[a, j]
        y[0, i] = total
        b[i] += x * r
        q += x * total
    for i in range(d):
        w = y[0, i] / q
        for j in range(d):
            W[i, j] -= w * y[0, j]
    ridge.log_det[0] += math.log(q)
    ridge.age[0] += 1
    if ridge.age[0] == REFACTOR:
        ridge.log_det[0] = factor(V, ridge.work)
        invert(ridge.work, W)
        ridge.age[0] = 0


class Estimate(NamedTuple):
    """The estimate that an optimistic learner uses, taken from a regression in some round tau."""

    theta: np.ndarray  # float64 array (d,), V_tau^-1 b
    W: np.ndarray  # float64 array (d, d), V_tau^-1
    log_det: np.ndarray  # float64 array (1,), ln det V_tau


@shared
def new_estimate(ridge: Ridge) -> Estimate:
    """Return the estimate of a regression before its first round, theta = 0."""
    return Estimate(np.zeros(len(ridge.b)), ridge.W.copy(), ridge.log_det.copy())


@shared
def latest_estimate(ridge: Ridge) -> Estimate:
    """Return an estimate that shares V^-1 and ln det V with the regression; theta = 0 at first.

    ``solve`` updates theta.
    """
    return Estimate(np.zeros(len(ridge.b)), ridge.W, ridge.log_det)


@inlined
def solve(now: Estimate, ridge: Ridge, b: np.ndarray) -> None:
    """Set theta to V^-1 b, where ``b`` is exact or noisy."""
    for i in range(len(b)):
        x = 0.0
        for j in range(len(b)):
            x += ridge.W[i, j] * b[j]
        now.theta[i] = x


@inlined
def estimate(now: Estimate, ridge: Ridge, b: np.ndarray) -> None:
    """Renew the estimate from the present V of the regression, with theta = V^-1 b."""
    solve(now, ridge, b)
    for i in range(len(b)):
        for j in range(len(b)):
            now.W[i, j] = ridge.W[i, j]
    now.log_det[0] = ridge.log_det[0]


@inlined
def confidence_width(now: Estimate, start: float, lam: float, l: float) -> float:
    """Compute the confidence radius sqrt(2 ln(1/delta) + ln(det V/lam^d)) + sqrt(lam).

    With probability at least 1 - delta, a true theta of length at most 1 is within this radius of
    the least squares estimate, in the norm of V (Abbasi-Yadkori, Pal & Szepesvari 2011, Theorem 2).
    ``start`` is ln(lam^d) and ``l`` is ln(1/delta).
    """
    return math.sqrt(2.0 * l + now.log_det[0] - start) + math.sqrt(lam)


@inlined
def optimistic(now: Estimate, X: np.ndarray, beta: float) -> int:
    """Return the number of the row x of ``X`` with the largest <theta, x> + beta sqrt(x^T W x).

    Ties go to the first row, and a negative x^T W x counts as 0. Five rows are computed at a time,
    each with its own sum, because the d^2 additions of a single sum have to wait for each other.
    More than five sums would not fit into the registers.
    """
    best, largest, last = 0, -np.inf, len(X) - 1
    for a in range(0, len(X), 5):
        b, c, e, f = min(a + 1, last), min(a + 2, last), min(a + 3, last), min(a + 4, last)
        p = q = r = s = o = 0.0  # <theta, x>
        t = u = v = w = z = 0.0  # x^T W x
        for i in range(len(now.theta)):
            k = l = m = n = h = 0.0
            for j in range(i):
                x = 2.0 * now.W[i, j]
                k += x * X[a, j]
                l += x * X[b, j]
                m += x * X[c, j]
                n += x * X[e, j]
                h += x * X[f, j]
            x = now.W[i, i]
            t += X[a, i] * (k + x * X[a, i])
            u += X[b, i] * (l + x * X[b, i])
            v += X[c, i] * (m + x * X[c, i])
            w += X[e, i] * (n + x * X[e, i])
            z += X[f, i] * (h + x * X[f, i])
            x = now.theta[i]
            p += x * X[a, i]
            q += x * X[b, i]
            r += x * X[c, i]
            s += x * X[e, i]
            o += x * X[f, i]
        for row, mean, square in ((a, p, t), (b, q, u), (c, r, v), (e, s, w), (f, o, z)):
            value = mean + beta * math.sqrt(max(square, 0.0))
            if value > largest:
                best, largest = row, value
    return best
