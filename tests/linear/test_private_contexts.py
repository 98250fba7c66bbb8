"""Private contexts: matrices, the exact curve, bounds on noise, alignments and broken twins."""

import math

import numpy as np
import private_references
import pytest
import shariff2018_page as page
from extras import require
from helpers import algorithm, defaults, replaced
from private_references import curve, exact_mu
from refusals import message_of
from scipy.stats import chi2, kstest
from test_linear_privacy import policy
from tiers import first

import dpbandits as dp
from dpbandits.algorithms.private_lin_ucb import largest_wishart_eps
from dpbandits.audit.alignment import replay as replaying
from dpbandits.audit.alignment.align import align
from dpbandits.authoring import contexts, ensure_contexts, gaussian, mu_for, play, rounds_left
from dpbandits.contracts.gaussian_dp import delta_of_noise, eps_of_noise
from dpbandits.parts.linear.noisy_matrices import (
    add_row,
    draw_wishart,
    estimate_noisy,
    levels_of,
    new_matrix_tree,
    new_noisy_estimate,
    optimistic_by_squares,
    optimistic_noisy,
    wishart,
)
from dpbandits.parts.linear.spectra import wishart_nodes

# the exact curve


@pytest.mark.parametrize("mu", [0.01, 0.388, 2.0, 30.0])
def test_the_exact_curve_is_that_of_scipy(mu):
    for eps in (0.0, 1e-3, 0.1, 1.0, 20.0, 600.0):
        assert math.isclose(delta_of_noise(mu, eps), curve(mu, eps), rel_tol=1e-6, abs_tol=1e-280)


@pytest.mark.parametrize(
    ("mu", "eps", "delta"),
    [
        (1e-6, 1e-6, 8.33155122454254e-08), (9e-6, 0.0, 3.5904805236007763e-06),
        (1e-5, 1e-5, 8.331588716541962e-07), (9.9e-6, 3e-5, 3.397955781786902e-09),
        (1e-13, 8e-13, 7.550262411949519e-30), (1e-20, 1e-19, 7.474560254589305e-45),
        (1e-30, 0.0, 3.989422804014327e-31),
    ],
)  # fmt: skip
def test_the_exact_curve_of_much_noise_is_that_of_exact_arithmetic(mu, eps, delta):
    """The numbers are computed with 1,500 bits."""
    assert math.isclose(delta_of_noise(mu, eps), delta, rel_tol=1e-10)


def test_noise_suffices_for_tiny_budgets():
    for eps, delta in ((1e-100, 1e-30), (1e-50, 1e-20)):
        assert math.isclose(mu_for(eps, delta), math.sqrt(2 * math.pi) * delta, rel_tol=1e-9)


def test_what_the_curve_is_inverted_to():
    for eps in (1e-3, 1.0, 30.0, 600.0):
        for delta in (1e-9, 1e-3, 0.1):
            mu = mu_for(eps, delta)
            assert math.isclose(mu, exact_mu(eps, delta), rel_tol=1e-6)
            assert math.isclose(eps_of_noise(mu, delta), eps, rel_tol=1e-6)
    assert abs(mu_for(1.0, 1e-3) - 0.388) < 1e-3 and mu_for(math.inf, 0.1) == math.inf
    assert 0 < mu_for(1e-9, 1e-3) < mu_for(1e9, 1e-3) < math.inf
    assert eps_of_noise(0.01, 0.1) == 0.0 and eps_of_noise(math.inf, 0.1) == math.inf


@pytest.mark.slow
@pytest.mark.extra("dp_accounting")
@pytest.mark.parametrize(("mu", "eps"), [(0.388, 1.0), (2.0, 5.0), (0.1, 0.1)])
def test_the_exact_curve_is_that_of_dp_accounting(mu, eps):
    accounting = require("dp_accounting")
    accountant = accounting.pld.PLDAccountant()
    accountant.compose(accounting.GaussianDpEvent(1.0 / mu))
    # the accountant's own bound is pessimistic, by its grid of 1e-4
    assert math.isclose(accountant.get_delta(eps), delta_of_noise(mu, eps), rel_tol=5e-3)


