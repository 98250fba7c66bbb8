"""Ridge regression of losses on features, from the noisy moments X'X and X'y of one batch.

The released X'X is also added to the matrix V, whose inverse gives the leverages sqrt(z' V^-1 z)
for the bonuses of the policies. The moments are a Gaussian release, which is (eps, delta)-DP.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined, shared, shared_borrowing
from ..noise.mechanisms import gaussian
from .learner import FITTED, ROWS, Learner, count_fit

ROOT_HALF = math.sqrt(0.5)


@inlined
def root_rho(eps: float, delta: float) -> float:
    """Compute the square root of the largest rho with rho + 2 sqrt(rho ln(1/delta)) <= eps."""
    if eps == math.inf:
        return math.inf
    l = math.log(1.0 / delta)
    return eps / (math.sqrt(l + eps) + math.sqrt(l))


@shared
def noisy_gram(rng: np.random.Generator, now: Learner, sd: float) -> np.ndarray:
    """Compute G = X'X + (N + N')/2, where the entries of N are Gaussian with deviation ``sd``.

    The result is a float64 array (D, D), of which only the lower triangle is filled. Replacing a
    row z by w changes X'X by at most sqrt 2, since |zz' - ww'|^2 = |z|^4 + |w|^4 - 2 (z.w)^2.
    """
    K, p = now.theta.shape[1:]
    G, Z = np.zeros((K * p, K * p)), now.features
    for i in range(now.clock[ROWS]):
        row, start = now.rows[i], now.actions[i] * p
        for k in range(p if row >= 0 else 0):
            for m in range(k + 1):
                G[start + k, start + m] += Z[row, k] * Z[row, m]
    for k in range(K * p if sd > 0.0 else 0):
        for m in range(k):
            G[k, m] += gaussian(rng, ROOT_HALF * sd)
        G[k, k] += gaussian(rng, sd)
    return G


@shared
def fit_quadratic(rng: np.random.Generator, now: Learner, G: np.ndarray, sd: float) -> None:
    """Fit the next predictor, (G + lam n I)^-1 (X'y + noise), on the present batch only.

    Replacing a row changes X'y by at most sqrt 2, since the constant feature ensures that the inner
    product of two rows is not negative.
    """
    n, (kept, K, p) = now.clock[ROWS], now.theta.shape
    A, u, j = G.copy(), np.zeros(K * p), now.clock[FITTED] % kept
    for i in range(n):
        row, start = now.rows[i], now.actions[i] * p
        for k in range(p if row >= 0 else 0):
            u[start + k] += now.features[row, k] * now.losses[i]
    for k in range(K * p):
        A[k, k] += now.oracle.ridge * n
        if sd > 0.0:
            u[k] += gaussian(rng, sd)
    invert_symmetric(A)
    for a in range(K):
        for k in range(p):
            total = 0.0
            for m in range(K * p):
                total += A[a * p + k, m] * u[m]
            now.theta[j, a, k] = total
    count_fit(now, j)


@shared_borrowing
def widen(now: Learner, G: np.ndarray) -> None:
    """Add a released G to V, and invert V."""
    V, W = now.V, now.inverse
    for k in range(len(V)):
        for m in range(k + 1):
            V[k, m] += G[k, m]
            W[k, m] = V[k, m]
    invert_symmetric(W)


@shared_borrowing
def invert_symmetric(A: np.ndarray) -> None:
    """Replace a symmetric matrix, given by its lower triangle, by its inverse (Gauss-Jordan).

    Noise may have made the matrix indefinite; the function inverts it nevertheless.
    """
    D = len(A)
    for k in range(D):
        for m in range(k + 1, D):
            A[k, m] = A[m, k]
    for k in range(D):
        pivot = 1.0 / A[k, k]
        for m in range(D):
            A[k, m] *= pivot
        A[k, k] = pivot
        for i in range(D):
            c = A[i, k]
            if i != k and c != 0.0:  # without noise, most entries are 0
                A[i, k] = 0.0
                for m in range(D):
                    A[i, m] -= c * A[k, m]


@inlined
def measure(now: Learner, i: int) -> None:
    """Fill ``width`` with the leverages sqrt(z_a' V^-1 z_a) for the i-th user of the batch.

    A leverage is 0 if noise makes the number under the root negative.
    """
    row, p = now.rows[i], now.theta.shape[2]
    for a in range(len(now.f)):
        square = 0.0
        for k in range(p):
            total = 0.0
            for m in range(p):
                total += now.inverse[a * p + k, a * p + m] * now.features[row, m]
            square += total * now.features[row, k]
        now.width[a] = math.sqrt(max(square, 0.0))


@inlined
def eliminate(now: Learner, i: int, w: float) -> int:
    """Set the predicted loss of actions that cannot be the best for the i-th user to infinity.

    Let s be the leverage of an action. An action cannot be the best if its raw - w s exceeds the
    smallest raw + w s of all actions. The function returns the number of the other actions.
    """
    measure(now, i)
    least, left = np.inf, 0
    for a in range(len(now.f)):
        least = min(least, now.raw[a] + w * now.width[a])
    for a in range(len(now.f)):
        if now.raw[a] - w * now.width[a] <= least:
            left += 1
        else:
            now.f[a] = np.inf
    return left
