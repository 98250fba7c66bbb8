"""The oracles as mechanisms: sensitivities, laws, density ratios, broken twins; and batches."""

import math
from types import SimpleNamespace

import numpy as np
import oracle_references as slow
import pytest
from helpers import SIGMAS, algorithm, arguments, setting
from refusals import message_of
from scipy.stats import gamma, kstest
from test_linear_privacy import replaced

import dpbandits as dp
from dpbandits.contextual_game import new_contextual_game
from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import homogeneous
from dpbandits.parts.oracles import batches
from dpbandits.parts.oracles.choices import draw, one_of_smallest
from dpbandits.parts.oracles.learner import LATEST, Oracle, new_learner
from dpbandits.parts.oracles.logistic import (
    derivatives,
    draw_perturbation,
    fit_logistic,
    perturbation,
)
from dpbandits.parts.oracles.moments import invert_symmetric, noisy_gram, root_rho

POLICIES = ("square_cb", "vpo", "bpo", "fast_cb", "reg_cb", "ada_cb", "oracle_ucb")
BONUSES = POLICIES[-3:]
IRIS = {"law": "labels", "source": "sklearn:iris"}


def learner(Z, K, oracle, actions=(), losses=(), keeps=LATEST):
    """A learner whose present batch has the rows Z."""
    n = len(Z)
    env = SimpleNamespace(rows=np.asarray(Z, float))
    game = SimpleNamespace(env=env, horizon=2 * n, clock=np.zeros(4, np.int64), counts=np.zeros(K))
    now = new_learner(game, oracle, keeps)
    now.clock[:] = n, n - 1, 0
    now.rows[:n] = np.arange(n)
    now.actions[: len(actions)], now.losses[: len(losses)] = actions, losses
    return now


def unit(rng, n, d):
    x = rng.standard_normal((n, d))
    x /= np.maximum(1, np.linalg.norm(x, axis=1))[:, None]
    return np.column_stack([np.ones(n), x]) / math.sqrt(2)


