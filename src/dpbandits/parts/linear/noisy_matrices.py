"""Sums of [x; r] [x; r]^T with symmetric noise: a tree of matrices, messages, and estimates.

A round is the row z = [x; r] of its context and its reward, and all matrices have D = d + 1 rows,
of which the lower triangle is stored. Memory is O(D^2 log T), and the tree takes O(D^2) a round on
average, Wishart noise and the inverse of a matrix O(D^3).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import gamma, inlined, normal, shared, shared_borrowing
from ..counting.trees import lowest_bit
from ..noise.mechanisms import gaussian

LT2 = 2.0  # squared length of a row at most: |x| <= 1 and |r| <= 1
ROOT2 = math.sqrt(2.0)


class MatrixTree(NamedTuple):
    """The tree mechanism for matrices (SS, section 4.1): each node is noised once."""

    sums: np.ndarray  # float64 array (m, D, D), the rows of the latest node of each level
    # float64 array (m + 1, D, D), the noisy sum of the prefix that ended when a node of the level
    # last closed, with the noise of the empty nodes of higher levels; the last is 0, for no node
    ended: np.ndarray
    below: np.ndarray  # float64 array (m + 1, D, D), the noise of empty nodes below each level
    prefix: np.ndarray  # float64 array (D, D), the noisy sum of all rows so far, the release
    rows: np.ndarray  # int64 array (1,), the number of rows
    work: np.ndarray  # float64 array (D, D), for Wishart noise


@shared
def new_matrix_tree(rng: np.random.Generator, D: int, m: int, k: float) -> MatrixTree:
    """An empty tree of m levels. With Wishart noise, of k > 0 degrees of freedom, a level without a
    node in a prefix holds noise all the same, drawn here.
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
    """The levels of a tree over T rows, m = 1 + ceil(log2 T)."""
    m = 1
    while T > 1.0:
        T, m = T / 2.0, m + 1
    return m


@inlined
def add_row(
    rng: np.random.Generator, tree: MatrixTree, X: np.ndarray, a: int, r: float, s: float, k: float
) -> None:
    """Add the row of context ``a`` and reward ``r`` and release the sum: the node that the row
    closes, which is noised here, and earlier ones. ``s`` and ``k`` are those of ``Shifted``.
    """
    n, D = tree.rows[0] + 1, len(tree.prefix)
    j, higher = lowest_bit(n), n & (n - 1)
    h = lowest_bit(higher) if higher else len(tree.sums)
    if k > 0.0:
        draw_wishart(rng, tree.work, k)
    for p in range(D):
        for q in range(p + 1):
            node = (r if p == D - 1 else X[a, p]) * (r if q == D - 1 else X[a, q])
            for i in range(j):
                node += tree.sums[i, p, q]
            tree.sums[j, p, q] = node
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
    """Fill ``L`` with the factor of Bartlett's decomposition of W_D(I, k)."""
    for p in range(len(L)):
        L[p, p] = math.sqrt(2.0 * gamma(rng, (k - p) / 2.0))
        for q in range(p):
            L[p, q] = normal(rng)


@inlined
def wishart(L: np.ndarray, p: int, q: int) -> float:
    """An entry of Lt^2 L L^T, which is W_D(Lt^2 I, k)."""
    total = 0.0
    for i in range(q + 1):
        total += L[p, i] * L[q, i]
    return LT2 * total


@inlined
def receive_message(
    rng: np.random.Generator, M: np.ndarray, X: np.ndarray, a: int, r: float, sigma: float
) -> None:
    """Add a user's message to a server's sums: x x^T and x r, with Gaussian noise in each entry of
    the lower triangle.
    """
    d = len(M) - 1
    for p in range(d + 1):
        for q in range(min(p + 1, d)):
            entry = (r if p == d else X[a, p]) * X[a, q]
            M[p, q] = M[p, q] + (entry + gaussian(rng, sigma))


class NoisyEstimate(NamedTuple):
    """What an optimistic learner plays by, as ``ridge.Estimate``, from noisy sums."""

    theta: np.ndarray  # float64 array (d,)
    W: np.ndarray  # float64 array (d, d), V^-1
    log_det: np.ndarray  # float64 array (1,), ln |det V|
    work: np.ndarray  # float64 array (d + 1, d + 1)


@shared
def new_noisy_estimate(d: int) -> NoisyEstimate:
    """An estimate that ``estimate_noisy`` fills."""
    return NoisyEstimate(np.zeros(d), np.zeros((d, d)), np.zeros(1), np.zeros((d + 1, d + 1)))


@inlined
def estimate_noisy(now: NoisyEstimate, M: np.ndarray, shift: float) -> None:
    """Theta = V^-1 u, V^-1 and ln |det V|: V is the corner of ``M`` plus ``shift`` I, u its last
    row. The sweeps of Gauss and Jordan; V may be indefinite.
    """
    d, A = len(now.theta), now.work
    for p in range(d + 1):
        for q in range(p + 1):
            A[p, q] = M[p, q] + (shift if p == q else 0.0)
            A[q, p] = A[p, q]
    log_det = 0.0
    for k in range(d):
        pivot = A[k, k]
        log_det += math.log(abs(pivot))
        for q in range(d + 1):
            A[k, q] /= pivot
        for p in range(d):
            if p != k:
                c = A[p, k]
                for q in range(d + 1):
                    A[p, q] -= c * A[k, q]
                A[p, k] = -c / pivot
        A[k, k] = 1.0 / pivot
    now.log_det[0] = log_det
    for p in range(d):
        now.theta[p] = A[p, d]
        for q in range(d):
            now.W[p, q] = A[p, q]
