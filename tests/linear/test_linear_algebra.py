"""Matrices, regressions, designs and noisy vectors are NumPy's, or satisfy what defines them."""

import math

import numpy as np
import pytest
from scipy.stats import kstest

from dpbandits.authoring import kernel
from dpbandits.parts.linear import design as linear_design
from dpbandits.parts.linear.design import (
    coordinates,
    d_optimal,
    least_squares,
    optimal_design,
    thin,
    values_of,
)  # fmt: skip
from dpbandits.parts.linear.matrices import factor, invert, smallest_eigenvalue
from dpbandits.parts.linear.noise import chi_square_tail, release_sums
from dpbandits.parts.linear.ridge import (
    REFACTOR,
    add_round,
    confidence_width,
    estimate,
    new_estimate,
    new_ridge,
    optimistic,
)  # fmt: skip

DIMENSIONS = (1, 2, 3, 10, 50)


def positive_definite(d, seed=0):
    A = np.random.default_rng(seed).standard_normal((d, d))
    return A @ A.T + 0.1 * np.eye(d)


@kernel
def design_of(features):
    return optimal_design(features, np.arange(len(features)))


@kernel
def regression(X, rewards, lam):
    ridge = new_ridge(X.shape[1], lam)
    for t in range(len(X)):
        add_round(ridge, X, t, rewards[t])
    return ridge


@kernel
def estimates(rng, z, n, sums, deviation, out):
    for i in range(len(out)):
        theta = least_squares(rng, z, n, sums, deviation)
        for j in range(len(theta)):
            out[i, j] = theta[j]


@pytest.mark.slow
@pytest.mark.parametrize("d", DIMENSIONS)
def test_factors_inverses_and_eigenvalues_are_those_of_numpy(d):
    V, L, W = positive_definite(d), np.zeros((d, d)), np.zeros((d, d))
    assert math.isclose(factor(V, L), np.linalg.slogdet(V)[1], rel_tol=1e-9, abs_tol=1e-9)
    invert(L, W)
    assert np.allclose(L, np.linalg.cholesky(V)) and np.allclose(W @ V, np.eye(d), atol=1e-6)
    assert math.isclose(smallest_eigenvalue(V), np.linalg.eigvalsh(V)[0], rel_tol=1e-7)
    assert 1 - 1e-12 < smallest_eigenvalue(np.diag(np.arange(1.0, d + 1))) <= 1.0
    assert factor(np.diag([*np.ones(d - 1), -1.0]), L) == -math.inf


