"""D-optimal designs, and least squares on rewards of actions that a design has chosen."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared, shared_borrowing, shared_rare
from ...game import Game, pull_sum, room_for, rounds_left
from .matrices import factor, invert, solve_lower, solve_upper
from .noise import add_noise

TOLERANCE = 1e-6  # relative excess of the largest variance up to which a design counts as optimal
ROUNDING = 1e-9  # the part of the tolerance that is reserved for the rounding errors of ``thin``
SPAN = 1e-9  # an action whose relative distance from a span is smaller counts as in the span
STEPS = 100_000  # most steps of the search for a design
REFACTOR = 100  # steps after which V^-1 is computed anew


class Design(NamedTuple):
    """A design on k actions that span r dimensions.

    Attributes:
        z: float64 array (k, r), the actions in an orthonormal basis of their span.
        pi: float64 array (k,), the shares of the actions, 0 outside the support.
    """

    z: np.ndarray
    pi: np.ndarray


@shared
def optimal_design(features: np.ndarray, active: np.ndarray) -> Design:
    """Compute the D-optimal design on some actions, the rows ``active`` of ``features``."""
    z = coordinates(features, active)
    return Design(z, d_optimal(z))


@shared
def coordinates(features: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Compute the actions in an orthonormal basis of their span, float64 array (k, r).

    The basis is found by the Gram-Schmidt method with pivots.
    """
    k, d, r, scale = len(active), features.shape[1], 0, 0.0
    left, z, axis = np.zeros((k, d)), np.zeros((k, d)), np.zeros(d)
    for i in range(k):
        for j in range(d):
            left[i, j] = features[active[i], j]
    while r < min(k, d):
        pivot, longest = 0, 0.0
        for i in range(k):
            square = product(left, i, i)
            if square > longest:
                pivot, longest = i, square
        scale = max(scale, longest)
        if not longest > SPAN * SPAN * scale:
            break
        for j in range(d):
            axis[j] = left[pivot, j] / math.sqrt(longest)
        for i in range(k):
            for j in range(d):
                z[i, r] += left[i, j] * axis[j]
            for j in range(d):
                left[i, j] -= z[i, r] * axis[j]
        r += 1
    found = np.zeros((k, r))
    for i in range(k):
        for j in range(r):
            found[i, j] = z[i, j]
    return found


@inlined
def product(x: np.ndarray, a: int, b: int) -> float:
    """Compute the inner product of two rows."""
    total = 0.0
    for i in range(x.shape[1]):
        total += x[a, i] * x[b, i]
    return total


@shared
def d_optimal(z: np.ndarray) -> np.ndarray:
    """Compute the shares pi that maximise det V(pi), V(pi) = sum pi z z^T, float64 array (k,).

    The search is the Frank-Wolfe method with away steps, from the uniform design. At the optimum
    the largest z^T V(pi)^-1 z is r (Kiefer & Wolfowitz 1960). For the returned shares, the largest
    z^T V(pi)^-1 z is at most r (1 + TOLERANCE). The function checks this bound, since the
    sensitivity of ``least_squares`` depends on the bound. The optimal V(pi) is unique, but pi need
    not be. The support of pi has at most r (r + 1)/2 actions.

    Args:
        z: float64 array (k, r), actions that span r dimensions.

    Raises:
        ValueError: the search has not found such a design in STEPS steps.
    """
    k, r = z.shape
    pi, g, y = np.zeros(k), np.zeros(k), np.zeros(r)
    V, W, L = np.zeros((r, r)), np.zeros((r, r)), np.zeros((r, r))
    for a in range(k):
        pi[a] = 1.0 / k
    age = REFACTOR  # steps since V^-1 was computed from the design itself
    for _ in range(STEPS if r > 0 else 0):
        if age == REFACTOR:
            variances(z, pi, V, W, L, g)
            age = 0
        j, i = 0, -1
        for a in range(k):
            if g[a] > g[j]:
                j = a
            if pi[a] > 0.0 and (i < 0 or g[a] < g[i]):
                i = a
        if g[j] <= r * (1.0 + TOLERANCE - ROUNDING):
            if age == 0:
                break
            age = REFACTOR
            continue
        towards = r > 1 and g[j] - r >= r - g[i]  # if r = 1, only the longest stay
        a = j if towards else i
        share = -pi[a] / (1.0 - pi[a])  # of an away step that drops the action
        if towards or g[a] > 1.0:
            share = max(share, (g[a] - r) / (r * (g[a] - 1.0)))  # maximises det V
        dropped = share == -pi[a] / (1.0 - pi[a])
        for b in range(k):
            pi[b] *= 1.0 - share
        pi[a] = 0.0 if dropped else pi[a] + share
        rescale(z, W, g, y, a, share)
        age += 1
    support = 0
    for a in range(k):
        support += pi[a] > 0.0
    if support > r * (r + 1) // 2:
        x = z.copy()
        for a in range(k):
            solve_lower(L, x[a])  # V(pi) becomes I, even if actions are short in a direction
        thin(x, pi)
        variances(z, pi, V, W, L, g)
    if np.max(g) > r * (1.0 + TOLERANCE):
        raise ValueError("the search for a D-optimal design of these features did not end")
    return pi


