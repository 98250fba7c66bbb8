"""Functions that choose an action from predicted losses or from probabilities."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined, random


@inlined
def smallest(f: np.ndarray) -> int:
    """Return the first action of smallest predicted loss."""
    best = 0
    for a in range(len(f)):
        if f[a] < f[best]:
            best = a
    return best


@inlined
def one_of_smallest(rng: np.random.Generator, f: np.ndarray) -> int:
    """Return an action of smallest predicted loss; ties are broken at random."""
    best, ties = 0, 1
    for a in range(1, len(f)):
        if f[a] < f[best]:
            best, ties = a, 1
        elif f[a] == f[best]:
            ties += 1
            if random(rng) * ties < 1.0:
                best = a
    return best


@inlined
def draw(rng: np.random.Generator, p: np.ndarray) -> int:
    """Draw an action with the probabilities ``p``, which sum to 1 up to rounding errors."""
    x, last = random(rng), 0
    for a in range(len(p)):
        if p[a] > 0.0:
            last = a
            x -= p[a]
            if x < 0.0:
                break
    return last


@inlined
def softmax(w: np.ndarray, p: np.ndarray) -> None:
    """Fill ``p`` with the probabilities proportional to e^w, for logarithms of weights ``w``."""
    largest, total = -np.inf, 0.0
    for a in range(len(w)):
        largest = max(largest, w[a])
    for a in range(len(w)):
        p[a] = math.exp(w[a] - largest)
        total += p[a]
    for a in range(len(w)):
        p[a] /= total