@pytest.mark.slow
@pytest.mark.parametrize("d", DIMENSIONS)
def test_updates_of_a_regression_stay_close_to_numpy(d):
    rng, n = np.random.default_rng(d), 3 * REFACTOR + 7
    X, rewards = rng.standard_normal((n, d)) / math.sqrt(d), rng.standard_normal(n)
    X[: n // 2] *= np.linspace(1, 1e-3, d)  # nearly in one direction
    ridge = regression(X, rewards, 0.1)
    V = 0.1 * np.eye(d) + X.T @ X
    assert np.allclose(ridge.V, V) and np.allclose(ridge.b, X.T @ rewards)
    assert np.abs(ridge.W @ V - np.eye(d)).max() < 1e-9
    assert abs(ridge.log_det[0] - np.linalg.slogdet(V)[1]) < 1e-8
    now = new_estimate(ridge)
    estimate(now, ridge, ridge.b)
    assert np.allclose(now.theta, np.linalg.solve(V, X.T @ rewards))
    widths = np.sqrt(np.einsum("ai,ij,aj->a", X, np.linalg.inv(V), X))
    assert optimistic(now, X, 2.0) == np.argmax(X @ now.theta + 2.0 * widths)
    beta = math.sqrt(2 * math.log(100) + np.linalg.slogdet(V / 0.1)[1]) + math.sqrt(0.1)
    assert math.isclose(confidence_width(now, d * math.log(0.1), 0.1, math.log(100)), beta)


def variances(z, pi):
    return np.einsum("ai,ij,aj->a", z, np.linalg.inv((z.T * pi) @ z), z)


@pytest.mark.slow
@pytest.mark.parametrize(("K", "d"), [(1, 1), (7, 1), (3, 2), (6, 3), (10, 3), (60, 5), (50, 50)])
def test_a_design_is_optimal_and_has_a_small_support(K, d):
    for seed in range(3):
        features = np.random.default_rng(seed).standard_normal((K, d))
        if seed == 2:  # on the sphere optimal designs are not unique
            features /= np.linalg.norm(features, axis=1)[:, None]
        found = design_of(features)
        assert found.z.shape == (K, d) and abs(found.pi.sum() - 1) < 1e-9
        assert (found.pi >= 0).all() and (found.pi > 0).sum() <= d * (d + 1) // 2
        assert variances(found.z, found.pi).max() <= d * (1 + 1e-6)
        assert np.allclose(found.z @ found.z.T, features @ features.T)  # an orthonormal basis


def test_the_gap_rejects_other_designs():
    z = np.random.default_rng(0).standard_normal((10, 3))
    assert variances(z, np.full(10, 0.1)).max() > 3 * 1.1


def test_thinning_leaves_the_matrix_as_it_is():
    z = np.random.default_rng(1).standard_normal((30, 3))
    pi = np.full(30, 1 / 30)
    before = (z.T * pi) @ z
    thin(z, pi)
    assert (pi > 0).sum() == 6 and np.allclose((z.T * pi) @ z, before)


@pytest.mark.parametrize("width", [1.0, 1e-2, 1e-4, 1e-6, 1e-8])
def test_designs_on_actions_that_are_nearly_parallel_are_optimal(width):
    """More actions are optimal than a design needs, however short they are in some directions."""
    angle = np.linspace(0, np.pi, 12, endpoint=False)
    ball = np.random.default_rng(7).standard_normal((30, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    for features in (np.stack([np.cos(angle), width * np.sin(angle)], 1), ball * [1, width, 1]):
        found, r = design_of(features), features.shape[1]
        assert found.z.shape == features.shape and (found.pi > 0).sum() <= r * (r + 1) // 2
        scaled = found.z / np.abs(found.z).max(axis=0)  # the variances do not depend on units
        assert variances(scaled, found.pi).max() <= r * (1 + 1e-6)


@pytest.mark.parametrize(("steps", "ends"), [(5, False), (10_000, True)])
def test_a_search_that_does_not_end_is_an_error(monkeypatch, steps, ends):
    """Privacy rests on the design's tolerance, so a design that is not optimal is not returned."""
    monkeypatch.setattr(linear_design, "STEPS", steps)
    z = np.random.default_rng(0).standard_normal((10, 3))
    if ends:
        assert variances(z, d_optimal(z)).max() <= 3 * (1 + 1e-6)
        return
    with pytest.raises(ValueError, match="D-optimal"):
        d_optimal(z)


@pytest.mark.parametrize("r", [0, 1, 2])
def test_actions_that_span_less_are_designed_in_their_span(r):
    rng = np.random.default_rng(3)
    features = rng.standard_normal((6, r)) @ rng.standard_normal((r, 4))
    features = np.concatenate([features, features[:2]])  # identical actions
    found = design_of(features)
    assert found.z.shape == (8, r)
    assert r == 0 or variances(found.z, found.pi).max() <= r * (1 + 1e-6)
    assert coordinates(features, np.array([1, 6])).shape == (2, min(r, 2))


def test_a_design_is_the_same_in_plain_python():
    features = np.random.default_rng(4).standard_normal((9, 3))
    assert np.allclose(design_of(features).pi, d_optimal(coordinates(features, np.arange(9))))


@pytest.mark.parametrize(("scale", "power", "right"), [
    (1.0, -0.5, True), (0.8, -0.5, False), (1.2, -0.5, False), (1.0, -1.0, False),
])  # fmt: skip
def test_estimates_have_the_law_of_their_noise(scale, power, right):
    """theta is normal around the least squares, of covariance deviation^2 V^-1."""
    rng = np.random.default_rng(5)
    z, n, sums = rng.standard_normal((5, 3)), np.array([3.0, 0, 2, 5, 4]), rng.standard_normal(5)
    out, V = np.zeros((20_000, 3)), (z.T * n) @ z
    estimates(rng, z, n, sums, scale * 0.7, out)
    eigenvalues, Q = np.linalg.eigh(V)
    whitened = (out - np.linalg.solve(V, z.T @ sums)) @ (Q * eigenvalues**-power) @ Q.T / 0.7
    assert all((kstest(x, "norm").pvalue > 1e-6) == right for x in whitened.T)
    assert right is False or abs(np.corrcoef(whitened.T)[0, 1]) < 5 / math.sqrt(20_000)


def test_sums_are_released_once_with_independent_noise():
    class Two:
        def standard_normal(self):
            return 2.0

    b, S = np.array([1.0, -1.0]), np.array([10.0, 20.0])
    release_sums(Two(), b, S, 0.5)
    assert b.tolist() == [0, 0] and S.tolist() == [12.0, 20.0]


def test_the_tail_of_chi_square_is_a_bound():
    lengths = (np.random.default_rng(0).standard_normal((100_000, 3)) ** 2).sum(axis=1)
    for x in (0.5, 0.1, 0.01):
        assert (lengths > chi_square_tail(3.0, x)).mean() < x


def test_values_are_inner_products_of_active_actions():
    features = np.random.default_rng(6).standard_normal((5, 2))
    active = np.array([1, 4])
    design = optimal_design(features, active)
    found = values_of(design, active, np.array([1.0, 2.0]), 5)
    assert np.allclose(found[active], design.z @ [1.0, 2.0]) and not found[[0, 2, 3]].any()