def batch_of(n=40, K=3, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return unit(rng, n, d), K, rng.integers(0, K, n), (rng.random(n) < 0.5).astype(float)


# exact fits


def oracle(eps=math.inf, loss=0.0, ridge=1e-3, delta=1e-5, calibration=0.0):
    return Oracle(eps, delta, loss, ridge, calibration)


@pytest.mark.parametrize("ridge", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("n", [1, 3, 40])
def test_exact_fits_are_the_minimisers(ridge, n):
    Z, K, actions, losses = batch_of(n)
    X = np.array([np.kron(np.eye(K)[a], z) for a, z in zip(actions, Z, strict=True)])
    now = learner(Z, K, oracle(ridge=ridge), actions, losses)
    fit_logistic(None, now, math.inf)
    theta = now.theta[0].ravel()
    s = 1 / (1 + np.exp(-X @ theta))
    assert np.linalg.norm(X.T @ (s - losses) / n + ridge * theta) < 1e-8
    expected = slow.logistic_fit(X, losses, n, np.zeros(len(theta)), ridge)
    assert np.allclose(theta, expected, rtol=1e-3, atol=1e-4)
    now = learner(Z, K, oracle(loss=1.0, ridge=ridge), actions, losses)
    batches.release_moments(None, now)
    expected = np.linalg.solve(X.T @ X + ridge * n * np.eye(X.shape[1]), X.T @ losses)
    assert np.allclose(now.theta[0].ravel(), expected, rtol=1e-6)


@pytest.mark.parametrize("eps", [1e-100, 1e-3, 1.0, 300.0])
def test_the_residual_gradient_of_a_private_fit_is_small(eps):
    Z, K, actions, losses = batch_of(40)
    drawn = np.random.default_rng(3)
    now = learner(Z, K, oracle(eps), actions, losses)
    fit_logistic(drawn, now, eps)
    L, u = perturbation(eps, 40, 1e-3, 0.0)
    b = np.zeros((K, Z.shape[1]))
    draw_perturbation(np.random.default_rng(3), b, u)
    X = np.array([np.kron(np.eye(K)[a], z) for a, z in zip(actions, Z, strict=True)])
    theta = now.theta[0].ravel()
    s = 1 / (1 + np.exp(-X @ theta))
    left = np.linalg.norm(X.T @ (s - losses) / 40 + L * theta + b.ravel() / 40)
    assert left < 1e-8 + 1e-12 * np.linalg.norm(b) / 40


def test_a_row_that_does_not_count_is_a_row_of_zeros():
    Z, K, actions, losses = batch_of(20)
    for loss in (0.0, 1.0):
        skipped = learner(Z, K, oracle(loss=loss), actions, losses)
        skipped.rows[[3, 7]] = -1
        zero = Z.copy()
        zero[[3, 7]] = 0.0
        other = learner(zero, K, oracle(loss=loss), actions, losses)
        for now in (skipped, other):
            batches.fit(None, now)
        assert np.allclose(skipped.theta, other.theta) and skipped.sizes[0] == 20


def test_inverses_are_numpy_s():
    A = np.random.default_rng(0).standard_normal((7, 7))
    A = A + A.T
    B = np.tril(A)
    invert_symmetric(B)
    assert np.allclose(B, np.linalg.inv(A))


# laws of the noise


def test_calibrations_are_those_of_the_definition():
    for calibration in ("tight", "printed"):
        for eps in (0.01, 1.0, 8.0, math.inf):
            for n, lam in ((1, 1e-3), (1000, 1e-3), (1000, 1.0)):
                found = perturbation(eps, n, lam, float(calibration == "printed"))
                assert np.allclose(found, slow.perturbation(eps, n, lam, calibration))
                assert found.u >= eps / 2 or calibration == "printed"
    assert 1560 < 2 / perturbation(1.0, 1000, 0.386e-3, 1.0).u < 1570  # just above u = 0


@pytest.mark.parametrize("wrong", [1.0, 0.5])
def test_the_perturbation_has_its_law(wrong):
    rng, b, K, p, u = np.random.default_rng(1), np.zeros((2, 3)), 2, 3, 0.7
    found = np.zeros((4000, 6))
    for row in found:
        draw_perturbation(rng, b, u / wrong)
        row[:] = b.ravel()
    length = np.linalg.norm(found, axis=1)
    right = kstest(length, gamma(K * p, scale=2 / u).cdf).pvalue > 1e-6
    assert right == (wrong == 1.0)
    angle = found[:, 0] / length  # of a uniform direction: (1 + angle)/2 is Beta(5/2, 5/2)
    assert kstest((1 + angle) / 2, "beta", args=(2.5, 2.5)).pvalue > 1e-6


@pytest.mark.parametrize("wrong", [1.0, 0.5])
def test_moments_have_gaussian_noise(wrong):
    Z, K, actions, losses = batch_of(5, 2, 1)
    rng, sd = np.random.default_rng(2), 3.0
    clean = np.tril(noisy_gram(None, learner(Z, K, oracle(), actions, losses), 0.0))
    now = learner(Z, K, oracle(), actions, losses)
    found = np.array([noisy_gram(rng, now, wrong * sd) - clean for _ in range(3000)])
    off = sd / math.sqrt(2)
    for p, q, scale in ((0, 0, sd), (3, 3, sd), (1, 0, off), (3, 0, off)):
        right = kstest(found[:, p, q] / scale, "norm").pvalue > 1e-6
        assert right == (wrong == 1.0)
    assert (np.triu(found[0], 1) == 0).all()


def test_the_scale_of_moments_is_that_of_the_promise():
    assert math.isclose(root_rho(1.0, 1e-5), slow.root_rho(1.0, 1e-5))
    mu = algorithm("square_cb").guarantee_at({"loss": "quadratic"}).gaussian.mu
    assert math.isclose(mu({"eps": 1.0, "delta": 1e-5}), math.sqrt(2) * root_rho(1.0, 1e-5))
    half = algorithm("ada_cb").guarantee.gaussian.mu
    assert math.isclose(half({"eps": 1.0, "delta": 1e-5}), math.sqrt(2) * root_rho(0.5, 1e-5))


# sensitivities: a worst case attains what the noise is scaled to, and no other pair exceeds it


def moments_of(z, a, y, K):
    G = noisy_gram(None, learner([z], K, oracle(), [a], [y]), 0.0)
    G = np.tril(G) + np.tril(G, -1).T
    return G, np.kron(np.eye(K)[a], z) * y


def test_moments_are_at_most_root_2_apart_and_attain_it():
    rng, most = np.random.default_rng(0), np.zeros(2)
    Z = unit(rng, 400, 2)
    Z[::2, 1:] /= 1e-9 + np.linalg.norm(Z[::2, 1:], axis=1)[:, None] * math.sqrt(2)
    for z, w in zip(Z[::2], Z[1::2], strict=True):
        a, b = rng.integers(0, 2, 2)
        (G, u), (H, v) = moments_of(z, a, 1.0, 2), moments_of(w, b, 1.0, 2)
        most = np.maximum(most, [np.linalg.norm(G - H), np.linalg.norm(u - v)])
    assert (most <= math.sqrt(2) + 1e-12).all()
    z = np.array([1, 1, 0]) / math.sqrt(2)
    (G, u), (H, v) = moments_of(z, 0, 1.0, 2), moments_of(z, 1, 1.0, 2)
    assert np.isclose([np.linalg.norm(G - H), np.linalg.norm(u - v)], math.sqrt(2)).all()


def test_without_the_constant_feature_moments_are_further_apart():
    """Control: rows of the ball that are opposite are 2 apart."""
    (_, u), (_, v) = (moments_of(np.array([x]), 0, 1.0, 2) for x in (1.0, -1.0))
    assert np.linalg.norm(u - v) == 2.0


def log_density(theta, rows, n, eps, lam, calibration, noise=1.0):
    """Of the minimiser in one dimension, exactly: the law of the perturbation b that makes theta
    the minimiser, which is Laplace (Gamma(1) with a fair sign), times the derivative of b by theta.
    ``rows`` are pairs (z, y).
    """
    L, u = perturbation(eps, n, lam, calibration)
    b, slope = -n * L * theta, n * L
    for z, y in rows:
        s = 1 / (1 + np.exp(-z * theta))
        b, slope = b - (s - y) * z, slope + s * (1 - s) * z * z
    scale = 2.0 / u * noise
    return -np.abs(b) / scale - math.log(2 * scale) + np.log(slope)


def largest_ratio(eps, n, lam, calibration, noise=1.0):
    """Over neighbours and outputs: one of n rows is replaced, the others are of extreme kinds."""
    theta, worst = np.linspace(-60, 60, 4001), 0.0
    ends = [(z, y) for z in (-1.0, 0.0, 1.0) for y in (0.0, 1.0)]
    for other in ends:
        rest = [other] * (n - 1)
        found = [log_density(theta, [*rest, x], n, eps, lam, calibration, noise) for x in ends]
        worst = max(worst, np.ptp(found, axis=0).max())
    return worst


@pytest.mark.parametrize("calibration", [0.0, 1.0])
def test_the_exact_density_ratio_in_one_dimension_is_at_most_eps(calibration):
    ratios = {}
    for eps in (0.1, 1.0, 4.0, 8.0):
        for n, lam in ((1, 1e-3), (1, 0.3), (4, 0.1), (16, 1e-3)):
            ratios[eps, n, lam] = largest_ratio(eps, n, lam, calibration) / eps
    assert 0.3 < max(ratios.values()) <= 1.0
    broken = max(largest_ratio(eps, 4, 0.1, calibration, 0.25) / eps for eps in (1.0, 4.0))
    assert broken > 1.0  # a quarter of the noise


def derivatives_of(z, y, theta):
    """What a row adds to n times the gradient and the Hessian of the logistic oracle."""
    now, p = learner([z], 1, oracle(), [0], [y]), len(z)
    g, H = np.zeros(p), np.zeros((p, p))
    derivatives(now, np.zeros(1, np.int64), 0, 1, theta, np.zeros(p), 0.0, g, H)
    return g, np.tril(H) + np.tril(H, -1).T


def pair_of(angle):
    """Rows of length 1 that are as close to each other as the angle is small, and a direction that
    separates them.
    """
    c, s = math.cos(angle), math.sin(angle)
    z, w = np.array([[1, c, s], [1, c, -s]]) / math.sqrt(2)
    return z, w, np.array([0.0, 0.0, 1.0])


def test_gradients_are_at_most_2_apart_and_attain_it():
    """Of rows that a steep theta separates; the derivation of u uses the two bounds."""
    rng, gradient, hessian = np.random.default_rng(0), 0.0, 0.0
    Z = unit(rng, 400, 2)
    for i, (z, w) in enumerate(zip(Z[::2], Z[1::2], strict=True)):
        theta, y, v = 10.0 ** rng.uniform(-1, 3) * rng.standard_normal(3), i % 2, i // 2 % 2
        (g, G), (h, H) = derivatives_of(z, y, theta), derivatives_of(w, v, theta)
        gradient = max(gradient, np.linalg.norm(g - h))
        hessian = max(hessian, np.linalg.norm(G, 2), np.linalg.norm(H, 2))
    assert gradient <= 2 and hessian <= 0.25 + 1e-12
    z, w, theta = pair_of(1e-3)
    (g, _), (h, _) = derivatives_of(z, 0.0, 1e5 * theta), derivatives_of(w, 1.0, 1e5 * theta)
    assert 2 - 1e-5 < np.linalg.norm(g - h) <= 2
    assert np.isclose(np.linalg.norm(derivatives_of(z, 0.0, 0.0 * theta)[1], 2), 0.25)


def test_without_the_projection_gradients_are_further_apart():
    """Control: of rows that are twice as long, also the Hessians exceed the bound."""
    z, w, theta = pair_of(1e-3)
    (g, _), (h, _) = (derivatives_of(2 * x, y, 1e5 * theta) for x, y in ((z, 0.0), (w, 1.0)))
    assert np.linalg.norm(g - h) > 3.99
    assert np.linalg.norm(derivatives_of(2 * z, 0.0, 0.0 * theta)[1], 2) > 0.99


def log_density_of_rows(theta, X, y, eps, lam, calibration, noise):
    """Of the minimiser in several dimensions, exactly, up to a constant: the density e^(-|b| u/2)
    of the perturbation b that makes theta the minimiser, times the determinant of its derivative.
    """
    n, s = len(y), 1 / (1 + np.exp(-X @ theta))
    L, u = perturbation(eps, n, lam, calibration)
    b = X.T @ (y - s) - n * L * theta
    slope = (X.T * (s * (1 - s))) @ X + n * L * np.eye(len(theta))
    return -np.linalg.norm(b) * u / 2 / noise + np.linalg.slogdet(slope)[1]


def largest_ratio_of_rows(eps, n, lam, calibration, noise):
    """Over rows that a theta separates and lengths of theta: one of n rows is replaced, and the
    perturbation that the others need has the direction of the change.
    """
    worst, others = 0.0, np.tile([math.sqrt(0.5), math.sqrt(0.5), 0.0], (n - 1, 1))
    for angle in (0.1, 0.6):
        for length in (1.0, 10.0, 100.0):
            z, w, theta = pair_of(angle)
            one, two = (
                log_density_of_rows(
                    length * theta, np.vstack([others, x]), np.append(np.zeros(n - 1), y), eps, lam,
                    calibration, noise,
                )
                for x, y in ((z, 0.0), (w, 1.0))
            )  # fmt: skip
            worst = max(worst, abs(one - two))
    return worst


@pytest.mark.parametrize("calibration", [0.0, 1.0])
def test_the_exact_density_ratio_of_rows_is_nearly_eps(calibration):
    """One dimension is not the worst case: there gradients are at most 1 apart."""
    for eps in (0.5, 1.0, 4.0, 8.0):
        for n, lam in ((1, 0.3), (4, 0.1), (30, 0.01)):
            assert largest_ratio_of_rows(eps, n, lam, calibration, 1.0) <= eps
        assert 0.8 * eps < largest_ratio_of_rows(eps, 3000, 0.01, calibration, 1.0) <= eps
        assert largest_ratio_of_rows(eps, 3000, 0.01, calibration, 0.5) > 1.6 * eps  # half of noise


@pytest.mark.slow
def test_the_density_is_that_of_fits():
    """The kernel's fits in one dimension follow the exact density."""
    Z, eps, lam = np.array([[1.0], [-1.0], [1.0]]), 4.0, 0.1
    rng, found = np.random.default_rng(5), []
    for _ in range(2500):
        now = learner(Z, 1, oracle(eps, ridge=lam), [0, 0, 0], [1.0, 1.0, 0.0])
        fit_logistic(rng, now, eps)
        found.append(now.theta[0, 0, 0])
    theta = np.linspace(-300, 300, 600_001)
    rows = [(1.0, 1.0), (-1.0, 1.0), (1.0, 0.0)]
    for noise in (1.0, 0.5):
        p = np.exp(log_density(theta, rows, 3, eps, lam, 0.0, noise))
        cdf = np.cumsum(p) * (theta[1] - theta[0])
        assert noise != 1.0 or abs(cdf[-1] - 1) < 1e-3
        p_value = kstest(found, lambda x, cdf=cdf: np.interp(x, theta, cdf)).pvalue
        assert (p_value > 1e-6) == (noise == 1.0)


# batches


def actions_of(name, table, T=31, eps=1e9, function=None, **own):
    """The actions of a run in plain Python, on the users of iris with another table of rewards."""
    instance = build(IRIS)
    env = instance.environment._replace(table=table)
    users, rng = homogeneous(eps).users(), np.random.default_rng(1)
    game = new_contextual_game(env, users, rng, T, np.arange(1, T + 1))
    played, count = [], []

    def recorded(game, n, rows, actions, losses):
        for i in range(n):
            row = rows[i]
            losses[i] = 1.0 - table[row, actions[i]]
            played.append((int(row), int(actions[i])))
        game.clock[0] += n
        count.append(n)

    source = algorithm(name)
    plain = function or source.function.py_func
    play_batch = replaced(batches.play_batch, play_users=recorded)
    next_batch = replaced(plain.__globals__["next_batch"], play_batch=play_batch)
    numbers = arguments(name, eps, T, instance, **own)
    replaced(plain, next_batch=next_batch)(game, np.random.default_rng(2), *numbers)
    assert count == [1, 2, 4, 8, 16][: len(count)] and sum(count) == T
    return played


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("loss", ["logistic", "quadratic"])
def test_actions_of_a_batch_do_not_depend_on_its_own_rewards(name, loss):
    if name == "fast_cb" and loss == "quadratic":
        return
    own = {} if name == "fast_cb" else {"loss": loss}
    if (name, loss) == ("oracle_ucb", "quadratic"):
        own["eps"] = 30.0  # with less noise it plays actions in turn, as the next test shows
    table = build(IRIS).environment.table
    one, later = actions_of(name, table, **own), 0
    for last in (0, 2, 6, 14):  # the batch of rounds last/2, ..., last
        first = last // 2
        other = table.copy()
        for row, _ in one[first : last + 1]:
            other[row] = 1.0 - other[row]
        two = actions_of(name, other, **own)
        assert one[: last + 1] == two[: last + 1]
        later += one[last + 1 :] != two[last + 1 :]
    assert later  # the control: actions of later batches depend on the rewards


@pytest.mark.parametrize(("loss", "ignored"), [("quadratic", True), ("logistic", False)])
def test_optimism_with_exact_least_squares_plays_actions_in_turn(loss, ignored):
    """As docs/oracles.md says: what no user of a batch played has a predicted loss of 0."""
    table = build(IRIS).environment.table
    one, two = (actions_of("oracle_ucb", x, loss=loss) for x in (table, 1.0 - table))
    assert (one == two) == ignored


def test_the_last_batch_is_not_fitted():
    drawn = []

    def fit(rng, now):
        drawn.append(int(now.clock[0]))
        batches.fit(rng, now)

    plain = algorithm("square_cb").function.py_func
    own = replaced(plain, next_batch=replaced(batches.next_batch, fit=fit))
    actions_of("square_cb", build(IRIS).environment.table, function=own)
    assert drawn == [1, 2, 4, 8]


def test_draws_have_their_probabilities():
    rng, p = np.random.default_rng(0), np.array([0.2, 0.0, 0.5, 0.3])
    found = np.bincount([draw(rng, p) for _ in range(4000)], minlength=4)
    assert np.abs(found - 4000 * p).max() < SIGMAS * math.sqrt(1000) and found[1] == 0
    assert draw(rng, np.zeros(3) + 1e-20) == 2  # rounding is left to the last possible action
    ties = [one_of_smallest(rng, np.array([1.0, 0.0, 0.0, 2.0, 0.0])) for _ in range(3000)]
    assert np.abs(np.bincount(ties, minlength=5)[[1, 2, 4]] - 1000).max() < 150


# promises


def test_pure_eps_is_promised_of_the_logistic_oracle_alone():
    for name in POLICIES:
        given = {"eps": 1.0, "delta": 1e-5, "loss": "logistic"}
        words = algorithm(name).promise(given)
        pure = name not in BONUSES
        start = "1-pure joint DP of the actions of all" if pure else "(1, 1e-05)-joint DP of"
        assert words.startswith(start)
        assert pure or "a pure release of eps/2" in words
        if name != "fast_cb":
            words = algorithm(name).promise(given | {"loss": "quadratic"})
            assert words.startswith("(1, 1e-05)-joint DP") and "exactly (1, 3.04e-08)-DP" in words


@pytest.mark.parametrize(("m", "eps"), [(2, 2.04), (5, 5.42), (10, 11.87)])
def test_the_promise_of_a_user_who_returns(m, eps):
    values = {"eps": 1.0, "delta": 1e-5}
    quadratic = algorithm("bpo").guarantee_at({"loss": "quadratic"})
    found, delta = quadratic.of_group(values, m)
    assert abs(found - eps) < 0.005 and delta == 1e-5
    l, r = math.log(1e5), slow.root_rho(0.5, 1e-5)
    bonus = m / 2 + m * m * r * r + 2 * m * r * math.sqrt(l)
    assert np.allclose(algorithm("ada_cb").guarantee.of_group(values, m), (bonus, 1e-5))
    assert algorithm("bpo").guarantee.of_group(values, m) == (m, 0.0)


def test_delta_is_refused_where_pure_eps_is_promised():
    given = {"env": dp.labelled("sklearn:iris"), "delta": 1e-6}
    line = message_of(setting, algo="bpo", **given)
    assert line == "algo.delta=1e-06: bpo does not use delta with loss=logistic; leave delta out"
    assert setting(algo="bpo", loss="quadratic", **given).values["delta"] == 1e-6
    assert setting(algo="ada_cb", **given).values["delta"] == 1e-6
    assert setting(algo="bpo", env=given["env"]).values["delta"] == 1e-5


def test_policies_play_labelled_users_alone():
    line = message_of(setting, algo="bpo", env="contextual")
    other = "use for example algo=private_lin_ucb or env=labels"
    assert f"the environment has contexts, but bpo plays labelled users; {other}" in line


@pytest.mark.parametrize("name", POLICIES)
def test_a_scale_of_the_data_withdraws_the_promise(name):
    env = dp.labelled("sklearn:iris", scale="standard")
    found = setting(algo=name, env=env)
    assert "scale=standard" in found.data.instance.withdrawn and found.guarantee.of_contexts
