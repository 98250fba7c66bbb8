"""Sums of [x; r] [x; r]^T with symmetric noise: a tree of matrices, messages, and estimates.

A round is the row z = [x; r] of its context x and its reward r. All matrices have D = d + 1 rows
and columns, and only their lower triangles are stored. The tree needs O(D^2 log T) memory and, on
average, O(D^2) time in a round; Wishart noise and the inverse of a matrix need O(D^3) time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import gamma, inlined, normal, shared, shared_borrowing
from ..counting.trees import lowest_bit
from ..noise.mechanisms import gaussian

LT2 = 2.0  # the largest squared length of a row, since |x| <= 1 and |r| <= 1
ROOT2 = math.sqrt(2.0)


class MatrixTree(NamedTuple):
    """The tree mechanism for matrices: each node receives noise once (Shariff & Sheffet 2018,
    section 4.1).
    """

    sums: np.ndarray  # float64 array (m, D, D), the rows of the latest node of each level
    # float64 array (m + 1, D, D), the noisy sum of the prefix that ended when a node of the level
    # last closed, with the noise of the empty nodes of higher levels; the last matrix is 0
    ended: np.ndarray
    below: np.ndarray  # float64 array (m + 1, D, D), the noise of empty nodes below each level
    prefix: np.ndarray  # float64 array (D, D), the noisy sum of all rows so far, the release
    rows: np.ndarray  # int64 array (1,), the number of rows
    work: np.ndarray  # float64 array (D, D), for Wishart noise


@shared
def new_matrix_tree(rng: np.random.Generator, D: int, m: int, k: float) -> MatrixTree:
    """Return an empty tree of m levels.

    With Wishart noise (k > 0 degrees of freedom), a prefix has noise of every level, even if the
    prefix has no node of this level. The noise of these empty nodes is drawn here.
    """
    below, L = np.zeros((m + 1, D, D)), np.zeros((D, D))
    for j in range(m):
        if k > 0.0:
            draw_wishart(rng, L, k)
        for p in range(D):
            for q in range(p + 1):
                below[j + 1, p, q] = below[j, p, q] + (wishart(L, p, q) if k > 0.0 else 0.0)
    zeros = np.zeros((m, D, D)), np.zeros((m + 1, D, D))
    return MatrixTree(zeros[0], zeros[1], below, below[m].copy(), np.zeros(1, np.int64), L)


@inlined
def levels_of(T: float) -> int:
    """Return the number of levels of a tree over T rows, m = 1 + ceil(log2 T)."""
    m = 1
    while T > 1.0:
        T, m = T / 2.0, m + 1
    return m


@inlined
def add_row(
    rng: np.random.Generator, tree: MatrixTree, X: np.ndarray, a: int, r: float, s: float, k: float
) -> None:
    """Add the row of context ``a`` and reward ``r``, and release the sum of all rows.

    The release is the sum of the node that the row closes, whose noise is drawn here, and of
    earlier nodes. ``s`` and ``k`` are the parameters of the noise in ``Shifted``.
    """
    n, D = tree.rows[0] + 1, len(tree.prefix)
    j, higher = lowest_bit(n), n & (n - 1)
    h = lowest_bit(higher) if higher else len(tree.sums)
    if k > 0.0:
        draw_wishart(rng, tree.work, k)
    for p in range(D):
        x = r if p == D - 1 else X[a, p]
        for q in range(min(p + 1, D - 1)):
            tree.sums[j, p, q] = x * X[a, q]
        if p == D - 1:
            tree.sums[j, p, p] = x * r
        for i in range(j):
            for q in range(p + 1):
                tree.sums[j, p, q] += tree.sums[i, p, q]
        for q in range(p + 1):
            node = tree.sums[j, p, q]
            if k > 0.0:
                node = node + wishart(tree.work, p, q)
            else:
                node = node + gaussian(rng, s * ROOT2 if p == q else s)
            empty = tree.below[h, p, q] - tree.below[j + 1, p, q]
            tree.ended[j, p, q] = node + (tree.ended[h, p, q] + empty)
            tree.prefix[p, q] = tree.ended[j, p, q] + tree.below[j, p, q]
    tree.rows[0] = n


@shared_borrowing
def draw_wishart(rng: np.random.Generator, L: np.ndarray, k: float) -> None:
    """Fill ``L`` with the factor of a Wishart matrix W_D(I, k), by Bartlett's decomposition."""
    for p in range(len(L)):
        L[p, p] = math.sqrt(2.0 * gamma(rng, (k - p) / 2.0))
        for q in range(p):
            L[p, q] = normal(rng)


