"""The convex programme of Azize & Basu 2022, Theorem 5, for linear bandits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linprog, minimize

from .bounds import ConditionFailed

PRECISION = 1e-6


def structural_gap(arms: Sequence[Sequence[float]], theta: Sequence[float], eps: float) -> float:
    """c_eps = min sum alpha_a gap_a with |a|^2_{H^-1} <= min{gap_a^2/2, 3 eps rho_a gap_a} for
    every arm that is not best, H = sum alpha_a a a^T, rho_a = sum_j |a_j.(a - a*)|/|a_j|^2.

    The gap of the best arm is 0, so its alpha is infinite and the programme is that of the
    projections of the arms onto its orthogonal complement.

    Args:
        arms: shape (K, d), arms that span R^d.
        theta: shape (d,), the parameter; one arm alone is best.
        eps: privacy budget.

    Returns:
        The value of a feasible point of the dual programme: at most c_eps, with a relative error
        of at most PRECISION.

    Raises:
        ConditionFailed: the arms do not span R^d, or several arms are best.
        ArithmeticError: the solver did not reach this precision.
    """
    A = np.asarray(arms, dtype=float)
    means = A @ np.asarray(theta, dtype=float)
    gaps = means.max() - means
    worse = gaps > 1e-12 * np.abs(means).max()
    if np.linalg.matrix_rank(A) < A.shape[1]:
        raise ConditionFailed(f"arms that span R^{A.shape[1]} are needed")
    if not worse.sum() == len(A) - 1:
        raise ConditionFailed("one arm alone must be best")
    best = A[gaps.argmin()]
    norms = (A**2).sum(axis=1)
    rho = (np.abs(A @ (A - best).T)[norms > 0] / norms[norms > 0, None]).sum(axis=0)
    B = A @ null_space(best[None])
    relevant = worse & (np.abs(B).max(axis=1, initial=0.0) > 1e-12 * np.sqrt(norms.max()))
    if not relevant.any():
        return 0.0
    gaps, rho = gaps[relevant], rho[relevant]
    most = np.minimum(gaps**2 / 2, 3 * eps * rho * gaps)
    # with x = alpha * most the programme is min w.x, q_a.M^-1 q_a <= 1, M = sum x_a q_a q_a^T;
    # x = 1 is feasible, and a change of basis that makes the columns of q orthonormal is allowed
    q = np.linalg.qr(B[relevant] / np.sqrt(most)[:, None])[0]
    w = gaps / most
    return float(w.max() * ellipsoid(q, w / w.max()))


def ellipsoid(q: np.ndarray, w: np.ndarray) -> float:
    """The minimum of w.x with q_a.M^-1 q_a <= 1 for every row of q, M = sum x_a q_a q_a^T, x >= 0.

    Raises:
        ArithmeticError: the duality gap exceeds PRECISION.
    """

    def leverages(x: np.ndarray) -> np.ndarray:
        return q @ np.linalg.solve(q.T @ (x[:, None] * q), q.T)

    inside = {
        "type": "ineq",
        "fun": lambda x: 1 - np.diag(leverages(x)),
        "jac": lambda x: leverages(x) ** 2,
    }
    found = minimize(
        lambda x: w @ x, np.ones(len(w)), jac=lambda x: w, bounds=[(1e-12, None)] * len(w),
        constraints=inside, method="SLSQP", options={"ftol": 1e-13, "maxiter": 1000},
    )  # fmt: skip
    L = leverages(found.x)
    above = w @ found.x * np.diag(L).max()  # value of the point rescaled to be feasible
    # with u_a = M^-1 q_a: sum l_a (u_a.q_j)^2 <= w_j makes sum l_a (2 u_a.q_a - 1) a lower bound
    limits = (L**2).T / w[:, None]
    dual = linprog(1 - 2 * np.diag(L), A_ub=limits, b_ub=np.ones(len(w)), method="highs")
    l = dual.x if dual.success else np.zeros(len(w))
    below = (2 * np.diag(L) - 1) @ l / max(1.0, (limits @ l).max())
    if not above - below <= PRECISION * above:
        raise ArithmeticError(
            f"c_eps lies between {below:g} and {above:g} times the largest weight"
        )
    return float(below)
