"""Noise of private contexts: the exact curve, matrices, bounds, and distances of what it hides."""

import math

import numpy as np
import private_references
import pytest
import shariff2018_page as page
from helpers import algorithm, defaults
from private_references import curve, exact_mu
from scipy.stats import chi2, kstest
from tiers import first

from dpbandits.algorithms.private_lin_ucb import largest_wishart_eps
from dpbandits.authoring import (
    add_row,
    delta_of_noise,
    estimate_noisy,
    levels_of,
    mu_for,
    new_matrix_tree,
    new_noisy_estimate,
    optimistic_by_squares,
    optimistic_noisy,
    wishart_nodes,
)  # fmt: skip
from dpbandits.contracts.gaussian_dp import eps_of_noise
from dpbandits.parts.linear.noisy_matrices import draw_wishart, wishart

# the exact curve


@pytest.mark.parametrize("mu", [0.01, 0.388, 2.0, 30.0])
def test_the_exact_curve_is_that_of_scipy(mu):
    for eps in (0.0, 1e-3, 0.1, 1.0, 20.0, 600.0):
        assert math.isclose(delta_of_noise(mu, eps), curve(mu, eps), rel_tol=1e-6, abs_tol=1e-280)


def test_what_the_curve_is_inverted_to():
    for eps in (1e-3, 1.0, 30.0, 600.0):
        for delta in (1e-9, 1e-3, 0.1):
            mu = mu_for(eps, delta)
            assert math.isclose(mu, exact_mu(eps, delta), rel_tol=1e-6)
            assert math.isclose(eps_of_noise(mu, delta), eps, rel_tol=1e-6)
    assert abs(mu_for(1.0, 1e-3) - 0.388) < 1e-3 and mu_for(math.inf, 0.1) == math.inf
    assert 0 < mu_for(1e-9, 1e-3) < mu_for(1e9, 1e-3) < math.inf
    assert eps_of_noise(0.01, 0.1) == 0.0 and eps_of_noise(math.inf, 0.1) == math.inf


# matrices


def rows_of(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) / d, rng.choice([-1.0, 1.0], n)


def prefixes(rng, n, d, s=0.0, k=0.0):
    X, r = rows_of(n, d)
    tree = new_matrix_tree(rng, d + 1, levels_of(n), k)
    z = np.column_stack([X, r])
    for t in range(n):
        add_row(rng, tree, X, t, r[t], s, k)
        yield tree.prefix - np.tril(z[: t + 1].T @ z[: t + 1])


def test_a_prefix_has_the_noise_of_its_nodes():
    """Entries of the noise have the variance of as many nodes as there are binary digits 1."""
    found = np.array([
        list(prefixes(np.random.default_rng([1, i]), 7, 1, s=2.0)) for i in range(4000)
    ])  # fmt: skip
    nodes = np.array([(t + 1).bit_count() for t in range(7)])
    for p, q, variance in ((0, 0, 8.0), (1, 0, 4.0), (1, 1, 8.0)):
        x = found[:, :, p, q] / np.sqrt(variance * nodes)
        assert all(kstest(column, "norm").pvalue > 1e-6 for column in x.T)
    x = found[:, :, 1, 0] / 2.0
    assert abs(np.corrcoef(x[:, 3], x[:, 4])[0, 1] - math.sqrt(0.5)) < 0.06  # a node is shared
    assert abs(np.corrcoef(x[:, 2], x[:, 3])[0, 1]) < 0.08  # and none
    assert (found[:, :, 0, 1] == 0).all()


def test_wishart_noise_has_its_law_and_as_many_nodes_in_every_prefix():
    found = np.array([
        list(prefixes(np.random.default_rng([2, i]), 5, 1, k=7.0)) for i in range(2000)
    ])  # fmt: skip
    for p in (0, 1):  # diagonal entries are 2 chi-square, of 7 degrees for each of 4 levels
        x = found[:, :, p, p] / 2.0
        assert all(kstest(c, chi2(28).cdf).pvalue > 1e-6 for c in x.T)
        assert all(kstest(c, chi2(21).cdf).pvalue < 1e-6 for c in x.T)
    rng, L = np.random.default_rng(3), np.zeros((3, 3))
    total = np.zeros((3, 3))
    for _ in range(4000):
        draw_wishart(rng, L, 9.0)
        total += [[wishart(L, max(p, q), min(p, q)) for q in range(3)] for p in range(3)]
    assert np.abs(total / 4000 - 18 * np.eye(3)).max() < 0.7


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_estimates_are_numpy_s_even_if_the_matrix_is_indefinite(d):
    A = np.random.default_rng(d).standard_normal((d + 1, d + 1))
    M, X, V = A + A.T, np.vstack([A[:, :d], A[:d, :d].T]), new_noisy_estimate(d, 2 * d + 1)
    for shift in (0.3, 50.0):
        estimate_noisy(V, np.tril(M), shift, X)
        own = M[:d, :d] + shift * np.eye(d)
        squares = np.sum(X * np.linalg.solve(own, X.T).T, axis=1)
        assert np.allclose(V.square, squares)
        assert np.allclose(V.mean, X @ np.linalg.solve(own, M[d, :d]))
        for root in (True, False):
            widths = np.maximum(squares, 0.0) ** (0.5 if root else 1.0)
            optimistic = optimistic_noisy if root else optimistic_by_squares
            assert optimistic(V, 2.0) == np.argmax(V.mean + 2.0 * widths)
        assert math.isclose(V.log_det[0], np.linalg.slogdet(own)[1], abs_tol=1e-9)