def test_guarantees_are_printed_with_the_curve_of_their_noise():
    joint, local = algorithm("private_lin_ucb"), algorithm("ldp_lin_ucb")
    printed = {"calibration": "printed"}
    words = joint.promise(defaults("private_lin_ucb") | {"eps": 1.0} | printed)
    assert words.startswith("(1, 0.001)-joint DP of the actions of all other rounds when the cont")
    assert "mu = 0.03014" in words and "NOT" not in words
    exact = joint.promise(defaults("private_lin_ucb") | {"eps": 1.0})
    assert "mu = 0.3884: exactly (1, 0.001)-DP, and (1, 0.001)-DP" in exact
    assert "NOT" in joint.promise(defaults("private_lin_ucb") | {"eps": 3000.0} | printed)
    given = {"eps": 8e5, "variant": "coded"} | printed
    coded = local.promise(defaults("ldp_lin_ucb") | given)
    assert "exactly (800000, 1)-DP, which is NOT what is promised" in coded
    wishart = defaults("private_lin_ucb") | {"noise": "wishart", "T": 20_000.0}
    assert "holds up to an eps of 31.19" in joint.promise(wishart | {"eps": 31.1})
    assert "which 31.2 exceeds: it is NOT proved" in joint.promise(wishart | {"eps": 31.2})
    assert "NOT" not in joint.promise(wishart | {"eps": 31.1})
    assert "delta(eps) = Phi(" in joint.promise({"eps": 1.0})


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


def test_levels_are_counted():
    assert [levels_of(T) for T in (1, 2, 3, 4, 5, 8, 9, 10**6)] == [1, 2, 3, 3, 4, 4, 5, 21]
    assert levels_of(2**62) == 63


@pytest.mark.parametrize("d", [1, 3])
def test_a_tree_without_noise_releases_sums(d):
    assert all(np.allclose(noise, 0) for noise in prefixes(np.random.default_rng(0), 70, d))


@pytest.mark.slow
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


@pytest.mark.slow
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


def between_messages(rng, runs, d, of_matrix=1.0, shared=0):
    """The squared distances between the messages of random users, whose triangle counts with the
    factor ``of_matrix``; of a share of the pairs, every ``shared``-th, both have one context.
    """
    x, y = rng.standard_normal((2, runs, d))
    for v in (x, y):
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        v[::3] *= rng.random((len(v[::3]), 1))
    if shared:
        y[::shared] = x[::shared]
    r, q = rng.choice([-1.0, 1.0], (2, runs, 1))
    D = x[:, :, None] * x[:, None, :] - y[:, :, None] * y[:, None, :]
    i, j = np.tril_indices(d)
    return ((x * r - y * q) ** 2).sum(axis=1) + of_matrix * (D[:, i, j] ** 2).sum(axis=1)


def test_messages_are_as_far_apart_as_is_said():
    """4.5 in the triangle and the vector, in two and in three dimensions; 4 in one."""
    rng = np.random.default_rng(0)
    for d in (1, 2, 3):
        found = between_messages(rng, 200_000, d)
        assert (4.0 if d == 1 else 4.5) - 0.1 < found.max() <= (4.0 if d == 1 else 4.5) + 1e-9


def test_two_rows_are_as_far_apart_as_is_said():
    z, y = np.array([0.6, 0.8, 1.0]), np.array([0.6, 0.8, -1.0])
    assert math.isclose(((np.outer(z, z) - np.outer(y, y)) ** 2).sum(), 2 * 2.0**2)


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


def test_wishart_noise_keeps_its_promise():
    m, eps, delta = 11, 1.0, 1e-3
    H = wishart_nodes(eps, delta, m, 3, 1000, 0.05)
    assert (wishart_losses(m, H.k, 20_000) > eps).mean() <= delta
    assert (wishart_losses(m, 12.0, 20_000) > eps).mean() > 10 * delta


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


@pytest.mark.slow
def test_wishart_noise_keeps_its_promise_up_to_the_limit_of_its_proof():
    m, delta, T = 16, 1e-3, 2e4
    assert m == levels_of(T)
    limit = largest_wishart_eps({"delta": delta, "T": T})
    for eps, kept in ((limit, True), (300.0, False)):
        H = wishart_nodes(eps, delta, m, 3, T, 0.05)
        assert ((wishart_losses(m, H.k, 20_000) > eps).mean() <= delta) == kept


# alignments


def wrong_row(mistake):
    """``add_row`` with a mistake."""
    last = {}

    def add_row(rng, tree, X, a, r, s, k):
        n, D = int(tree.rows[0]) + 1, len(tree.prefix)
        j, higher = (n & -n).bit_length() - 1, n & (n - 1)
        h = (higher & -higher).bit_length() - 1 if higher else len(tree.sums)
        for p in range(D):
            for q in range(p + 1):
                node = (r if p == D - 1 else X[a, p]) * (r if q == D - 1 else X[a, q])
                node = node + sum(tree.sums[i, p, q] for i in range(j))
                tree.sums[j, p, q] = node
                noise = gaussian(rng, s * math.sqrt(2.0) if p == q else s)
                if mistake == "half":
                    noise = noise * 0.5
                if mistake == "reused" and n % 4 == 3:
                    noise = last[p, q]  # that of the node before
                last[p, q] = noise
                bare = {"a node": j == 1, "all": True, "rewards": p == D - 1}
                node = node if bare.get(mistake) else node + noise
                tree.ended[j, p, q] = node + tree.ended[h, p, q]
                tree.prefix[p, q] = tree.ended[j, p, q]
        tree.rows[0] = n

    return add_row


