"""The logistic oracle: log-loss with objective perturbation (Chaudhuri, Monteleoni & Sarwate 2011,
Algorithm 2). Each fit is a pure eps-DP release of one batch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import gamma, inlined, normal, shared, shared_borrowing
from ..linear.matrices import factor, solve_lower, solve_upper
from .learner import FITTED, ROWS, TIGHT, Learner, count_fit

GRADIENT = 1e-8  # length of the gradient at which the minimiser is exact enough
ROUNDING = 1e-14  # rounding error of the gradient, relative to the perturbation
STEPS, HALVINGS = 100, 40  # most steps of Newton's method, and most halvings of a step


class Perturbation(NamedTuple):
    """The perturbed objective for n rows: mean log-loss + L/2 |theta|^2 + b . theta/n."""

    L: float  # the ridge, including an extra ridge
    u: float  # b is a uniform direction times a Gamma variable of scale 2/u; infinite for b = 0


@shared
def perturbation(eps: float, n: float, lam: float, calibration: float) -> Perturbation:
    """Compute the ridge L and the parameter u of b for n rows.

    A row of length at most 1 changes the Hessian by at most 1/(4n), and its replacement changes n
    times the gradient by at most 2. The printed calibration uses the ridge lam and u = eps - 2 ln(1
    + 1/(4 n lam)). If this u is not positive, the printed calibration uses a larger ridge and u =
    eps/2. The tight calibration (ours) uses u = eps - 2 ln(1 + 1/(4 n L)), where the ridge L is so
    large that u is at least eps/2.
    """
    if eps == math.inf:
        return Perturbation(lam, math.inf)
    least = 1.0 / (4.0 * n * math.expm1(eps / 4.0)) if eps < 2000.0 else 0.0
    if calibration != TIGHT:
        u = eps - 2.0 * math.log1p(1.0 / (4.0 * n * lam))
        return Perturbation(lam, u) if u > 0.0 else Perturbation(max(least, 1e-300), eps / 2.0)
    L = max(lam, least)
    return Perturbation(L, eps - 2.0 * math.log1p(1.0 / (4.0 * n * L)))


@shared
def fit_logistic(rng: np.random.Generator, now: Learner, eps: float) -> None:
    """Fit the next predictor on the present batch only.

    The features of action a are e_a (x) z, so the objective is a sum over actions. Each term is
    minimised separately, by Newton's method.
    """
    n, (kept, K, p) = now.clock[ROWS], now.theta.shape
    j = now.clock[FITTED] % kept
    found = perturbation(eps, n, now.oracle.ridge, now.oracle.calibration)
    b = np.zeros((K, p))
    if found.u < math.inf:
        draw_perturbation(rng, b, found.u)
    order, first = np.zeros(n, np.int64), np.zeros(K + 1, np.int64)
    sort_by_action(now, order, first)
    g, H, C, old = np.zeros(p), np.zeros((p, p)), np.zeros((p, p)), np.zeros(p)
    for a in range(K):
        x = now.theta[j, a]
        for k in range(p):
            x[k] = -b[a, k] / (n * found.L)
        if first[a + 1] > first[a]:
            minimise(now, order, first[a], first[a + 1], x, b[a], found.L, g, H, C, old)
    count_fit(now, j)


@shared_borrowing
def draw_perturbation(rng: np.random.Generator, b: np.ndarray, u: float) -> None:
    """Fill ``b`` with a uniform direction times a Gamma variable of shape K p and scale 2/u."""
    K, p = b.shape
    square = 0.0
    for a in range(K):
        for k in range(p):
            b[a, k] = normal(rng)
            square += b[a, k] * b[a, k]
    length = gamma(rng, float(K * p)) * (2.0 / u) / math.sqrt(square)
    for a in range(K):
        for k in range(p):
            b[a, k] *= length


@shared_borrowing
def sort_by_action(now: Learner, order: np.ndarray, first: np.ndarray) -> None:
    """Fill ``order`` with the users whose rounds count, sorted by their actions.

    The users of action a are ``order[first[a]:first[a + 1]]``.
    """
    n, K = now.clock[ROWS], len(first) - 1
    for i in range(n):
        if now.rows[i] >= 0:
            first[now.actions[i] + 1] += 1
    for a in range(K):
        first[a + 1] += first[a]
    for i in range(n):
        if now.rows[i] >= 0:
            order[first[now.actions[i]]] = i
            first[now.actions[i]] += 1  # at the end of the loop, where the next action begins
    for a in range(K, 0, -1):
        first[a] = first[a - 1]
    first[0] = 0


@shared_borrowing
def minimise(
    now: Learner, order: np.ndarray, first: int, last: int, x: np.ndarray, b: np.ndarray,
    L: float, g: np.ndarray, H: np.ndarray, C: np.ndarray, old: np.ndarray,
) -> None:  # fmt: skip
    """Replace ``x`` by the minimiser of the part of the objective that depends on one action."""
    n, K, p = now.clock[ROWS], now.theta.shape[1], len(x)
    exact = GRADIENT / math.sqrt(K) + ROUNDING * length(b) / n
    value = derivatives(now, order, first, last, x, b, L, g, H)
    for _ in range(STEPS):
        if not length(g) > exact:
            break
        factor(H, C)
        solve_lower(C, g)
        solve_upper(C, g)
        step = 1.0
        for k in range(p):
            old[k], C[0, k] = x[k], g[k]
        for _ in range(HALVINGS):
            for k in range(p):
                x[k] = old[k] - step * C[0, k]
            found = derivatives(now, order, first, last, x, b, L, g, H)
            if found <= value + 1e-12 * abs(value):
                break
            step /= 2.0
        value = found


@inlined
def length(x: np.ndarray) -> float:
    """Compute the Euclidean length of a vector."""
    total = 0.0
    for k in range(len(x)):
        total += x[k] * x[k]
    return math.sqrt(total)


@shared_borrowing
def derivatives(
    now: Learner, order: np.ndarray, first: int, last: int, x: np.ndarray, b: np.ndarray,
    L: float, g: np.ndarray, H: np.ndarray,
) -> float:  # fmt: skip
    """Compute the value, the gradient and the Hessian of the objective at ``x``.

    The function returns the value, fills ``g`` with the gradient, and fills the lower triangle of
    ``H`` with the Hessian.
    """
    n, p, Z = now.clock[ROWS], len(x), now.features
    value = 0.0
    for k in range(p):
        value += x[k] * (0.5 * L * x[k] + b[k] / n)
        g[k] = L * x[k] + b[k] / n
        for m in range(k):
            H[k, m] = 0.0
        H[k, k] = L
    for i in range(first, last):
        user = order[i]
        row, y, raw = now.rows[user], now.losses[user], 0.0
        for k in range(p):
            raw += x[k] * Z[row, k]
        e = math.exp(-abs(raw))
        s = (1.0 if raw > 0.0 else e) / (1.0 + e)
        value += (max(raw, 0.0) + math.log1p(e) - y * raw) / n
        c, w = (s - y) / n, e / ((1.0 + e) * (1.0 + e)) / n
        for k in range(p):
            g[k] += c * Z[row, k]
            v = w * Z[row, k]
            for m in range(k + 1):
                H[k, m] += v * Z[row, m]
    return value