# bounds on the noise


@pytest.mark.parametrize("noise", page.NOISES)
def test_bounds_on_the_noise_hold_in_all_but_alpha_of_runs(noise):
    found = page.facts(noise, 1.0, runs=100, seed=1)
    assert page.failures(found).mean() <= page.ALPHA
    halved = found * [[0.5], [2.0], [2.0], [2.0]]  # bounds of half the size do not hold
    assert page.failures(halved).mean() > 0.5


def wishart_losses(m, k, runs, seed=0):
    """ln of the ratio of densities of m nodes, for two rows as far apart as can be."""
    rng, D = np.random.default_rng(seed), 4
    a, b = np.zeros(D), np.zeros(D)
    a[0] = b[0] = a[-1] = 1.0
    b[-1] = -1.0
    change, loss = np.outer(a, a) - np.outer(b, b), np.zeros(runs)
    for _ in range(m):
        N = private_references.wishart(rng, runs, D, k)
        # ln det(I + N^-1 D): a difference of ln det would lose all digits
        ratio = np.linalg.slogdet(np.eye(D) + np.linalg.solve(N, np.broadcast_to(change, N.shape)))
        loss += np.where(ratio[0] > 0, -(k - D - 1) / 2.0 * ratio[1], np.inf)
    return loss


@pytest.mark.parametrize("T", [1.0, 100.0, 2e4, 1e7, 1e12])
@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-9])
@pytest.mark.parametrize("d", [1, 3, 30])
def test_wishart_noise_promises_no_eps_at_which_matrices_become_impossible(d, delta, T):
    """A row that leaves makes the matrix of a node impossible if a chi-square number of k - d
    degrees of freedom is below 1; the m nodes together must not do so with a chance above delta.
    """
    m = levels_of(T)

    def impossible(eps):
        k = wishart_nodes(eps, delta, m, d, T, 0.05).k
        return -math.expm1(m * math.log1p(-chi2.cdf(1.0, k - d)))

    limit = largest_wishart_eps({"delta": delta, "T": T})
    assert 0 < limit <= math.sqrt(8 * m * math.log(2 / delta)) and impossible(limit) <= delta
    assert impossible(1e6 * limit) > delta  # the control: the promise ends somewhere
    if (d, delta, T) == (3, 1e-3, 2e4):
        assert impossible(180) < delta < impossible(200)


LIMIT = largest_wishart_eps({"delta": 1e-3, "T": 2e4})


@pytest.mark.parametrize(("eps", "m", "T"), first([(1.0, 11, 1000), (LIMIT, 16, 2e4)]))
def test_wishart_noise_keeps_its_promise(eps, m, T):
    """Also at the limit of its proof; the control is far beyond it."""
    assert m == levels_of(T)
    for level, kept in ((eps, True), (300.0, False)):
        H = wishart_nodes(level, 1e-3, m, 3, T, 0.05)
        assert ((wishart_losses(m, H.k, 20_000) > level).mean() <= 1e-3) == kept


# distances of rows and of messages


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize(("of_matrix", "shared", "most"), [(1.0, 0, 4.5), (1 / 4, 2, 4.0)])
def test_messages_are_as_far_apart_as_is_said(d, of_matrix, shared, most):
    """Squared distances between the messages of random users, whose triangle counts with the factor
    ``of_matrix``: 4.5 of LDP-LinUCB in two and in three dimensions, 4 in one, and 4 of LDP-OLS (in
    units of s), for one context, that of every ``shared``-th pair, and opposite rewards.
    """
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 50_000, d))
    for v in (x, y):
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        v[::3] *= rng.random((len(v[::3]), 1))
    if shared:
        y[::shared] = x[::shared]
    r, q = rng.choice([-1.0, 1.0], (2, len(x), 1))
    D = x[:, :, None] * x[:, None, :] - y[:, :, None] * y[:, None, :]
    i, j = np.tril_indices(d)
    found = ((x * r - y * q) ** 2).sum(axis=1) + of_matrix * (D[:, i, j] ** 2).sum(axis=1)
    most = 4.0 if d == 1 else most
    assert most - 0.1 < found.max() <= most + 1e-9


def test_two_rows_are_as_far_apart_as_is_said():
    z, y = np.array([0.6, 0.8, 1.0]), np.array([0.6, 0.8, -1.0])
    assert math.isclose(((np.outer(z, z) - np.outer(y, y)) ** 2).sum(), 2 * 2.0**2)
    for name, distance, s in (("ldp_ols", 2.0, 2.0), ("ldp_lin_ucb", math.sqrt(4.5), 4.0)):
        values = algorithm(name).numbers(defaults(name) | {"eps": 1.0, "delta": 0.1})
        mu = distance / (s * math.sqrt(2.0 * math.log(12.5)))
        assert math.isclose(algorithm(name).guarantee.gaussian.mu(values), mu)