@shared_rare
def thin(z: np.ndarray, pi: np.ndarray) -> None:
    """Move shares without changing V(pi), until at most r (r + 1)/2 shares are positive.

    The method is Caratheodory's: the matrices z z^T of more than r (r + 1)/2 actions are linearly
    dependent.
    """
    k, n = len(pi), z.shape[1] * (z.shape[1] + 1) // 2 + 1
    some, x = np.zeros(n, np.int64), np.zeros(n)
    G, L = np.zeros((n, n)), np.zeros((n, n))  # G: the inner products of the z z^T
    while True:
        found = 0
        for a in range(k):
            if pi[a] > 0.0 and found < n:
                some[found] = a
                found += 1
        if found < n:
            break
        for i in range(n):
            x[i] = i + 1.0
            for j in range(i + 1):
                G[i, j] = product(z, some[i], some[j]) ** 2
            G[i, i] *= 1.0 + SPAN
        factor(G, L)
        for _ in range(3):  # inverse iteration: sum x z z^T becomes 0
            solve_lower(L, x)
            solve_upper(L, x)
            length = 0.0
            for i in range(n):
                length = max(length, abs(x[i]))
            for i in range(n):
                x[i] /= length
        step, last = np.inf, 0
        for i in range(n):
            if x[i] > 0.0 and pi[some[i]] / x[i] < step:
                step, last = pi[some[i]] / x[i], some[i]
        for i in range(n):
            pi[some[i]] = max(pi[some[i]] - step * x[i], 0.0)
        pi[last] = 0.0


@shared_borrowing
def variances(
    z: np.ndarray, pi: np.ndarray, V: np.ndarray, W: np.ndarray, L: np.ndarray, g: np.ndarray
) -> None:
    """Fill ``W`` with V(pi)^-1 and ``g`` with z^T W z of each action."""
    k, r = z.shape
    for i in range(r):
        for j in range(r):
            V[i, j] = 0.0
            for a in range(k):
                V[i, j] += pi[a] * z[a, i] * z[a, j]
    factor(V, L)
    invert(L, W)
    for a in range(k):
        g[a] = 0.0
        for i in range(r):
            for j in range(r):
                g[a] += z[a, i] * W[i, j] * z[a, j]


@shared_borrowing
def rescale(
    z: np.ndarray, W: np.ndarray, g: np.ndarray, y: np.ndarray, a: int, share: float
) -> None:
    """Update ``W`` and ``g`` after a step of the search.

    The new design gives ``share`` to action ``a`` and 1 - ``share`` to the former design. ``y`` is
    a float64 array (r,) for intermediate results.
    """
    k, r = z.shape
    beta = share / (1.0 - share)
    for i in range(r):
        y[i] = 0.0
        for j in range(r):
            y[i] += W[i, j] * z[a, j]
    c = beta / (1.0 + beta * g[a])
    for i in range(r):
        for j in range(r):
            W[i, j] = (W[i, j] - c * y[i] * y[j]) / (1.0 - share)
    for b in range(k):
        product = 0.0
        for i in range(r):
            product += z[b, i] * y[i]
        g[b] = (g[b] - c * product * product) / (1.0 - share)


@shared
def play_design(game: Game, active: np.ndarray, n: np.ndarray, sums: np.ndarray) -> bool:
    """Play the i-th active arm ``n[i]`` times, for each i in turn, and store its sum of rewards.

    The function fills ``sums``, and returns whether all these rounds were before the horizon.
    """
    for i in range(len(active)):
        if not room_for(game, n[i], 1):
            pull_sum(game, active[i], rounds_left(game))
            return False
        sums[i] = pull_sum(game, active[i], int(n[i])) if n[i] > 0.0 else 0.0
    return True


@shared
def least_squares(
    rng: np.random.Generator, z: np.ndarray, n: np.ndarray, sums: np.ndarray, deviation: float
) -> np.ndarray:
    """Compute noisy least squares, V^-1 b + V^{-1/2} N(0, deviation^2 I).

    Here V = sum n z z^T and b = sum z (sum of rewards). The noise is added to V^{-1/2} b, where
    the inverse of the Cholesky factor serves as V^{-1/2}: every square root gives the same law.
    """
    k, r = z.shape
    V, L, theta = np.zeros((r, r)), np.zeros((r, r)), np.zeros(r)
    for a in range(k):
        for i in range(r):
            theta[i] += z[a, i] * sums[a]
            for j in range(r):
                V[i, j] += n[a] * z[a, i] * z[a, j]
    factor(V, L)
    solve_lower(L, theta)
    add_noise(rng, theta, deviation)
    solve_upper(L, theta)
    return theta


@shared
def values_of(design: Design, active: np.ndarray, theta: np.ndarray, K: int) -> np.ndarray:
    """Compute <theta, z> for each active arm, float64 array (K,); 0 for the other arms."""
    found = np.zeros(K)
    for i in range(len(active)):
        for j in range(len(theta)):
            found[active[i]] += design.z[i, j] * theta[j]
    return found