@inlined
def wishart(L: np.ndarray, p: int, q: int) -> float:
    """Compute the entry (p, q) of LT2 L L^T, which has the Wishart law W_D(LT2 I, k)."""
    total = 0.0
    for i in range(q + 1):
        total += L[p, i] * L[q, i]
    return LT2 * total


@inlined
def receive_message(
    rng: np.random.Generator, M: np.ndarray, X: np.ndarray, a: int, r: float, sigma: float
) -> None:
    """Add a user's message to the sums of the server.

    The message is x x^T and x r, with Gaussian noise in each entry of the lower triangle.
    """
    d = len(M) - 1
    for p in range(d + 1):
        for q in range(min(p + 1, d)):
            entry = (r if p == d else X[a, p]) * X[a, q]
            M[p, q] = M[p, q] + (entry + gaussian(rng, sigma))


class NoisyEstimate(NamedTuple):
    """An optimistic learner's estimates for the contexts x of a round, from noisy sums V and u."""

    mean: np.ndarray  # float64 array (K,), <theta, x>, theta = V^-1 u
    square: np.ndarray  # float64 array (K,), x^T V^-1 x
    log_det: np.ndarray  # float64 array (1,), ln |det V|
    work: np.ndarray  # float64 array (d, d + K + 1 + up to 15), whose additional columns are 0


@shared
def new_noisy_estimate(d: int, K: int) -> NoisyEstimate:
    """Return an empty estimate, which ``estimate_noisy`` fills."""
    width = (d + K + 16) // 16 * 16  # a multiple of 16: processors take up to 16 numbers
    return NoisyEstimate(np.zeros(K), np.zeros(K), np.zeros(1), np.zeros((d, width)))


@inlined
def estimate_noisy(now: NoisyEstimate, M: np.ndarray, shift: float, X: np.ndarray) -> None:
    """Fill the estimates for the contexts ``X``.

    V is the upper left corner of ``M`` plus ``shift`` I, and u is the last row of ``M``. V may be
    indefinite. Gaussian elimination of the rows of [V, X^T, u] gives V = L D L^T, and turns the
    other columns into L^-1 x and L^-1 u. The inner products of these columns, weighted by D^-1, are
    the means and the squares.
    """
    d, K, A = len(M) - 1, len(X), now.work
    last = d + K
    for p in range(d):
        for q in range(d):  # entries to the left of the diagonal are not used
            A[p, q] = M[q, p]
        A[p, p] += shift
        for a in range(K):
            A[p, d + a] = X[a, p]
        A[p, last] = M[d, p]
    for a in range(K):
        now.mean[a] = now.square[a] = 0.0
    log_det = 0.0
    for k in range(d):
        pivot = 1.0 / A[k, k]
        log_det += math.log(abs(A[k, k]))
        for p in range(k + 1, d):
            c = A[k, p] * pivot
            for q in range(A.shape[1]):  # all columns: only the needed ones take longer
                A[p, q] -= c * A[k, q]
        c = A[k, last] * pivot
        for a in range(K):
            y = A[k, d + a]
            now.mean[a] += c * y
            now.square[a] += y * y * pivot
    now.log_det[0] = log_det


@inlined
def optimistic_noisy(now: NoisyEstimate, beta: float) -> int:
    """Return the context with the largest <theta, x> + beta sqrt(x^T V^-1 x); of several such
    contexts, the first.
    """
    return largest_noisy(now, beta, True)


@inlined
def optimistic_by_squares(now: NoisyEstimate, beta: float) -> int:
    """Return the context with the largest <theta, x> + beta x^T V^-1 x; of several such contexts,
    the first.
    """
    return largest_noisy(now, beta, False)


@inlined
def largest_noisy(now: NoisyEstimate, beta: float, root: bool) -> int:
    """Return the context of largest index; the bonus has a square root if ``root`` is true.

    A negative x^T V^-1 x counts as 0.
    """
    best, largest = 0, -np.inf
    for a in range(len(now.mean)):
        width = max(now.square[a], 0.0)
        value = now.mean[a] + beta * (math.sqrt(width) if root else width)
        if value > largest:
            best, largest = a, value
    return best
