"""Lower bounds for linear bandits with eps-global DP: a linear programme, and the paper's bound.

The linear programme replaces Theorem 5 of Azize & Basu 2022, whose Fact 2 is false
(docs/errata.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

from .bounds import ConditionFailed

PRECISION = 1e-6
ROUNDS = 1000  # most rounds in which cuts are added; about twenty suffice for 40 arms


def structural_gap(arms: Sequence[Sequence[float]], theta: Sequence[float], eps: float) -> float:
    """Compute c_eps, the smallest sum of alpha_j gap_j with which every alternative can be ruled
    out.

    An alternative is a parameter theta + z under which an arm a is as good as a*, the best arm
    under theta, while the rewards of a* do not change: <a*, z> = 0 and <a, z> = gap_a. Let alpha_j
    ln T be the number of pulls of arm j by a consistent eps-DP algorithm. The alpha_j satisfy two
    conditions for every a and z. First, ``sum alpha_j <a_j, z>^2 >= 2``, from the divergence of
    N(0, 1) noise. Second, ``3 eps sum alpha_j |<a_j, z>| >= 1``, from 6 eps times the total
    variation (Theorem 10 of Azize & Basu 2022) and Pinsker's inequality. Pulls of a* do not add to
    the regret.

    Args:
        arms: shape (K, d), arms that span R^d.
        theta: shape (d,), the parameter; only one arm is best under theta.
        eps: privacy budget.

    Returns:
        A lower bound on c_eps with a relative error of at most PRECISION. For linearly independent
            arms, c_eps is sum max{2/gap, 1/(3 eps)}.

    Raises:
        ConditionFailed: the arms do not span R^d, or there are several best arms.
        ArithmeticError: the requested precision was not reached.
    """
    b, gap, _ = _relevant(arms, theta)
    return _least(b, gap, gap**2 / 2.0, 1.0 / (3.0 * eps))


def printed_gap(arms: Sequence[Sequence[float]], theta: Sequence[float], eps: float) -> float:
    """Compute the optimum of the programme in the printed Theorem 5, which is no lower bound.

    The programme minimises the sum of alpha_a gap_a under the condition
    |a|^2_{H^-1} <= min{gap_a^2/2, 3 eps rho_a gap_a} for every arm a. Here H = sum alpha_a a a^T
    and rho_a = sum_j |a_j.(a - a*)|/|a_j|^2. For arguments and errors see ``structural_gap``.
    """
    b, gap, rho = _relevant(arms, theta)
    return _least(b, gap, np.minimum(gap**2 / 2.0, 3.0 * eps * rho * gap), 0.0)


def _relevant(arms: Sequence[Sequence[float]], theta: Sequence[float]) -> tuple[np.ndarray, ...]:
    """Return three arrays about the arms other than the best arm and its multiples: their
    projections onto the orthogonal complement of the best arm, their gaps, and their rho.
    """
    A = np.asarray(arms, dtype=float)
    means = A @ np.asarray(theta, dtype=float)
    gap = means.max() - means
    worse = gap > 1e-12 * np.abs(means).max()
    if np.linalg.matrix_rank(A) < A.shape[1]:
        raise ConditionFailed(f"arms that span R^{A.shape[1]} are needed")
    if worse.sum() != len(A) - 1:
        raise ConditionFailed("one arm alone must be best")
    best = A[gap.argmin()]
    norms = (A**2).sum(axis=1)
    rho = (np.abs(A @ (A - best).T)[norms > 0] / norms[norms > 0, None]).sum(axis=0)
    b = A @ null_space(best[None])
    relevant = worse & (np.abs(b).max(axis=1, initial=0.0) > 1e-12 * np.abs(A).max())
    return b[relevant], gap[relevant], rho[relevant]


def _least(b: np.ndarray, gap: np.ndarray, most: np.ndarray, price: float) -> float:
    """Minimise sum alpha_j gap_j over alpha >= 0 with two conditions for every row b_a of b.

    1. |b_a|^2_{M^-1} <= most_a, where M = sum alpha_j b_j b_j^T. By the Cauchy-Schwarz inequality,
       this inequality is a linear condition on alpha for every z with <b_a, z> = 1. Kelley's method
       adds these linear conditions one by one, always the most violated condition. Each linear
       programme has only some of the conditions, so its optimum is a lower bound.
    2. sum alpha_j |<b_j, z>| >= price for every z with <b_a, z> = gap_a. By duality, this condition
      holds if and only if there are y_j with |y_j| <= alpha_j and sum y_j b_j = price b_a/gap_a.
    """
    if len(gap) == 0:
        return 0.0
    c = np.linalg.qr(b / gap[:, None])[0]  # every basis will do; below, x_j = alpha_j gap_j
    limit = most / gap**2
    alone = np.maximum(1.0 / (gap * limit), price)  # x_j that meets both conditions of arm j alone
    unit = alone.max()  # the unit of x, so that the solver's numbers are about 1
    solution = _programme(c, price / unit)
    cuts: list[np.ndarray] = []
    above = alone / unit
    for _ in range(ROUNDS):
        x = solution(cuts)
        below = math.fsum(x)
        for point in (x, (x + above) / 2.0):
            M = c.T @ ((point * gap)[:, None] * c)
            if np.linalg.cond(M) > 1e13:
                continue
            Z = np.linalg.solve(M, c.T).T
            widths = (Z * c).sum(axis=1)
            needed = widths / limit / unit
            above = min(above, point * max(1.0, needed.max()), key=np.sum)
            for a in np.flatnonzero(needed > 1.0 + 1e-9):
                cuts.append(gap * (c @ Z[a] / widths[a]) ** 2 * limit[a] * unit)
        if above.sum() - below <= PRECISION * above.sum():
            return unit * below
    raise ArithmeticError(f"c_eps lies between {unit * below:g} and {unit * above.sum():g}")


def _programme(c: np.ndarray, price: float) -> Callable[[list[np.ndarray]], np.ndarray]:
    """Return a function that solves the linear programme for a list of cuts (linear conditions).
    The function returns the x >= 0 with the smallest sum such that ``row.x >= 1`` for every cut
    ``row``, and such that every a has a y with |y_j| <= x_j and sum y_j c_j = price c_a.
    """
    n, size = len(c), np.linalg.norm(c, axis=1)
    blocks = kron(eye_array(n), c.T).multiply(1.0 / np.repeat(size, c.shape[1])[:, None])
    equal = hstack([csr_array((blocks.shape[0], n)), blocks])
    right = price * (c / size[:, None]).ravel()
    x = kron(np.ones((n, 1)), eye_array(n))
    caps = vstack([hstack([-x, sign * eye_array(n * n)]) for sign in (1, -1)])

    def solution(cuts: list[np.ndarray]) -> np.ndarray:
        m = len(cuts)
        rows = np.hstack([-np.reshape(cuts, (m, n)), np.zeros((m, n * n))])
        found = linprog(
            np.repeat([1.0, 0.0], [n, n * n]), A_ub=vstack([caps, csr_array(rows)]),
            b_ub=np.repeat([0.0, -1.0], [2 * n * n, m]), A_eq=equal, b_eq=right,
            bounds=[(0.0, None)] * n + [(None, None)] * (n * n), method="highs",
        )  # fmt: skip
        if not found.success:
            raise ArithmeticError(f"the linear programme was not solved: {found.message}")
        return np.maximum(found.x[:n], 0.0)

    return solution
