"""Sums of [x; r] [x; r]^T of silos: each silo sends the nodes of a tree over its batches of rounds,
and a server adds the messages of all silos.

As in ``noisy_matrices``, only the lower triangles of symmetric matrices with D = d + 1 rows are
stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared
from ..counting.trees import lowest_bit
from ..noise.mechanisms import gaussian
from .noisy_matrices import ROOT2


class Silos(NamedTuple):
    """The trees of M silos with m levels, and the sums of their server."""

    # float64 array (M, m + 1, D, D), of each silo the rows of its unfinished batch, and then the
    # rows of its latest node of each level
    sums: np.ndarray
    # float64 array (m + 1, D, D), the noisy sum over all silos of the prefix that ended when a node
    # of the level last closed; the last matrix is 0
    ended: np.ndarray
    released: np.ndarray  # float64 array (D, D), the noisy sum at the latest synchronisation


@shared
def new_silos(D: int, m: int, M: int) -> Silos:
    """Return M empty trees of m levels."""
    return Silos(np.zeros((M, m + 1, D, D)), np.zeros((m + 1, D, D)), np.zeros((D, D)))


@inlined
def add_to_batch(silos: Silos, i: int, X: np.ndarray, a: int, r: float) -> None:
    """Add the row of context ``a`` and reward ``r`` to the batch of silo i, which sends nothing."""
    last = len(silos.released) - 1
    for p in range(last + 1):
        x = r if p == last else X[a, p]
        for q in range(p + 1):
            silos.sums[i, 0, p, q] += x * (r if q == last else X[a, q])


@inlined
def send_batch(rng: np.random.Generator, silos: Silos, i: int, n: int, s: float) -> None:
    """Let silo i finish its n-th batch and send the node that this batch closes.

    The noise of the node is drawn here; ``s`` is its standard deviation off the diagonal. The silos
    send in the order of their numbers. The message of the last silo completes a synchronisation.
    """
    M, last = len(silos.sums), len(silos.ended) - 1
    j, higher = lowest_bit(n), n & (n - 1)
    h = lowest_bit(higher) if higher else last
    for p in range(len(silos.released)):
        for q in range(p + 1):
            node = silos.sums[i, 0, p, q]
            for k in range(j):
                node += silos.sums[i, k + 1, p, q]
            silos.sums[i, 0, p, q], silos.sums[i, j + 1, p, q] = 0.0, node
            message = node + gaussian(rng, s * ROOT2 if p == q else s)
            silos.ended[j, p, q] = message + silos.ended[h if i == 0 else j, p, q]
            if i == M - 1:
                silos.released[p, q] = silos.ended[j, p, q]