def wrong_message(mistake):
    def receive_message(rng, M, X, a, r, sigma):
        d = len(M) - 1
        for p in range(d + 1):
            for q in range(min(p + 1, d)):
                entry = (r if p == d else X[a, p]) * X[a, q]
                noise = gaussian(rng, sigma)
                bare = p == d if mistake == "rewards" else p < d
                M[p, q] = M[p, q] + (entry if bare else entry + noise)

    return receive_message


def own_round(game, rng, eps, delta, alpha, noise, calibration):
    """Plays by what it knows of the contexts of the round before."""
    x = contexts(game)
    while rounds_left(game) > 0:
        before = x.copy()
        ensure_contexts(game)
        play(game, int(np.argmax(before[:, 0])))
        gaussian(rng, 1.0)


JOINT, LOCAL = algorithm("private_lin_ucb").function, algorithm("ldp_lin_ucb").function
own_sigma = LOCAL.py_func.__globals__["deviation"]
BROKEN = {
    "a shift without noise": (JOINT, wrong_row("all")),
    "rewards are not noised": (JOINT, wrong_row("rewards")),
    "half of the noise": (JOINT, wrong_row("half")),
    "noise is used twice": (JOINT, wrong_row("reused")),
    "a message without noise for x r": (LOCAL, wrong_message("rewards")),
    "one node is not noised": (JOINT, wrong_row("a node")),
    "a message without noise for x x^T": (LOCAL, wrong_message("contexts")),
}


@pytest.mark.slow
@pytest.mark.parametrize("eps", first([1.0, 1e5]))
def test_a_correct_copy_is_aligned(eps):
    own = replaced(JOINT, add_row=wrong_row(""))
    assert align(policy("private_lin_ucb", {}, eps, own), 10).holds


@pytest.mark.slow
@pytest.mark.parametrize("twin", first(BROKEN, 5))
def test_broken_twins_are_not_aligned(twin):
    function, wrong = BROKEN[twin]
    name = "private_lin_ucb" if function is JOINT else "ldp_lin_ucb"
    own = replaced(function, **{"add_row" if function is JOINT else "receive_message": wrong})
    found = align(policy(name, {}, 1e5, own), 60)
    assert not found.holds and found.problem is not None


def test_sigma_without_the_2_is_not_aligned():
    own = replaced(LOCAL, deviation=lambda eps, delta, v, c: own_sigma(eps, delta, 1.0, c))
    found = align(policy("ldp_lin_ucb", {"calibration": "printed"}, 1.0, own), 60)
    assert not found.holds and "the cost is" in found.problem.why


@pytest.mark.slow
def test_contexts_of_earlier_rounds_are_protected():
    found = align(policy("private_lin_ucb", {}, 1.0, own_round), 20)
    assert not found.holds and "actions    arm" in found.problem.example


@pytest.mark.slow
def test_the_action_of_the_changed_round_itself_is_not_protected(monkeypatch):
    compared = replaying._difference
    monkeypatch.setattr(replaying, "_difference", lambda one, two, excepted=(): compared(one, two))
    assert not align(policy("private_lin_ucb", {}, 1.0), 20).holds


@pytest.mark.slow
def test_the_alignment_of_wishart_noise():
    """With normal noise of the same size in its place, which replays can follow."""

    def nodes(eps, delta, m, d, T, alpha):
        H = wishart_nodes(eps, delta, m, d, T, alpha)
        return H._replace(s=math.sqrt(2.0 * H.k), k=0.0, shift=H.shift + 2.0 * m * H.k)

    own = replaced(JOINT, wishart_nodes=nodes)
    found = align(policy("private_lin_ucb", {"noise": "wishart"}, 1e3, own), 10)
    assert found.holds and found.entered > 5


# what is released


def test_the_audit_of_wishart_noise_is_refused():
    assert "only Gaussian noise promises Gaussian DP, whose loss mu the audit tests" in message_of(
        dp.audit, algo=dp.algorithm("private_lin_ucb", noise="wishart"), eps=1.0
    )


def test_the_printed_noise_is_too_small_for_large_eps():
    """It is proportional to 1/eps: it is enough up to these eps."""
    for name, own, last, delta in (
        ("private_lin_ucb", {}, 1997, 1e-3),
        ("ldp_lin_ucb", {}, 26.2, 0.1),
        ("ldp_lin_ucb", {"variant": "coded"}, 11.6, 0.1),
    ):
        found = algorithm(name)
        mu = found.guarantee.gaussian.mu
        own = defaults(name) | own | {"calibration": "printed"}
        spent = [
            delta_of_noise(mu(found.numbers(own | {"eps": eps})), eps)
            for eps in (last, 1.01 * last)
        ]
        assert spent[0] <= delta < spent[1]
